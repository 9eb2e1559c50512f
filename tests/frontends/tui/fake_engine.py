"""A scripted engine for the window's tests: plays events, records what the window asked of it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from agentcli.engine.asking import Asker
from agentcli.protocol.asks import AskReply, AskRequest
from agentcli.protocol.blocks import Block
from agentcli.protocol.calls import ToolCall, ToolResult
from agentcli.protocol.errors import UsageError
from agentcli.protocol.events import (
    Answered,
    Asked,
    BlockDelta,
    BlockFinished,
    BlockStarted,
    Event,
    HistoryChanged,
    MessageFinished,
    MessageStarted,
    PromptAdded,
    RequestStarted,
    RunFinished,
    RunResult,
    RunStarted,
    StateChanged,
    ToolFinished,
    ToolStarted,
)
from agentcli.protocol.ids import new_uuid
from agentcli.protocol.modes import PERMISSION_MODES, Outcome, PermissionMode
from agentcli.protocol.payload import Usage
from agentcli.protocol.prompts import SHELL_CALL, Prompt, Queued
from tests.frontends.tui.fake_history import FakeCatalog, FakeHistory, Reason


class FakeStream:
    """A queue of events that ends when closed."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue()

    def push(self, event: Event) -> None:
        self._queue.put_nowait(event)

    def close(self) -> None:
        self._queue.put_nowait(None)

    async def __aiter__(self) -> AsyncIterator[Event]:
        while (event := await self._queue.get()) is not None:
            yield event


@dataclass
class FakeStats:
    total_cost_usd: float = 0.0
    context_tokens: int = 0
    context_window: int = 200_000
    exceeds_200k_tokens: bool = False
    current_usage: Usage | None = None
    usage: Usage = field(default_factory=dict[str, int])
    duration_ms: int = 0
    api_ms: int = 0
    lines_added: int = 0
    lines_removed: int = 0


