"""Rows: finished lines of the transcript, and the wrapping that makes them."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from rich.cells import cell_len, split_graphemes
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

Run = tuple[str, Style]
GUTTER = 2
MAX_TEXT = 100

_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_UNSENDABLE = re.compile("[\ud800-\udfff]")
_WIDE = "\u1100-\u115f\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60\U0001f300-\U0001faff"


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
    """Columns for prose on a screen *width* wide; where it is narrow, the margin goes. Pure."""
    return max(1, min(width - GUTTER, 2), min(width - 4, MAX_TEXT))


@lru_cache(maxsize=1)
def _words() -> re.Pattern[str]:
    # 4 CPU-ms to make: only when something is wrapped
    return re.compile(f"[{_WIDE}]\\s*|[^\\s{_WIDE}]+\\s*|\\s+")


def wrap_spans(text: str, width: int) -> list[Span]:
    """Where to cut one line of *text* so that every piece fits *width* cells. Pure."""
    if len(text) * 2 <= width or cell_len(text) <= width:
        return [Span(0, len(text), None)]
    spans: list[Span] = []
    start = position = used = 0
    glue: str | None = None
    for match in _words().finditer(text):
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
    """Cuts between characters as they are seen: an emoji of several code points stays whole."""
    if text.isascii():
        return list(range(width, len(text), width))
    cuts: list[int] = []
    used = 0
    for start, _, cells in split_graphemes(text)[0]:
        if used + cells > width and used:
            cuts.append(start)
            used = 0
        used += cells
    return cuts


def cut_runs(runs: Sequence[Run], spans: Sequence[Span]) -> list[list[Run]]:
    """*runs* cut into the pieces that *spans* name, in one pass over both. Pure."""
    pieces: list[list[Run]] = []
    index = position = 0
    for start, end, _ in spans:
        piece: list[Run] = []
        while index < len(runs):
            text, style = runs[index]
            after = position + len(text)
            if after > start and position < end:
                part = text[max(0, start - position) : end - position]
                piece.append((part, style))
            if after > end:
                break
            index, position = index + 1, after
        pieces.append(piece)
    return pieces


def make_row(runs: Iterable[Run], skip: int = GUTTER, glue: str | None = None) -> Row:
    """A row out of styled text, without what a terminal must not get: controls that turn the
    reading direction would show an address or a name as another one, a tab moves the pen. Pure."""
    segments = [Segment(_sendable(text), style) for text, style in runs if text]
    return Row(Strip(segments, sum(segment.cell_length for segment in segments)), skip, glue)


def _sendable(text: str) -> str:
    if "\t" in text:
        text = text.replace("\t", " ")
    return text if text.isascii() else _UNSENDABLE.sub("\ufffd", _TURNS.sub("", text))


def clip_rows(rows: list[Row], width: int) -> list[Row]:
    """*rows*, those that do not fit *width* cells cut to it: the last guard on a screen that is
    too narrow for a gutter or a wide character. Pure."""
    return [_clip(row, width) if row.strip.cell_length > width else row for row in rows]


def _clip(row: Row, width: int) -> Row:
    kept: list[Segment] = []
    left = width
    for text, style, _ in row.strip:
        cells = cell_len(text)
        # not cut by the strip: that one halves what is joined from several code points
        piece = text if cells <= left else _head(text, left)
        kept.append(Segment(piece, style))
        left -= cell_len(piece)
        if piece != text:
            break
    return row._replace(strip=Strip(kept, width - left))


def _head(text: str, cells: int) -> str:
    """As many whole characters of *text* as fit."""
    used, end = 0, len(text)
    for start, _, size in split_graphemes(text)[0]:
        if used + size > cells:
            end = start
            break
        used += size
    # the two ways to count differ for joiners that join nothing
    while end and cell_len(text[:end]) > cells:
        end -= 1
    return text[:end]


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
        spans = wrap_spans("".join(piece for piece, _ in line), max(1, width))
        for span, piece in zip(spans, cut_runs(line, spans), strict=True):
            rows.append(make_row([*(rest if rows else first), *piece], GUTTER, span.glue))
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
    return pad_row(_clip(row, width), width, style) if missing < 0 else row


def fit(text: str, width: int) -> str:
    """*text* in at most *width* cells, the end replaced by an ellipsis where it is cut. Pure."""
    if cell_len(text) <= width:
        return text
    return _head(text, width - 1).rstrip() + "…" if width > 0 else ""
