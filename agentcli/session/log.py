"""One session: append an entry so that it survives a kill, load what is there.

``append`` is synchronous: when it returns, the line is with the operating system (see
``line_writer`` for a disk that refuses).
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentcli.base.clock import timestamp_after
from agentcli.base.version import FORMAT_VERSION
from agentcli.protocol.errors import SessionCorrupt
from agentcli.protocol.ids import new_uuid
from agentcli.session.codec import decode_own_line, encode_line
from agentcli.session.entries import Entry, EntryDraft
from agentcli.session.facts import PathFacts
from agentcli.session.in_sight import InSight
from agentcli.session.line_writer import Lines, LineWriter, NoLines
from agentcli.session.reading import read_window
from agentcli.session.tree import conversation, parent_of_next

_SIDE_TYPES = frozenset(
    "file-history-snapshot file-history-delta queue-operation custom-title ai-title tag".split()
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where entries are written from; read anew for every entry."""

    cwd: str
    branch: str | None


class SessionLog:
    """The only memory of a conversation. One writer per file, held by a lock on it.

    ``on_problem`` is told in one line when the disk refuses to take entries. With ``keep`` off
    nothing is written to the disk at all.
    """

    def __init__(
        self,
        path: Path,
        session_id: str,
        place: Callable[[], Place],
        on_problem: Callable[[str], None] = lambda _: None,
        entrypoint: str = "cli",
        *,
        keep: bool = True,
    ) -> None:
        self.file = path
        self.session_id = session_id
        self.bad_lines = 0
        self.facts = PathFacts()
        self._place = place
        self._entrypoint = entrypoint
        self._lines: Lines = LineWriter(path, on_problem) if keep else NoLines()
        self._in_sight = InSight()
        self._path: list[Entry] = []
        self._side: list[Entry] = []
        self._begun = False
        self._title_to_write = ""
        self._stamp = ""

    @classmethod
    def open_existing(
        cls,
        path: Path,
        place: Callable[[], Place],
        on_problem: Callable[[str], None] = lambda _: None,
        entrypoint: str = "cli",
    ) -> "SessionLog":
        """Take the lock of *path* and load its conversation; of a long file only its end is read.

        Raises SessionNotFound, SessionBusy or SessionCorrupt.
        """
        log = cls(path, path.stem, place, on_problem, entrypoint)
        writer = LineWriter(path, on_problem)
        fd = writer.open_existing()
        try:
            window = read_window(fd)
            if not window.entries and not window.bad_lines:
                raise SessionCorrupt(f"{path} is empty: there is nothing to resume.")
        except OSError as error:
            writer.close()
            raise SessionCorrupt(f"Cannot read {path}: {error.strerror}.") from None
        except BaseException:
            writer.close()
            raise
        log._lines, log._begun = writer, True
        log._in_sight = InSight(writer.size)
        log.bad_lines = window.bad_lines
        log._side = [entry for entry in window.entries if entry.type in _SIDE_TYPES]
        if window.partial:
            log._side[:0] = _titles_of(path)
        log._begin(conversation(window.entries))
        for entry in window.entries:
            log.facts.know(entry)
        return log

    @property
    def tool_results(self) -> Path:
        """Folder for output that is too long for the conversation; it need not exist."""
        return self.file.with_suffix("") / "tool-results"

    def path(self) -> Sequence[Entry]:
        """The conversation, root first. The same list grows with every ``append``; another list
        stands here once the conversation has become another one."""
        return self._path

    def side(self, *kinds: str) -> Sequence[Entry]:
        """Entries outside the tree of these types, in their order, as far back as was loaded."""
        return [entry for entry in self._side if entry.type in kinds]

    def append(self, draft: EntryDraft) -> Entry:
        """Write one tree entry and return it; it is on the file before this returns.

        Never raises for a disk that refuses: see ``on_problem``. Raises SessionBusy when the
        file of a new session is already locked.
        """
        return self.append_all([draft])[0]

    def append_all(
        self, drafts: Sequence[EntryDraft], onto: Sequence[Entry] | None = None
    ) -> list[Entry]:
        """Write several tree entries in one go: all of them are on the file, or, where the
        program is killed meanwhile, the first few of them.

        They go on with the conversation *onto* (one of this file) where it is given; a ``root``
        among them begins a new one. Raises as ``append``.
        """
        path = list(onto) if onto is not None else self._path
        lines: list[bytes] = []
        written: list[Entry] = []
        for draft in drafts:
            line = encode_line(self._complete(draft, path, written))
            # Read back, so that memory holds exactly what a resume will find.
            written.append(Entry(decode_own_line(line)))
            lines.append(line)
        self._lines.write(b"".join(lines))
        self._begun = True
        if self._title_to_write:
            title, self._title_to_write = self._title_to_write, ""
            self.rename(title)
        roots = [index for index, draft in enumerate(drafts) if draft.root]
        if roots:
            self._begin(written[roots[-1] :])
        elif onto is not None:
            self._begin([*path, *written])
        else:
            for entry in written:
                self._path.append(entry)
                self.facts.add(entry)
        return written

    def note(self, data: dict[str, Any]) -> None:
        """Write one entry outside the tree (a marker, a title, a checkpoint). Thread-safe."""
        line = encode_line({**data, "sessionId": self.session_id})
        self._lines.write(line)
        if data.get("type") in _SIDE_TYPES:
            self._side.append(Entry(decode_own_line(line)))

    @property
    def title(self) -> str:
        """The name that a person gave the session; "" while it has none."""
        if self._title_to_write:
            return self._title_to_write
        titles = (entry.data.get("customTitle") for entry in reversed(self.side("custom-title")))
        return str(next(titles, "") or "")

    def rename(self, title: str) -> None:
        """Give the session a name; without a prompt there is no file, and it is written later."""
        if self._begun:
            self.note({"type": "custom-title", "customTitle": title})
        else:
            self._title_to_write = title

    def move(self, path: Sequence[Entry]) -> None:
        """The conversation is *path* (of this file) from now on: marked at once, nothing is
        deleted. An empty one begins at a new root."""
        leaf = path[-1].uuid if path else None
        self.note({"type": "last-prompt", "leafUuid": leaf, "explicit": True})
        self._begin(path)

    def keep_in_sight(self, last_prompt: str) -> None:
        """Write again near the end what lists look for there: titles, the last prompt. A title
        that another program gave meanwhile is the title from now on."""
        leaf = self._path[-1].uuid if self._path else None
        self._in_sight.take(self._side)
        foreign, due = self._in_sight.due(self._lines.size, self._lines.read_tail, last_prompt)
        self._side += map(Entry, foreign)
        for data in due:
            marked = {**data, "leafUuid": leaf} if data["type"] == "last-prompt" else data
            self._lines.write(encode_line({**marked, "sessionId": self.session_id}))

    def sync(self) -> None:
        """Ask the disk to keep what was written. Blocking: call it in a thread. Never raises."""
        self._lines.sync()

    def close(self) -> None:
        """Give the file and its lock back. Idempotent; what waits is tried once more."""
        self._lines.close()

    @property
    def unsaved(self) -> int:
        """Writes that the disk has not taken yet."""
        return self._lines.waiting

    def _begin(self, path: Sequence[Entry]) -> None:
        self._path = list(path)
        self.facts.begin(self._path)

    def _complete(
        self, draft: EntryDraft, path: Sequence[Entry], batch: Sequence[Entry]
    ) -> dict[str, Any]:
        place = self._place()
        parent = draft.parent or parent_of_next(path, batch)
        if draft.parent_at is not None:
            parent = batch[draft.parent_at].uuid
        # Some readers take entries of one millisecond for copies of each other.
        self._stamp = timestamp_after(self._stamp)
        data: dict[str, Any] = {
            "parentUuid": None if draft.root else parent,
            "isSidechain": False,
            "type": draft.type,
            **draft.fields,
            "uuid": new_uuid(),
            "timestamp": self._stamp,
            "userType": "external",
            "entrypoint": self._entrypoint,
            "cwd": place.cwd,
            "sessionId": self.session_id,
            "version": FORMAT_VERSION,
        }
        if draft.root and parent is not None:
            data["logicalParentUuid"] = parent
        if place.branch:
            data["gitBranch"] = place.branch
        return data


def _titles_of(path: Path) -> list[Entry]:
    """The name of a session of which only the end was loaded."""
    from agentcli.session.listing import read_info

    info = read_info(path)
    if info is None or not info.named:
        return []
    return [Entry({"type": "custom-title", "customTitle": info.title})]


def sync_later(log: SessionLog) -> threading.Thread:
    """Start ``log.sync`` in a thread of its own, so that no end of a run waits for the disk."""
    thread = threading.Thread(target=log.sync, name="session-sync", daemon=True)
    thread.start()
    return thread
