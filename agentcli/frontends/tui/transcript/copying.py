"""What ``/copy`` offers: an answer of the model as it was written, and its code blocks."""

from collections.abc import Sequence
from typing import NamedTuple

from agentcli.base.text import one_line
from agentcli.frontends.tui.transcript.answer import AnswerEntry
from agentcli.frontends.tui.transcript.code_blocks import code_blocks
from agentcli.frontends.tui.transcript.entries import Entry

_SHOWN = 60


class CopyChoice(NamedTuple):
    """*label* says in a line what *text* is."""

    label: str
    text: str


def copy_choices(entries: Sequence[Entry], which: int = 1) -> list[CopyChoice]:
    """The *which*-last answer (1: the last) as Markdown, then each of its code blocks; empty where
    there are not so many answers. Pure."""
    left = which
    for entry in reversed(entries):
        if not isinstance(entry, AnswerEntry) or not entry.source.strip():
            continue
        left -= 1
        if left == 0:
            return _choices(entry.source.strip("\n"))
    return []


def _choices(source: str) -> list[CopyChoice]:
    choices = [CopyChoice(f"whole answer · {_lines(source)}", source)]
    for block in code_blocks(source):
        first = next((line for line in block.code.split("\n") if line.strip()), "")
        parts = [block.language or "code", _lines(block.code), one_line(first.strip(), _SHOWN)]
        choices.append(CopyChoice(" · ".join(part for part in parts if part), block.code))
    return choices


def _lines(text: str) -> str:
    count = text.count("\n") + 1
    return f"{count:,} line{'' if count == 1 else 's'}"
