"""One `match` from what the engine says to what the window shows. No behaviour of its own."""

from collections.abc import Sequence
from time import monotonic
from typing import Any, Protocol, assert_never, cast

from agentcli.frontends.tui.ask_view import AskView
from agentcli.frontends.tui.block_view import BlockView
from agentcli.frontends.tui.status.facts import PhaseKind
from agentcli.frontends.tui.status.line import StatusLine
from agentcli.frontends.tui.transcript.compact_entry import CompactEntry
from agentcli.frontends.tui.transcript.entries import NoticeEntry
from agentcli.frontends.tui.transcript.speech import PromptEntry
from agentcli.frontends.tui.transcript.tool_entry import ToolEntry
from agentcli.frontends.tui.transcript.view import Transcript
from agentcli.protocol.asks import Deny
from agentcli.protocol.events import (
    Answered,
    Asked,
    BlockDelta,
    BlockDropped,
    BlockFinished,
    BlockStarted,
    Compacted,
    Compacting,
    Event,
    HistoryChanged,
    Level,
    MessageFinished,
    MessageStarted,
    ModelRaw,
    Notice,
    PromptAdded,
    RequestStarted,
    Retrying,
    RunFinished,
    RunStarted,
    StateChanged,
    ToolFinished,
    ToolProgress,
    ToolStarted,
)

BlockEvent = BlockStarted | BlockDelta | BlockFinished | BlockDropped
CallEvent = ToolStarted | ToolProgress | ToolFinished
RunEvent = RunStarted | RequestStarted | Retrying | MessageStarted | MessageFinished | RunFinished
StateEvent = StateChanged | HistoryChanged
NoteEvent = Notice | Compacting | Compacted
AnyEvent = (
    BlockEvent
    | CallEvent
    | RunEvent
    | StateEvent
    | NoteEvent
    | PromptAdded
    | Asked
    | Answered
    | ModelRaw
)
"""Every event there is; a test compares it with the subclasses of ``Event``."""

_WAITING = "waiting for the model"
_SUMMARISING = "summarising the conversation"
_OUTCOMES: dict[str, tuple[Level, str]] = {
    "interrupted": ("info", "interrupted"),
    "max_turns": ("warning", "stopped: the turn limit was reached; send a prompt to go on"),
    "budget": ("warning", "stopped: the budget is spent"),
    "hook_stopped": ("warning", "stopped by a hook"),
    "refused": ("warning", "the model refused to go on"),
}


def prompt_text(event: Event) -> str:
    """The words of a prompt; "" for any other event. Pure."""
    content = event.content if isinstance(event, PromptAdded) else ""
    return content if isinstance(content, str) else ""


class Stage(Protocol):
    """What only the app can show."""

    def history_changed(self, event: HistoryChanged) -> None: ...

    def show_queue(self, prompts: tuple[str, ...]) -> None: ...

    def show_state(self) -> None: ...


