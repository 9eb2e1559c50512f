"""The facade: what a front end can do with a conversation."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path

from agentcli.base.clock import elapsed_ms
from agentcli.engine.bus import EventBus, EventStream
from agentcli.engine.cancel import CancelLedger
from agentcli.engine.gate import Gate
from agentcli.engine.inbox import Inbox, Prompt
from agentcli.engine.loop import LoopEnd
from agentcli.engine.run import RunDeps, run_prompt
from agentcli.engine.settle import INTERRUPTED, settle_open_calls
from agentcli.engine.stats import Stats
from agentcli.engine.surroundings import Surroundings
from agentcli.engine.transport import Transport
from agentcli.permissions.modes import next_mode
from agentcli.protocol.asks import Denial
from agentcli.protocol.errors import ProviderError
from agentcli.protocol.events import (
    Event,
    HistoryChanged,
    Notice,
    RunFinished,
    RunResult,
    RunStarted,
    StateChanged,
)
from agentcli.protocol.ids import new_uuid
from agentcli.protocol.modes import PermissionMode
from agentcli.provider.models import ModelInfo, resolve_model
from agentcli.session.entries import (
    INTERRUPT_TEXT,
    INTERRUPT_TOOL_TEXT,
    error_draft,
    interrupt_draft,
)
from agentcli.session.log import SessionLog, sync_later
from agentcli.session.replay import replay
from agentcli.tools.file_state import FileState


@dataclass(slots=True)
class EngineParts:
    """What ``build_engine`` made. ``new_log`` opens the log of another, empty session and
    ``run_deps`` binds the parts to the current one."""

    home: Path
    log: SessionLog
    bus: EventBus
    gate: Gate
    inbox: Inbox
    stats: Stats
    surroundings: Surroundings
    transport: Transport
    files: FileState
    model: ModelInfo
    max_turns: int | None
    new_log: Callable[[], SessionLog]
    run_deps: "Callable[[EngineParts], RunDeps]"
    tool_names: tuple[str, ...]
    denials: list[Denial] = field(default_factory=list[Denial])


class Engine:
    """One conversation. All methods are called from the event loop's own thread."""

    def __init__(self, parts: EngineParts) -> None:
        self._parts = parts
        self._ledger = CancelLedger()
        self._idle = asyncio.Event()
        self._idle.set()
        self._stopping = False

    @property
    def cwd(self) -> Path:
        return self._parts.surroundings.cwd

    @property
    def home(self) -> Path:
        return self._parts.home

    @property
    def session_id(self) -> str:
        return self._parts.log.session_id

    @property
    def mode(self) -> PermissionMode:
        return self._parts.gate.mode

    @property
    def model(self) -> str:
        return self._parts.model.id

    @property
    def stats(self) -> Stats:
        return self._parts.stats

    @property
    def tool_names(self) -> tuple[str, ...]:
        """Names of the tools that the model sees."""
        return self._parts.tool_names

    @property
    def key_source(self) -> str:
        """Where the credentials come from (never what they are)."""
        return self._parts.transport.endpoint.key_source or "none"

    @property
    def unsaved(self) -> int:
        """Session entries that the disk has not taken."""
        return self._parts.log.unsaved

    @property
    def running(self) -> bool:
        return not self._idle.is_set()

    def subscribe(self, *, wants_raw: bool = False) -> EventStream:
        """A stream of all events from now on."""
        return self._parts.bus.subscribe(wants_raw=wants_raw)

    async def prompt(self, content: Prompt) -> RunResult | None:
        """Run a prompt to its end, then those that were queued meanwhile; the last result.

        While a run is on, the prompt is queued and None is returned. Raises CancelledError only
        for an outside cancel, and whatever is a bug; the log is whole in every case.
        """
        if self.running:
            self._parts.inbox.add(content)
            return None
        self._idle.clear()
        try:
            result = await self._run(content)
            while not self._stopping and (waiting := self._parts.inbox.take()) is not None:
                result = await self._run(waiting)
            return result
        finally:
            self._idle.set()

    def interrupt(self) -> bool:
        """Stop the run; what was done so far is kept. True if there was one. Harmless twice."""
        return self._ledger.interrupt()

    def take_back(self) -> str | None:
        """The newest queued prompt, to be edited again."""
        return self._parts.inbox.take_back()

    def set_mode(self, mode: PermissionMode) -> None:
        """Change the permission mode. Raises UsageError where bypassPermissions is not enabled."""
        self._parts.gate.set_mode(mode)

    def cycle_mode(self) -> PermissionMode:
        """Go to the next mode of the Shift+Tab cycle and return it."""
        gate = self._parts.gate
        gate.set_mode(next_mode(gate.mode, gate.bypass_enabled))
        return gate.mode

    def set_model(self, name: str) -> None:
        """Use another model from the next request on. Raises UsageError for an unknown one."""
        self._parts.model = resolve_model(name)
        self._parts.stats.context_window = self._parts.model.window
        self._parts.bus.emit(StateChanged("model", self._parts.model.id))

    async def warm_up(self) -> None:
        """Open the connection to the model ahead of the first prompt. Raises only CancelledError:
        what is wrong is told when a prompt needs it."""
        with contextlib.suppress(ProviderError):
            await self._parts.transport.warm_up()

    async def clear(self) -> None:
        """Begin a new session; the old one stays on disk and can be resumed."""
        await self._stop_run()
        parts = self._parts
        parts.log.close()
        parts.log = parts.new_log()
        parts.gate.show_outputs(parts.log.tool_results)
        parts.files.clear()
        parts.stats.context_tokens = 0
        parts.bus.emit(HistoryChanged("clear", parts.log.session_id))

    @property
    def load_problem(self) -> str | None:
        """One line about what could not be read when the session was resumed, or None."""
        log = self._parts.log
        if not log.bad_lines:
            return None
        lines = "1 line" if log.bad_lines == 1 else f"{log.bad_lines} lines"
        return f"{lines} of {log.file} cannot be read and are left as they are; all else is here."

    def replay(self) -> list[Event]:
        """The events that draw the conversation as it is."""
        events = list(replay(self._parts.log.path()))
        if self.load_problem:
            events.append(Notice("warning", self.load_problem))
        return events

    async def aclose(self) -> None:
        """Stop, write what waits, give the file back, close the connection. Idempotent."""
        await self._stop_run()
        self._parts.log.close()
        await self._parts.transport.aclose()
        self._parts.bus.close()

    async def _stop_run(self) -> None:
        """End the run; what is queued, also while it ends, belongs to it and is dropped."""
        self._stopping = True
        try:
            self.interrupt()
            await self._idle.wait()
            while self._parts.inbox.take() is not None:
                pass
        finally:
            self._stopping = False

    async def _run(self, content: Prompt) -> RunResult:
        parts = self._parts
        began = time.monotonic()
        before = copy(parts.stats)
        parts.denials.clear()
        self._ledger.attach()
        parts.bus.emit(RunStarted(new_uuid()))
        end = LoopEnd("error", "", error="Internal error; the session is kept.")
        status: int | None = None
        try:
            end = await run_prompt(parts.run_deps(parts), content, parts.max_turns)
            if self._ledger.was_sent:
                # Sent too late to stop anything, but not yet arrived: here, not in the next run.
                await asyncio.sleep(0)
            if end.outcome == "interrupted":
                parts.log.append(interrupt_draft(INTERRUPT_TOOL_TEXT))
        except asyncio.CancelledError:
            end = self._interrupted()
            if self._ledger.settle():
                raise
        except ProviderError as error:
            status = error.status
            end = LoopEnd("error", "", error=error.message)
            parts.log.append(error_draft(error.message))
        finally:
            self._ledger.detach()
            result = self._finish(end, began, before, status)
        return result

    def _interrupted(self) -> LoopEnd:
        parts = self._parts
        settle_open_calls(parts.log, parts.bus, INTERRUPTED)
        path = parts.log.path()
        in_tools = bool(path) and path[-1].tool_result is not None
        parts.log.append(interrupt_draft(INTERRUPT_TOOL_TEXT if in_tools else INTERRUPT_TEXT))
        return LoopEnd("interrupted", "")

    def _finish(self, end: LoopEnd, began: float, before: Stats, status: int | None) -> RunResult:
        parts = self._parts
        stats = parts.stats
        usage = {key: int(n) - int(before.usage.get(key) or 0) for key, n in stats.usage.items()}
        result = RunResult(
            outcome=end.outcome,
            text=end.text,
            usage=usage,
            cost_usd=stats.cost_usd - before.cost_usd,
            turns=stats.turns - before.turns,
            duration_ms=elapsed_ms(began),
            error=end.error,
            error_status=status,
            denials=tuple(parts.denials),
            stop_reason=end.stop_reason,
        )
        sync_later(parts.log)
        parts.bus.emit(
            RunFinished(
                result.outcome,
                result.text,
                usage,
                result.cost_usd,
                result.turns,
                result.duration_ms,
                result.error,
                result.denials,
            )
        )
        return result
