"""Entries that change how others are sent: where the frozen prefix was noted, what is left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agentcli.base.values import as_dict, as_list
from agentcli.session.entries import Entry, EntryDraft, attachment_draft

PREFIX_KIND = "prompt_prefix"
LEFT_OUT_KIND = "left_out"


@dataclass(frozen=True, slots=True)
class Marks:
    """``prefix_at`` is the index of the newest note of the prefix (-1: none); thinking before it
    was made under another one. ``left_out``: entries whose images and documents the API refused."""

    prefix_at: int = -1
    left_out: frozenset[str] = frozenset()


def read_marks(path: Sequence[Entry], start: int = 0, before: Marks | None = None) -> Marks:
    """The marks of *path*, of which *before* holds those up to *start*. Pure."""
    marks = before or Marks()
    for index in range(start, len(path)):
        entry = path[index]
        if entry.type != "attachment":
            continue
        note = _attachment(entry)
        if note.get("type") == PREFIX_KIND:
            marks = Marks(index, marks.left_out)
        elif note.get("type") == LEFT_OUT_KIND:
            names = map(str, as_list(note.get("entries")))
            marks = Marks(marks.prefix_at, marks.left_out.union(names))
    return marks


def noted_prefix(path: Sequence[Entry]) -> str:
    """The hash of the prefix that *path* was last sent under, "" where none is noted. Pure."""
    at = read_marks(path).prefix_at
    return str(_attachment(path[at]).get("hash", "")) if at >= 0 else ""


def left_out_draft(entries: Sequence[Entry]) -> EntryDraft:
    """The note that the images and documents of *entries* are not sent any more. Pure."""
    return attachment_draft(LEFT_OUT_KIND, entries=[entry.uuid for entry in entries])


def is_left_out_note(entry: Entry) -> bool:
    """True for what ``left_out_draft`` made. Pure."""
    return entry.type == "attachment" and _attachment(entry).get("type") == LEFT_OUT_KIND


def _attachment(entry: Entry) -> dict[str, Any]:
    return as_dict(entry.data.get("attachment"))
