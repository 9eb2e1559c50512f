"""The engine behind the window: made after the first frame, fed with prompts, listened to."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TYPE_CHECKING, Any

from agentcli.base.git_facts import read_branch
from agentcli.frontends.tui.paths import short_path
from agentcli.protocol.errors import AgentCliError, SessionBusy, UsageError
from agentcli.protocol.prompts import SHELL_CALL, Queued

if TYPE_CHECKING:
    from agentcli.engine.asking import Asker
    from agentcli.frontends.tui.event_view import EventView
    from agentcli.frontends.tui.port import EnginePort, EventStream

    MakeEngine = Callable[[Asker], EnginePort]

_VERSION = re.compile(r"-(\d+)-(\d{1,2})(?=-|$)")
_RECALLED = 500
_BREATH = 0.008
"""Seconds of event handling after which keys get their turn."""


class Conversation:
    """Owns the engine and what was typed before there was one."""

    def __init__(self, make_engine: "MakeEngine") -> None:
        self._make_engine = make_engine
        self._view: EventView | None = None
        self._stream: EventStream | None = None
        self.engine: EnginePort | None = None
        self.early: list[Queued] = []
        """Prompts that were sent before the engine was there."""
        self.prompts: list[str] = []
        """The prompts of the conversation as it was opened, oldest first."""
        self.failure = ""
        """Why there is no engine and will be none."""
        self.drawn = asyncio.Event()
        """Is set when the whole conversation was drawn; cleared by who waits for that."""

    @property
    def running(self) -> bool:
        """Is a turn on?"""
        return self.engine is not None and self.engine.running

    @property
    def cwd(self) -> str:
        """The folder that the engine works in; "" while there is none."""
        return str(self.engine.cwd) if self.engine is not None else ""

    async def open(
        self,
        make_view: "Callable[[], EventView]",
        in_use: "Callable[[SessionBusy], Awaitable[MakeEngine | None]]",
    ) -> bool:
        """Make view and engine in a thread, so that typing goes on meanwhile. False: it failed.

        *in_use* says how to go on where another process writes the session.
        """
        make: MakeEngine | None = self._make_engine
        engine: EnginePort | None = None
        while engine is None:
            try:
                self._view, engine = await asyncio.to_thread(_make, make_view, make)
            except AgentCliError as error:
                make = await in_use(error) if isinstance(error, SessionBusy) else None
                if make is None:
                    self.failure = f"{error.title}: {error.message}"
                    return False
        self._stream = engine.subscribe()
        self.engine = engine
        self.draw_history()
        return True

    def draw_history(self) -> None:
        """Draw the conversation as the engine's log has it."""
        from agentcli.frontends.tui.event_view import prompt_text

        if self.engine is not None and self._view is not None:
            self._view.reset(self.cwd)
            events = self.engine.replay()
            self._view.replay(events)
            self.prompts = [text for event in events if (text := prompt_text(event))][-_RECALLED:]
            self.drawn.set()

    async def pump(self) -> None:
        """Hand every event to the view, giving way to keys now and then. Ends with the stream.

        The way to the model is opened meanwhile, while the first prompt is being typed.
        """
        if self._stream is None or self.engine is None or self._view is None:
            return
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.engine.warm_up())
            await _listen(self._stream, self._view)

    async def send(self, item: Queued) -> str:
        """Run a prompt or a shell command, or let the engine queue it; kept while there is no
        engine. "" or, in one line, why it was refused."""
        if self.engine is None:
            self.early.append(item)
            return ""
        try:
            if item.shell:
                await self.engine.shell(item.text.removeprefix(SHELL_CALL))
            else:
                await self.engine.prompt(item.content)
        except UsageError as error:
            return error.message
        return ""

    def take_early(self, first: str | None) -> list[Queued]:
        """*first* and what was sent before there was an engine; it is to be sent now."""
        items, self.early = [*([Queued(first)] if first else []), *self.early], []
        return items

    def interrupt(self) -> bool:
        """Stop the turn; False if there is none."""
        return self.engine is not None and self.engine.interrupt()

    def take_back(self) -> Queued | None:
        """What was queued last."""
        if self.engine is None:
            return self.early.pop() if self.early else None
        return self.engine.take_back()

    def facts(self, user_home: str) -> dict[str, Any]:
        """What the status line tells of the engine; empty while there is none."""
        engine = self.engine
        if engine is None:
            return {}
        stats, cwd = engine.stats, engine.cwd
        known = stats.context_window and stats.context_tokens
        return {
            "mode": engine.mode,
            "model": short_model(engine.model),
            "directory": short_path(str(cwd), user_home),
            "branch": read_branch(cwd) or "",
            "context_share": stats.context_tokens / stats.context_window if known else None,
            "cost_usd": stats.total_cost_usd,
            "effort": engine.effort or "",
        }

    async def close(self) -> None:
        """End the engine. Idempotent."""
        engine, self.engine = self.engine, None
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        if engine is not None:
            await engine.aclose()


def _make(
    make_view: "Callable[[], EventView]", make_engine: "MakeEngine"
) -> "tuple[EventView, EnginePort]":
    view = make_view()
    return view, make_engine(view.asks)


async def _listen(stream: "EventStream", view: "EventView") -> None:
    turn_began = monotonic()
    async for event in stream:
        view.apply(event)
        if monotonic() - turn_began > _BREATH:
            await asyncio.sleep(0)
            turn_began = monotonic()


def short_model(model: str) -> str:
    """``claude-sonnet-5-5`` as ``sonnet-5.5``. Pure."""
    return _VERSION.sub(r"-\1.\2", model.removeprefix("claude-"))