@dataclass
class FakeEngine:
    """``script`` plays the answer to a prompt with the helpers below."""

    asker: Asker
    script: Callable[["FakeEngine", str], Awaitable[None]]
    cwd: Path = Path("/code/shop")
    home: Path = Path("/code")
    project_dir: Path = Path("/code/shop")
    added_dirs: tuple[Path, ...] = ()
    session_id: str = "s1"
    transcript_path: Path = Path("/code/s1.jsonl")
    mode: PermissionMode = "default"
    model: str = "claude-sonnet-5-5"
    effort: str | None = None
    stats: FakeStats = field(default_factory=FakeStats)
    running: bool = False
    prompts: list[str] = field(default_factory=list[str])
    """The words of all prompts that were run, ``!`` before a shell command."""
    sent: list[Queued] = field(default_factory=list[Queued])
    """The same as they were sent, images included."""
    queue: list[Queued] = field(default_factory=list[Queued])
    past: list[Event] = field(default_factory=list[Event])
    """What is replayed."""
    history: FakeHistory = field(init=False)
    catalog: FakeCatalog = field(default_factory=FakeCatalog)
    replies: list[AskReply] = field(default_factory=list[AskReply])
    shell_result: ToolResult = field(default_factory=lambda: ToolResult("ok"))
    """What every shell command prints."""
    closed: bool = False
    _streams: list[FakeStream] = field(default_factory=list[FakeStream])
    _task: "asyncio.Task[None] | None" = None
    _serial: int = 0

    def __post_init__(self) -> None:
        self.history = FakeHistory(self.emit, self.become)

    # the interface of the engine

    def subscribe(self) -> FakeStream:
        stream = FakeStream()
        self._streams.append(stream)
        return stream

    async def prompt(self, content: Prompt) -> RunResult | None:
        return await self._run_or_queue(Queued(content))

    async def shell(self, command: str) -> RunResult | None:
        return await self._run_or_queue(Queued(command, shell=True))

    def interrupt(self) -> bool:
        if self._task is None or self._task.done():
            return False
        self._task.cancel()
        return True

    def queued(self) -> tuple[Queued, ...]:
        return tuple(self.queue)

    def take_back(self) -> Queued | None:
        return self.remove(len(self.queue) - 1)

    def remove(self, index: int) -> Queued | None:
        if not 0 <= index < len(self.queue):
            return None
        item = self.queue[index]
        self._set_queue([*self.queue[:index], *self.queue[index + 1 :]])
        return item

    def set_mode(self, mode: PermissionMode) -> None:
        if mode == "bypassPermissions":
            raise UsageError("bypassPermissions must be chosen at the start")
        self.mode = mode
        self.emit(StateChanged("mode", mode))

    def cycle_mode(self) -> PermissionMode:
        self.mode = PERMISSION_MODES[(PERMISSION_MODES.index(self.mode) + 1) % 3]
        self.emit(StateChanged("mode", self.mode))
        return self.mode

    def set_model(self, name: str) -> None:
        if name == "nonsense":
            raise UsageError("unknown model nonsense")
        self.model = name
        self.emit(StateChanged("model", name))

    def set_effort(self, level: str | None) -> None:
        if level == "nonsense":
            raise UsageError("unknown effort nonsense")
        self.effort = level
        self.emit(StateChanged("effort", level))

    async def warm_up(self) -> None:
        """Nothing to connect to."""

    def replay(self) -> list[Event]:
        return list(self.past)

    async def aclose(self) -> None:
        self.closed = True

    # helpers for scripts

    def become(self, reason: Reason, session_id: str | None, past: list[Event]) -> None:
        """The conversation is another one."""
        self.session_id = session_id or self.session_id
        self.past = list(past)
        self.emit(HistoryChanged(reason, self.session_id))

    def emit(self, event: Event) -> None:
        for stream in self._streams:
            stream.push(event)

    async def say(self, text: str, chunk: int = 8, pause: float = 0.0) -> None:
        await self._block({"type": "text", "text": text}, "text", text, chunk, pause)

    async def think(self, text: str, chunk: int = 8, pause: float = 0.0) -> None:
        block: Block = {"type": "thinking", "thinking": text, "signature": "s"}
        await self._block(block, "thinking", text, chunk, pause)

    async def call(
        self,
        name: str,
        given: dict[str, object],
        result: ToolResult,
        ms: int = 20,
        pause: float = 0,
    ) -> None:
        call = self.announce(name, given)
        self.emit(ToolStarted(call))
        await asyncio.sleep(pause)
        self.emit(ToolFinished(call, result, "e", ms))

    def announce(self, name: str, given: dict[str, object]) -> ToolCall:
        self._serial += 1
        call = ToolCall(f"call{self._serial}", name, dict(given))
        key = (f"m{self._serial}", 0)
        self.emit(BlockStarted(*key, "tool_use", name))
        block: Block = {"type": "tool_use", "id": call.id, "name": name, "input": call.input}
        self.emit(BlockFinished(*key, block, "e"))
        return call

    async def ask(self, request: AskRequest) -> AskReply | None:
        ask_id = new_uuid()
        self.emit(Asked(ask_id, request))
        reply: AskReply | None = None
        try:
            reply = await self.asker.ask(ask_id, request)
            self.replies.append(reply)
        finally:
            self.emit(Answered(ask_id, reply, "user"))
        return reply

    async def _block(self, block: Block, kind: str, text: str, chunk: int, pause: float) -> None:
        self._serial += 1
        key = (f"m{self._serial}", 0)
        self.emit(MessageStarted(key[0], self.model))
        self.emit(BlockStarted(*key, kind))
        for at in range(0, len(text), chunk):
            self.emit(BlockDelta(*key, kind, text[at : at + chunk]))
            await asyncio.sleep(pause)
        self.emit(BlockFinished(*key, block, "e"))
        self.emit(MessageFinished(key[0], "end_turn", {"output_tokens": len(text) // 4}))

    async def _run_or_queue(self, item: Queued) -> RunResult | None:
        if self.running:
            self._set_queue([*self.queue, item])
            return None
        self.running = True
        outcome = await self._run(item)
        while self.queue:
            item, *rest = self.queue
            self._set_queue(rest)
            outcome = await self._run(item)
        self.running = False
        return RunResult(outcome, "")

    async def _run(self, item: Queued) -> Outcome:
        self.prompts.append(item.text)
        self.sent.append(item)
        self.emit(RunStarted(new_uuid()))
        if item.shell:
            call = ToolCall(new_uuid(), SHELL_CALL, {"command": item.content})
            self.emit(ToolStarted(call))
            self.emit(ToolFinished(call, self.shell_result, "e", 20))
        else:
            self.emit(PromptAdded("e", item.content))
        self.emit(RequestStarted(self.model))
        outcome: Outcome = "success"
        self._task = asyncio.ensure_future(self.script(self, item.text))
        try:
            await self._task
        except asyncio.CancelledError:
            outcome = "interrupted"
        self.emit(RunFinished(outcome, "", {}, 0.0, 1, 10))
        return outcome

    def _set_queue(self, items: list[Queued]) -> None:
        self.queue = items
        self.emit(StateChanged("queue", tuple(item.label for item in items)))
