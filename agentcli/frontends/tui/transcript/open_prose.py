"""A long paragraph that still grows: what stands before the last lines is drawn once."""

import re

from rich.cells import cell_len

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.markdown import prose_runs
from agentcli.frontends.tui.transcript.rows import (
    GUTTER,
    Row,
    Run,
    Span,
    clip_rows,
    cut_runs,
    make_row,
    split_lines,
    text_width,
    wrap_spans,
)

_OPEN = 1_000
"""Characters at the end that stay open: an address or emphasis may still be going on."""
_PATIENCE = 3_000
"""After so many characters text is taken as it is, even in what looks like open markup."""
_MARKER = re.compile(r" {0,3}(?:([-*+])|(\d{1,9}[.)]))( {1,4})(?=\S)")
_NO_PROSE = re.compile(
    r"\s*(?:[>#|<=]|`{3}|~{3}|[-+*]\s|\d{1,9}[.)]\s|\[[^\]]*\]:|[-*_]{2,}\s*$|:?-+:?\s*\|)"
)
_SPACE = re.compile(r"\s")
_NO_MARKUP = re.compile(r"(?<=\w)_(?=\w)|(?<=\s)[*_~<>]+(?=\s)|\\.")
"""Characters of markup that are none where they stand."""


class OpenProse:
    """Rows of one paragraph, which may be the text of a list item. ``parsed`` counts characters."""

    def __init__(self, width: int, look: Look) -> None:
        self.parsed = 0
        self._width, self._look = width, look
        self._rows: list[Row] = []
        self._carry: list[Run] = []
        """The text of the last row that was drawn: it may still get longer."""
        self._glue: str | None = None
        self._done = 0
        self._seen_lines = 0
        self._first: list[Run] = [(" " * GUTTER, look.text)]
        self._rest = self._first
        self._room = text_width(width)

    def update(self, lines: list[str], partial: str) -> list[Row] | None:
        """The rows now; None when this is no plain paragraph (any more)."""
        source = "".join(lines) + partial
        if not self._done and not self._begin(source):
            return None
        for line in lines[max(1, self._seen_lines) :]:
            if not line.strip() or _NO_PROSE.match(line):
                return None
        self._seen_lines = len(lines)
        cut = _safe_cut(source[self._done :])
        if cut:
            rows, last = self._flow(source[self._done : self._done + cut])
            self._rows += rows[:-1]
            self._carry, self._glue = last, rows[-1].glue
            self._done += cut
        rows, _ = self._flow(source[self._done :])
        return clip_rows(self._rows + rows, self._width) if self._width < 8 else self._rows + rows

    def _begin(self, source: str) -> bool:
        marker = _MARKER.match(source)
        start = marker.end() if marker else 0
        if _NO_PROSE.match(source, start) or source.startswith(("    ", "\t")):
            return False
        if marker is not None:
            shown = "• " if marker[1] else f"{marker[2].replace(')', '.')} "
            margin = self._first
            self._first = [*margin, (shown, self._look.dim)]
            self._rest = [*margin, (" " * cell_len(shown), self._look.text)]
            self._room = max(1, self._room - cell_len(shown))
            self._done = start
        return True

    def _flow(self, source: str) -> tuple[list[Row], list[Run]]:
        """Rows of what was carried over and *source*, and the text of the last of them."""
        self.parsed += len(source)
        rows: list[Row] = []
        last: list[Run] = []
        glue = self._glue
        for line in split_lines([*self._carry, *prose_runs(source, self._look)]):
            text = "".join(piece for piece, _ in line)
            spans = wrap_spans(text, self._room)
            spans[0] = spans[0]._replace(glue=glue)
            for span, piece in zip(spans, cut_runs(line, spans), strict=True):
                prefix = self._rest if self._rows or rows else self._first
                rows.append(make_row([*prefix, *piece], GUTTER, span.glue))
            last = cut_runs(line, [Span(spans[-1].start, len(text), None)])[0]
            glue = None
        return rows, last


def _safe_cut(text: str) -> int:
    """Where the beginning of *text* can be taken on its own: after a space, where no markup seems
    to be open. 0 where there is no such place yet. Pure."""
    end = len(text) - _OPEN
    if end < _OPEN:
        return 0
    spaces = [match.end() for match in _SPACE.finditer(text, end // 2, end)]
    for place in reversed(spaces[-40:]):
        if _is_closed(text[:place]):
            return place
    if len(text) < _PATIENCE:
        return 0
    return spaces[-1] if spaces else end


def _is_closed(text: str) -> bool:
    plain = _NO_MARKUP.sub("", text)
    for mark in "`*_~":
        double = plain.count(mark * 2)
        if double % 2 or (plain.count(mark) - 2 * double) % 2:
            return False
    return all(plain.count(left) == plain.count(right) for left, right in ("[]", "()", "<>"))