class EventView:
    """Shows events; what only the app can show goes to its *stage*."""

    def __init__(
        self,
        transcript: Transcript,
        status: StatusLine,
        asks: AskView,
        stage: Stage,
    ) -> None:
        self._transcript = transcript
        self._status = status
        self.asks = asks
        self._stage = stage
        self.blocks = BlockView(transcript)
        self._asking: dict[str, ToolEntry] = {}
        self._streamed = 0
        """Characters of the message that is arriving."""
        self._counted = 0
        """Output tokens of the run's finished messages."""
        self._replaying = self._in_run = self._compacting = False
        self._stopped_by_no = False
        """The person's answer to a question ends the run."""

    def reset(self, cwd: str) -> None:
        """Forget all entries: the transcript is empty. Paths below *cwd* are shown short."""
        self.blocks.reset()
        self.blocks.cwd = cwd
        self._asking.clear()

    def replay(self, events: Sequence[Event]) -> None:
        """Draw a conversation that happened before: no clock, no phase."""
        self._replaying = True
        try:
            for event in events:
                self.apply(event)
        finally:
            self._replaying = False

    def apply(self, event: Event) -> None:
        """Show one event. What a subagent says is not part of this conversation's text."""
        known = cast("AnyEvent", event)
        if known.scope is not None and not isinstance(known, Asked | Answered | Notice):
            return
        match known:
            case BlockStarted() | BlockDelta() | BlockFinished() | BlockDropped():
                self._block(known)
            case ToolStarted() | ToolProgress() | ToolFinished():
                self._call(known)
            case PromptAdded():
                self._transcript.add(PromptEntry(known.content, known.attached))
                if not self._replaying:
                    self._transcript.go_end()
            case Asked():
                self._asked(known)
            case Answered():
                self._answered(known)
            case Notice() | Compacting() | Compacted():
                self._note(known)
            case StateChanged() | HistoryChanged():
                self._state(known)
            case (
                RunStarted()
                | RequestStarted()
                | Retrying()
                | MessageStarted()
                | MessageFinished()
                | RunFinished()
            ):
                self._run(known)
            case ModelRaw():
                pass
            case _:
                assert_never(known)

    def _state(self, event: StateEvent) -> None:
        if isinstance(event, HistoryChanged):
            self._stage.history_changed(event)
            return
        if event.what == "queue":
            self._stage.show_queue(tuple(str(prompt) for prompt in event.value))
        self._stage.show_state()

    def _note(self, event: NoteEvent) -> None:
        if isinstance(event, Compacting):
            self._compacting = True
            # outside of a run nothing has set the clock
            begin: dict[str, Any] = {} if self._in_run else {"since": monotonic(), "tokens": 0}
            self._phase(_SUMMARISING, **begin)
            return
        if isinstance(event, Notice):
            self._transcript.add(NoticeEntry(event.level, event.text))
        else:
            self._transcript.add(CompactEntry(event))
            self._stage.show_state()
        if self._compacting:
            # the summary is there, or it will not come
            self._compacting = False
            self._phase(_WAITING if self._in_run else "")

    def _block(self, event: BlockEvent) -> None:
        match event:
            case BlockStarted():
                self.blocks.start(event)
                writing = f"writing {event.name}" if event.name else "writing"
                self._phase("thinking" if "thinking" in event.kind else writing)
            case BlockDelta():
                self.blocks.grow(event)
                self._streamed += len(event.text)
                # characters to tokens, roughly; the true figure comes with the message's end
                self._status.count_quietly(self._counted + self._streamed // 4)
            case BlockFinished():
                self.blocks.finish(event, timed=not self._replaying)
            case BlockDropped():
                self.blocks.drop(event)
            case _:
                assert_never(event)

    def _call(self, event: CallEvent) -> None:
        match event:
            case ToolStarted():
                self.blocks.run(event)
                self._work_phase()
            case ToolProgress():
                self.blocks.progress(event)
            case ToolFinished():
                self.blocks.end(event)
                self._work_phase()
            case _:
                assert_never(event)

    def _asked(self, event: Asked) -> None:
        tool = self.blocks.tool(event.request.call)
        tool.state = "asking"
        self._asking[event.ask_id] = tool
        self._transcript.changed(tool)
        self._transcript.flush()
        self._phase("waiting for your answer", kind="ask")
        self.asks.arrived(event.ask_id)

    def _answered(self, event: Answered) -> None:
        tool = self._asking.pop(event.ask_id, None)
        if tool is not None and tool.state == "asking":
            tool.state = "waiting"
            self._transcript.changed(tool)
        self._stopped_by_no = isinstance(event.reply, Deny) and event.reply.stop_run
        self._work_phase()

    def _run(self, event: RunEvent) -> None:
        match event:
            case RunStarted():
                self._streamed = self._counted = 0
                self._stopped_by_no, self._in_run = False, True
                self._phase(_WAITING, since=monotonic(), tokens=0)
            case RequestStarted():
                self._phase(_WAITING)
            case Retrying():
                self._status.facts = self._status.facts._replace(attempt=event.attempt)
                reason = event.reason.split(": ")[0].split(". ")[0]  # advice is for the end
                told = _SUMMARISING if self._compacting else reason
                self._phase(told, retry_at=monotonic() + event.delay)
            case MessageStarted():
                self._phase(_WAITING)
            case MessageFinished():
                self._counted += int(event.usage.get("output_tokens") or 0)
                self._streamed = 0
                if not self._replaying:
                    self._stage.show_state()
            case RunFinished():
                self._run_finished(event)
            case _:
                assert_never(event)

    def _run_finished(self, event: RunFinished) -> None:
        self.blocks.end_run()
        self._in_run = self._compacting = False
        if event.outcome == "error":
            self._transcript.add(NoticeEntry("error", event.error or "the turn failed"))
        elif self._stopped_by_no and event.outcome == "interrupted":
            self._transcript.add(NoticeEntry("info", "stopped: not approved", "■"))
        elif event.outcome in _OUTCOMES:
            level, text = _OUTCOMES[event.outcome]
            self._transcript.add(NoticeEntry(level, text, "■"))
        self._status.tell(event.outcome == "error", phase="", retry_at=0.0, tokens=0)
        self._stage.show_state()

    def _work_phase(self) -> None:
        titles = list(self.blocks.running.values())
        self._phase(
            titles[0] if len(titles) == 1 else f"{len(titles)} calls" if titles else _WAITING,
            kind="tool" if titles else "model",
        )

    def _phase(
        self,
        text: str,
        since: float | None = None,
        tokens: int | None = None,
        retry_at: float = 0,
        kind: PhaseKind = "model",
    ) -> None:
        if self._replaying:
            return
        changes: dict[str, Any] = {}
        if since is not None:
            changes["since"] = since
        if tokens is not None:
            changes["tokens"] = tokens
        self._status.tell(False, phase=text, phase_kind=kind, retry_at=retry_at, **changes)
