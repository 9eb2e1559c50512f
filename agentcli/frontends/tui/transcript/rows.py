"""Rows: finished lines of the transcript, and the wrapping that makes them."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

Run = tuple[str, Style]
GUTTER = 2
MAX_TEXT = 100

_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_WIDE = "\u1100-\u115f\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60\U0001f300-\U0001faff"
_WORD = re.compile(f"[{_WIDE}]\\s*|[^\\s{_WIDE}]+\\s*|\\s+")


class Row(NamedTuple):
    """One line on the screen.

    ``skip`` cells at its left are not text (gutter, line numbers). ``glue`` is what joins it to
    the row above when copied: None for a real line break, else "" or " " for a wrapped line.
    """

    strip: Strip
    skip: int = GUTTER
    glue: str | None = None


class Span(NamedTuple):
    """A piece of a logical line that fits; ``glue`` as in `Row`."""

    start: int
    end: int
    glue: str | None


def text_width(width: int) -> int:
    """Columns for prose on a screen *width* wide. Pure."""
    return max(1, min(width - 4, MAX_TEXT))


def wrap_spans(text: str, width: int) -> list[Span]:
    """Where to cut one line of *text* so that every piece fits *width* cells. Pure."""
    if len(text) * 2 <= width or cell_len(text) <= width:
        return [Span(0, len(text), None)]
    spans: list[Span] = []
    start = position = used = 0
    glue: str | None = None
    for match in _WORD.finditer(text):
        word = match.group()
        bare = cell_len(word.rstrip())
        if used and used + bare > width:
            cut = start + len(text[start:position].rstrip())
            spans.append(Span(start, cut, glue))
            glue = " " if cut < position else ""
            start, used = position, 0
        if bare > width:
            for offset in _hard_cuts(word, width):
                spans.append(Span(start, position + offset, glue))
                start, glue = position + offset, ""
            used = cell_len(text[start : match.end()])
        else:
            used += cell_len(word)
        position = match.end()
    spans.append(Span(start, len(text), glue))
    return spans


def hard_spans(text: str, width: int) -> list[Span]:
    """As `wrap_spans`, but cut at the cell, keeping every space: for code. Pure."""
    if len(text) * 2 <= width or cell_len(text) <= width:
        return [Span(0, len(text), None)]
    spans: list[Span] = []
    start = 0
    for cut in _hard_cuts(text, width):
        spans.append(Span(start, cut, "" if spans else None))
        start = cut
    spans.append(Span(start, len(text), "" if spans else None))
    return spans


def _hard_cuts(text: str, width: int) -> list[int]:
    cuts: list[int] = []
    if text.isascii():
        return list(range(width, len(text), width))
    used = 0
    for index, char in enumerate(text):
        cells = cell_len(char)
        if used + cells > width and used:
            cuts.append(index)
            used = 0
        used += cells
    return cuts


def slice_runs(runs: Sequence[Run], start: int, end: int) -> list[Run]:
    """The characters *start* to *end* of *runs*. Pure."""
    found: list[Run] = []
    position = 0
    for text, style in runs:
        after = position + len(text)
        if after > start and position < end:
            piece = text[max(0, start - position) : end - position]
            if piece:
                found.append((piece, style))
        position = after
        if position >= end:
            break
    return found


def make_row(runs: Iterable[Run], skip: int = GUTTER, glue: str | None = None) -> Row:
    """A row out of styled text, without the controls that turn the reading direction: a terminal
    that obeys them would show an address or a name as another one. Pure."""
    segments = [
        Segment(text if text.isascii() else _TURNS.sub("", text), style)
        for text, style in runs
        if text
    ]
    return Row(Strip(segments, sum(segment.cell_length for segment in segments)), skip, glue)


def blank_row() -> Row:
    """An empty line."""
    return Row(Strip([], 0), 0)


def wrap_runs(
    runs: Sequence[Run], width: int, first: Sequence[Run], rest: Sequence[Run]
) -> list[Row]:
    """Wrap styled text; the first row starts with *first*, the others with *rest*. Pure.

    *width* is the room without the prefixes. A line break in the text starts a new line.
    """
    rows: list[Row] = []
    for line in split_lines(runs):
        text = "".join(piece for piece, _ in line)
        for span in wrap_spans(text, max(1, width)):
            prefix = rest if rows else first
            rows.append(
                make_row([*prefix, *slice_runs(line, span.start, span.end)], GUTTER, span.glue)
            )
    return rows


def split_lines(runs: Sequence[Run]) -> list[list[Run]]:
    """Cut *runs* at line breaks. Pure."""
    lines: list[list[Run]] = [[]]
    for text, style in runs:
        first, *others = text.split("\n")
        if first:
            lines[-1].append((first, style))
        for piece in others:
            lines.append([(piece, style)] if piece else [])
    return lines


def pad_row(row: Row, width: int, style: Style) -> Row:
    """*row* filled up to *width* cells with *style*, or cut to it. Pure."""
    missing = width - row.strip.cell_length
    if missing > 0:
        segments = [*row.strip, Segment(" " * missing, style)]
        return row._replace(strip=Strip(segments, width))
    return row._replace(strip=row.strip.crop(0, width)) if missing < 0 else row


def fit(text: str, width: int) -> str:
    """*text* in at most *width* cells, the end replaced by an ellipsis where it is cut. Pure."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(0, width - 1)).rstrip() + "…" if width > 0 else ""
