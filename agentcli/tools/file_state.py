"""What the model has seen of each file, so that an edit never overwrites what it does not know."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Seen:
    """``digest`` of the bytes at the time of the read; ``partial`` if only a part was shown."""

    digest: str
    partial: bool


@dataclass(frozen=True, slots=True)
class LastEdit:
    """The latest edit of a file as it was asked for, and the ``digest`` that it left."""

    request: tuple[str, str]
    digest: str


@dataclass(slots=True)
class FileState:
    """Read state of a session, keyed by the resolved path. Not persisted: rebuilt by reading."""

    seen: dict[Path, Seen] = field(default_factory=dict[Path, Seen])
    edits: dict[Path, LastEdit] = field(default_factory=dict[Path, LastEdit])

    def note(self, path: Path, data: bytes, *, partial: bool = False) -> None:
        """Remember that the model knows *data* as the content of *path* (resolved)."""
        self.seen[path] = Seen(digest_of(data), partial)

    def get(self, path: Path) -> Seen | None:
        """What was seen of *path* (resolved), or None."""
        return self.seen.get(path)

    def note_edit(self, path: Path, data: bytes, request: tuple[str, str]) -> None:
        """Remember *data* as written to *path* (resolved) by the edit *request* (old, new).

        What was shown only in part is still known only in part.
        """
        before = self.seen.get(path)
        self.seen[path] = Seen(digest_of(data), before is not None and before.partial)
        self.edits[path] = LastEdit(request, self.seen[path].digest)

    def last_edit(self, path: Path) -> LastEdit | None:
        """The latest edit of *path* (resolved): asked for again, it is known to be done."""
        return self.edits.get(path)

    def clear(self) -> None:
        """Forget everything: a new conversation knows no file."""
        self.seen.clear()
        self.edits.clear()


def digest_of(data: bytes) -> str:
    """Content hash used to notice outside changes. Pure."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()
