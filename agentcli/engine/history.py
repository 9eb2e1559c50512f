"""The conversation as something one can leave, go back in, copy, shorten and find again."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

from agentcli.engine.adopt import adopt, restore_mode, restore_model
from agentcli.engine.parts import EngineParts
from agentcli.engine.settle import LOST, settle_open_calls
from agentcli.engine.turns import Turns
from agentcli.protocol.errors import SessionError, UsageError
from agentcli.protocol.events import HistoryChanged, RunResult
from agentcli.protocol.history import PromptPoint, RestorePlan, RestoreReport, Rewound, TreeNode
from agentcli.session.catalog import clean_title
from agentcli.session.entries import Entry
from agentcli.session.file_history import DELTA, SNAPSHOT
from agentcli.session.log import SessionLog
from agentcli.session.outline import outline
from agentcli.session.prompt_points import count_commands, prompt_points
from agentcli.session.prompts import checkpoint_of, prompt_of, turn_start
from agentcli.session.reading import read_session
from agentcli.session.tree import conversation_at


class History:
    """Belongs to one engine. A run that is on is ended before the conversation becomes another."""

    def __init__(self, parts: EngineParts, turns: Turns) -> None:
        self._parts = parts
        self._turns = turns
        self._undo: tuple[Sequence[Entry], str] | None = None
        self.previous: Path | None = None
        """The session that ``clear`` left last."""

    @property
    def title(self) -> str:
        """The name that the person gave the session, or ""."""
        return self._parts.log.title

    @property
    def can_undo(self) -> bool:
        """Is there a rewind to take back?"""
        return self._undo is not None

    def entries(self) -> Sequence[Entry]:
        """The conversation, root first."""
        return self._parts.log.path()

    def prompts(self) -> Sequence[PromptPoint]:
        """The prompts that can be gone back to, oldest first."""
        return prompt_points(self._parts.log.path())

    def rename(self, title: str) -> None:
        """Name the session. Raises UsageError for an empty name."""
        name = clean_title(title)
        if not name:
            raise UsageError("say the new name, such as /rename fix the cart total")
        self._parts.log.rename(name)

    # going back

    async def plan_restore(self, entry_id: str) -> RestorePlan:
        """What restoring the files to the prompt *entry_id* would do. Raises UsageError."""
        log, index = self._parts.log, self._index(entry_id)
        commands = count_commands(log.path()[index:])
        checkpoints = self._parts.checkpoints
        if checkpoints is None:
            return RestorePlan(entry_id, (), commands)
        snapshots = log.side(SNAPSHOT, DELTA)
        plan = await asyncio.to_thread(checkpoints.plan, snapshots, self._checkpoint(index))
        return replace(plan, since=entry_id, commands=commands)

    async def rewind(self, entry_id: str, *, conversation: bool, code: bool) -> Rewound:
        """Go back to before the prompt *entry_id*: the files, the conversation, or both.

        Nothing is deleted, and ``undo`` takes it back. Raises UsageError.
        """
        async with self._turns.alone():
            log, index = self._parts.log, self._index(entry_id)
            before, prompt = list(log.path()), prompt_of(log.path()[index])
            report = await self._restore(self._checkpoint(index)) if code else None
            if conversation:
                self._move(before[: turn_start(before, index)])
            self._undo = (before, report.undo if report is not None else "")
        return Rewound(prompt if conversation else "", report)

    async def undo(self) -> RestoreReport | None:
        """Take the last rewind back, the files' part of it too; that can be taken back again, with
        what was changed by hand meanwhile. Raises UsageError without one."""
        async with self._turns.alone():
            if self._undo is None:
                raise UsageError("there is no rewind to undo")
            (path, checkpoint), self._undo = self._undo, None
            before = list(self._parts.log.path())
            report = await self._restore(checkpoint) if checkpoint else None
            if [entry.uuid for entry in path] != [entry.uuid for entry in before]:
                self._move(path)
            self._undo = (before, report.undo if report is not None else "")
            return report

    async def go_to(self, leaf: str) -> None:
        """Go on at the entry *leaf*, on whatever branch it is. Raises UsageError, SessionError."""
        async with self._turns.alone():
            path = conversation_at(await self._read(), leaf)
            if not path:
                raise UsageError("that place is not in this session any more")
            self._undo = (list(self._parts.log.path()), "")
            self._move(path)
            settle_open_calls(self._parts.log, self._parts.bus, LOST)

    # other sessions

    async def clear(self, title: str = "") -> None:
        """Begin a new session; the old one stays and can be resumed. A name that was given to the
        old one is the new one's too, unless *title* is another."""
        async with self._turns.alone():
            old = self._parts.log
            log = self._parts.logs.new()
            if name := clean_title(title) or old.title:
                log.rename(name)
            self.previous = old.file if old.path() else self.previous
            self._change_to(log, "clear")

    async def resume(self, file: Path, *, fork: bool = False) -> None:
        """Go on with the session *file*, or (*fork*) with a copy of it. Raises SessionError, and
        then nothing has changed."""
        if file == self._parts.log.file and not fork:
            return
        logs = self._parts.logs
        if file == self._parts.log.file:
            self._check_saved()
        log = await _opened(
            partial(logs.fork, file, fresh_ids=False) if fork else partial(logs.open, file)
        )
        try:
            async with self._turns.alone():
                self._change_to(log, "resume")
        except asyncio.CancelledError:
            log.close()
            raise

    async def branch(self, title: str = "", at: str | None = None) -> None:
        """Go on in a copy of the conversation, up to the entry *at* where it is given; this
        session stays as it is. What was allowed for the session counts in the copy too.

        Raises UsageError, SessionError.
        """
        async with self._turns.alone():
            log = self._parts.log
            if not log.path():
                raise UsageError("there is no conversation to branch from yet")
            self._check_saved()
            copy = await _opened(
                partial(
                    self._parts.logs.fork,
                    log.file,
                    fresh_ids=True,
                    upto=at or log.path()[-1].uuid,
                    title=clean_title(title) or None,
                )
            )
            self._change_to(copy, "branch")

    async def tree(self) -> Sequence[TreeNode]:
        """Every branch of the session. Raises SessionError."""
        if not self._parts.log.path() and not self._parts.log.file.exists():
            return ()
        here = self._parts.log.path()
        entries = await self._read()
        return await asyncio.to_thread(outline, entries, [entry.uuid for entry in here])

    # shorter

    async def compact(self, focus: str = "") -> RunResult:
        """Put a summary in the conversation's place, with an eye on *focus*; the result's text says
        what became of it. Raises UsageError where there is too little to shorten."""
        return await self._shorten(lambda: self._turns.runner.compact(focus))

    async def summarize(
        self, entry_id: str, side: Literal["from", "up_to"], focus: str = ""
    ) -> RunResult:
        """Put a summary in the place of what comes from the prompt *entry_id* on, or of what stands
        before it. Raises UsageError."""
        return await self._shorten(lambda: self._turns.runner.summarize(entry_id, side, focus))

    async def _shorten(self, job: Callable[[], Awaitable[RunResult]]) -> RunResult:
        if self._turns.running:
            raise UsageError("a turn is on; wait for its end, or stop it with esc")
        result = await self._turns.run(job)
        if result.outcome == "success":
            self._undo = None
        return result

    def _index(self, entry_id: str) -> int:
        for index, entry in enumerate(self._parts.log.path()):
            if entry.uuid == entry_id:
                return index
        raise UsageError("that prompt is not in this conversation any more")

    def _checkpoint(self, index: int) -> str:
        """The checkpoint of the prompt at *index*, or of the next that has one: a prompt that was
        stopped at once has none."""
        log = self._parts.log
        known = {entry.data.get("messageId") for entry in log.side(SNAPSHOT, DELTA)}
        names = map(checkpoint_of, log.path()[index:])
        return next((name for name in names if name in known), "")

    def _move(self, path: Sequence[Entry]) -> None:
        parts = self._parts
        parts.log.move(path)
        parts.files.clear()
        parts.stats.show_context(parts.log.path())
        leaf = path[-1].uuid if path else None
        parts.bus.emit(HistoryChanged("rewind", parts.log.session_id, leaf))

    async def _restore(self, checkpoint: str) -> RestoreReport | None:
        checkpoints = self._parts.checkpoints
        if checkpoints is None:
            return None

        def restore() -> RestoreReport:
            snapshots = self._parts.log.side(SNAPSHOT, DELTA)
            return checkpoints.restore(snapshots, checkpoints.plan(snapshots, checkpoint))

        return await asyncio.to_thread(restore)

    async def _read(self) -> list[Entry]:
        self._check_saved()
        window = await asyncio.to_thread(read_session, self._parts.log.file)
        return window.entries

    def _check_saved(self) -> None:
        if self._parts.log.unsaved:
            raise SessionError("the disk does not take the session now; make room and try again")

    def _change_to(self, log: SessionLog, reason: Literal["clear", "resume", "branch"]) -> None:
        self._undo = None
        if reason == "resume":
            restore_model(self._parts, log)
        adopt(self._parts, log)
        if reason == "resume":
            restore_mode(log, self._parts.gate)
        self._parts.bus.emit(HistoryChanged(reason, log.session_id))


async def _opened(make: Callable[[], SessionLog]) -> SessionLog:
    """What *make* opens, in a thread; where nobody waits for it any more, it is given back."""
    job = asyncio.ensure_future(asyncio.to_thread(make))
    try:
        return await asyncio.shield(job)
    except asyncio.CancelledError:
        job.add_done_callback(_give_back)
        raise


def _give_back(job: asyncio.Future[SessionLog]) -> None:
    if not job.cancelled() and job.exception() is None:
        job.result().close()
