"""Scripted fakes of the engine's history and of the catalog of sessions: they record every call."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from agentcli.protocol.errors import AgentCliError, SessionBusy
from agentcli.protocol.events import Compacted, Compacting, Event, PromptAdded
from agentcli.protocol.history import (
    PromptPoint,
    RestorePlan,
    RestoreReport,
    Rewound,
    SessionInfo,
    TreeNode,
)
from agentcli.protocol.prompts import Prompt
from agentcli.session.entries import Entry

Reason = Literal["clear", "resume", "rewind", "branch"]


@dataclass
class FakeHistory:
    """What the window asks for is in ``calls``: (method, arguments…). ``fails`` maps a method to
    the error that it raises. ``change`` makes the conversation another one: it gets the reason, the
    session id (None: the same one) and what the replay is from then on."""

    emit: Callable[[Event], None]
    change: (
        "Callable[[Literal['clear', 'resume', 'rewind', 'branch'], str | None, list[Event]], None]"
    )
    calls: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    fails: dict[str, AgentCliError] = field(default_factory=dict[str, AgentCliError])
    title: str = ""
    previous: Path | None = None
    can_undo: bool = False
    points: list[PromptPoint] = field(default_factory=list[PromptPoint])
    plan: RestorePlan = field(default_factory=lambda: RestorePlan(""))
    report: RestoreReport | None = None
    """What restoring files reports."""
    returns: Prompt = ""
    """The prompt that a rewind of the conversation brings back; else that of the point."""
    nodes: list[TreeNode] = field(default_factory=list[TreeNode])
    pasts: dict[str, list[Event]] = field(default_factory=dict[str, list[Event]])
    """What is replayed after a resume (by the file's stem), or after a rewind or a walk in the tree
    (by the entry's id)."""
    busy: set[Path] = field(default_factory=set[Path])
    """Files that another process writes."""
    exported: list[Entry] = field(default_factory=list[Entry])

    def _called(self, *call: Any) -> None:
        self.calls.append(call)
        if error := self.fails.get(str(call[0])):
            raise error

    def prompts(self) -> Sequence[PromptPoint]:
        self._called("prompts")
        return self.points

    async def plan_restore(self, entry_id: str) -> RestorePlan:
        self._called("plan_restore", entry_id)
        return replace(self.plan, since=entry_id)

    async def rewind(self, entry_id: str, *, conversation: bool, code: bool) -> Rewound:
        self._called("rewind", entry_id, conversation, code)
        prompt: Prompt = ""
        if conversation:
            texts = [point.text for point in self.points if point.entry_id == entry_id]
            prompt = self.returns or "".join(texts)
            self.change("rewind", None, self.pasts.get(entry_id, []))
        self.can_undo = True
        return Rewound(prompt, self.report if code else None)

    async def undo(self) -> RestoreReport | None:
        self._called("undo")
        self.can_undo = False
        self.change("rewind", None, self.pasts.get("undo", []))
        return self.report

    async def summarize(
        self, entry_id: str, side: Literal["from", "up_to"], focus: str = ""
    ) -> None:
        self._called("summarize", entry_id, side, focus)
        self.emit(Compacting("manual"))
        self.emit(Compacted("manual", 82_000, 6_000, "what was said before", side))

    async def compact(self, focus: str = "") -> None:
        self._called("compact", focus)
        self.emit(Compacting("manual"))
        self.emit(Compacted("manual", 82_000, 6_000, "what was said before"))

    async def clear(self, title: str = "") -> None:
        self._called("clear", title)
        self.title, self.previous = title, Path("/code/s1.jsonl")
        self.change("clear", "s2", [])

    async def resume(self, file: Path, *, fork: bool = False) -> None:
        self._called("resume", file, fork)
        if file in self.busy and not fork:
            raise SessionBusy(f"{file} is written by another agentcli; close it there")
        self.change("resume", "fork" if fork else file.stem, self.pasts.get(file.stem, []))

    async def branch(self, title: str = "", at: str | None = None) -> None:
        self._called("branch", title, at)
        self.title = title
        self.change("branch", "branch", self.pasts.get(at or "branch", []))

    def rename(self, title: str) -> None:
        self._called("rename", title)
        self.title = title

    async def tree(self) -> Sequence[TreeNode]:
        self._called("tree")
        return self.nodes

    async def go_to(self, leaf: str) -> None:
        self._called("go_to", leaf)
        self.change("rewind", None, self.pasts.get(leaf, []))

    def entries(self) -> Sequence[Entry]:
        """The conversation that an export writes."""
        return self.exported


@dataclass
class FakeCatalog:
    """``gate``: nothing is read before it is set."""

    sessions: list[SessionInfo] = field(default_factory=list[SessionInfo])
    """Those of this project."""
    elsewhere: list[SessionInfo] = field(default_factory=list[SessionInfo])
    previews: dict[str, list[Event]] = field(default_factory=dict[str, list[Event]])
    """The last events of a session by its id; else its first and last prompt."""
    busy: set[str] = field(default_factory=set[str])
    """Ids of sessions that are in use."""
    calls: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    gate: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.gate.set()

    def list(self, everywhere: bool = False) -> Sequence[SessionInfo]:
        self.calls.append(("list", everywhere))
        self.gate.wait(5)
        return [*self.sessions, *(self.elsewhere if everywhere else ())]

    def preview(self, info: SessionInfo) -> Sequence[Event]:
        self.calls.append(("preview", info.id))
        self.gate.wait(5)
        told = [PromptAdded("p", text) for text in (info.first_prompt, info.last_prompt) if text]
        return self.previews.get(info.id, list(told))

    def rename(self, info: SessionInfo, title: str) -> None:
        self.calls.append(("rename", info.id, title))
        named = replace(info, title=title, named=True)
        self.sessions = [named if one.id == info.id else one for one in self.sessions]
        self.elsewhere = [named if one.id == info.id else one for one in self.elsewhere]

    def delete(self, info: SessionInfo) -> None:
        self.calls.append(("delete", info.id))
        if info.id in self.busy:
            raise SessionBusy(f"{info.title} is in use; leave it first")
        self.sessions = [one for one in self.sessions if one.id != info.id]
        self.elsewhere = [one for one in self.elsewhere if one.id != info.id]
