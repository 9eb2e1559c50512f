"""One finished block of Markdown source → rows in our look. Model text is never markup of Rich."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from agentcli.base.text import strip_controls
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.code import TAB, code_rows
from agentcli.frontends.tui.transcript.links import address_runs, bare_links, linked
from agentcli.frontends.tui.transcript.rows import (
    GUTTER,
    Row,
    Run,
    clip_rows,
    make_row,
    text_width,
    wrap_runs,
)
from agentcli.frontends.tui.transcript.table import MAX_ROWS, Cell, Table, table_room

_BULLETS = "•◦▪"
_NESTING = 24
"""Containers in containers that are parsed; text nested deeper is shown as it is."""


def markdown_rows(
    source: str, width: int, look: Look, table_limit: int | None = MAX_ROWS
) -> list[Row]:
    """Rows of one or more blocks, without blank rows at either end. Never raises for any text.

    Tables show at most *table_limit* rows (None: all of them).
    """
    text = strip_controls(source)
    tokens = _parser().parse(text)
    if any(token.level >= _NESTING - 2 for token in tokens):
        runs: list[Run] = [(text.strip("\n").expandtabs(TAB), look.text)]
        margin: list[Run] = [(" " * GUTTER, look.text)]
        return clip_rows(wrap_runs(runs, text_width(width), margin, margin), width)
    blocks = _Blocks(text.split("\n"), width, look, table_limit)
    return clip_rows(blocks.draw(tokens), width)


def prose_runs(source: str, look: Look) -> list[Run]:
    """The inline markup of a piece of a paragraph as styled text."""
    tokens = _parser().parseInline(strip_controls(source))
    return _inline_runs(tokens[0], look.text, look) if tokens else []


def table_cells(source: str, look: Look) -> tuple[list[Cell], list[str], list[list[Cell]]] | None:
    """Header, alignments and rows of a table; None where *source* is none."""
    tokens = _parser().parse(strip_controls(source))
    if not tokens or tokens[0].type != "table_open":
        return None
    return _read_table(tokens, 0, look)[0]


@lru_cache(maxsize=1)
def _parser() -> Any:
    # 29 CPU-ms to import: only when the first answer arrives
    from markdown_it import MarkdownIt

    options = {"html": False, "maxNesting": _NESTING}
    return MarkdownIt("commonmark", options).enable(["table", "strikethrough"])


class _Blocks:
    """Walks block tokens, keeping the prefixes (list indents, quote bars) of open containers."""

    def __init__(
        self, lines: Sequence[str], width: int, look: Look, table_limit: int | None
    ) -> None:
        self._lines = lines
        self._table_limit = table_limit
        self._width = width
        self._look = look
        self._rows: list[Row] = []
        self._first: list[Run] = [(" " * GUTTER, look.text)]
        self._rest: list[list[Run]] = [self._first]
        self._pending: list[Run] | None = None
        """Prefix with a list marker that the next row must carry."""
        self._lists: list[int | None] = []

    def draw(self, tokens: Sequence[Any]) -> list[Row]:
        index = 0
        while index < len(tokens):
            index = self._block(tokens, index)
        return self._rows

    def _block(self, tokens: Sequence[Any], index: int) -> int:
        token = tokens[index]
        if token.nesting >= 0 and token.map:
            self._gap(token.map[0])
        match token.type:
            case "paragraph_open" | "heading_open":
                heading = token.type == "heading_open"
                style = self._look.strong if heading else self._look.text
                self._text(_inline_runs(tokens[index + 1], style, self._look))
                return index + 3
            case "fence" | "code_block":
                language = (token.info.split() or [""])[0] if token.type == "fence" else ""
                self._code(token.content.removesuffix("\n"), language)
            case "bullet_list_open":
                self._lists.append(None)
            case "ordered_list_open":
                self._lists.append(int(token.attrs.get("start", 1)))
            case "list_item_open":
                self._open_item(token)
            case "blockquote_open":
                self._nest(("▎ ", self._look.faint))
            case _ if token.nesting < 0:
                self._close(token.type)
            case "hr":
                self._text([("─" * min(24, self._room()), self._look.faint)])
            case "table_open":
                return self._table(tokens, index)
            case "html_block":
                self._text([(token.content.rstrip("\n"), self._look.dim)])
            case _:
                pass
        return index + 1

    def _close(self, kind: str) -> None:
        if kind in {"list_item_close", "blockquote_close"}:
            self._rest.pop()
            self._pending = None
        elif kind in {"bullet_list_close", "ordered_list_close"}:
            self._lists.pop()

    def _gap(self, line: int) -> None:
        """A blank row where the source has one above *line*, never before the first row."""
        if not line or self._lines[line - 1].strip(" >\t") or not self._rows:
            return
        if self._rows[-1].strip.text.strip(" ▎"):
            self._rows.append(make_row(self._rest[-1]))

    def _open_item(self, token: Any) -> None:
        number = self._lists[-1]
        if number is None:
            marker = _BULLETS[min(len(self._lists), len(_BULLETS)) - 1] + " "
        else:
            marker = f"{number}. "
            self._lists[-1] = number + 1
        outer = self._rest[-1]
        self._pending = [*(self._pending or outer), (marker, self._look.dim)]
        self._nest((" " * cell_len(marker), self._look.text))

    def _nest(self, run: Run) -> None:
        """Indent what follows, unless too little room would be left for it."""
        outer = self._rest[-1]
        inner = [*outer, run]
        fits = sum(cell_len(text) for text, _ in inner) <= max(GUTTER, self._width // 2)
        self._rest.append(inner if fits else outer)

    def _room(self) -> int:
        used = sum(cell_len(text) for text, _ in self._rest[-1]) - GUTTER
        return max(1, text_width(self._width) - used)

    def _prefix(self) -> list[Run]:
        first = self._pending if self._pending is not None else self._rest[-1]
        self._pending = None
        return first

    def _text(self, runs: Sequence[Run]) -> None:
        self._rows += wrap_runs(runs, self._room(), self._prefix(), self._rest[-1])

    def _code(self, content: str, language: str) -> None:
        if len(self._rest) == 1:
            self._rows += code_rows(content, language, self._width, self._look)
            return
        inner = sum(cell_len(text) for text, _ in self._rest[-1])
        room = max(4, self._width - inner + 1)
        for row in code_rows(content, language, room, self._look):
            prefix = make_row(self._prefix()).strip.crop(0, inner - 1)
            self._rows.append(Row(Strip.join([prefix, row.strip.crop(1)]), inner, row.glue))

    def _table(self, tokens: Sequence[Any], index: int) -> int:
        (header, aligns, rows), index = _read_table(tokens, index, self._look)
        room = table_room(self._width, sum(cell_len(text) for text, _ in self._rest[-1]))
        table = Table(header, aligns, room, self._look, self._table_limit)
        table.add(rows)
        prefix = self._prefix()
        for runs in table.lines:
            self._rows.append(make_row([*prefix, *runs]))
            prefix = self._rest[-1]
        return index


def _read_table(
    tokens: Sequence[Any], index: int, look: Look
) -> tuple[tuple[list[Cell], list[str], list[list[Cell]]], int]:
    """The table whose tokens begin at *index*, and where they end."""
    cells: list[list[Cell]] = []
    aligns: list[str] = []
    while tokens[index].type != "table_close":
        token = tokens[index]
        if token.type == "tr_open":
            cells.append([])
        elif token.type in {"th_open", "td_open"}:
            style = look.text
            if token.type == "th_open":
                aligns.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))
                style = look.strong
            cells[-1].append(_inline_runs(tokens[index + 1], style, look))
        index += 1
    return (cells[0], aligns, cells[1:]), index + 1


@lru_cache(maxsize=8)
def _emphasis(bold: bool, italic: bool, strike: bool) -> Style:
    return Style(bold=bold or None, italic=italic or None, strike=strike or None)


def _inline_runs(token: Any, base: Style, look: Look) -> list[Run]:
    """Inline tokens as styled text; a link shows its address unless that is its text."""
    runs: list[Run] = []
    bold = italic = strike = 0
    link = ""
    link_start = 0
    for child in token.children or ():
        extra = _emphasis(bool(bold), bool(italic), bool(strike))
        match child.type:
            case "text" | "html_inline":
                text = child.content.replace("\t", " " * TAB)
                style = base + extra
                runs += [(text, linked(style, link))] if link else bare_links(text, style)
            case "code_inline":
                style = look.inline_code + extra
                runs += [(child.content, linked(style, link))] if link else [(child.content, style)]
            case "softbreak" | "hardbreak":
                runs.append(("\n", base))
            case "strong_open" | "strong_close":
                bold += child.nesting
            case "em_open" | "em_close":
                italic += child.nesting
            case "s_open" | "s_close":
                strike += child.nesting
            case "link_open":
                link, link_start = str(child.attrs.get("href", "")), len(runs)
            case "link_close":
                shown = "".join(text for text, _ in runs[link_start:])
                runs += address_runs(link, shown, look)
                link = ""
            case "image":
                address = str(child.attrs.get("src", ""))
                name = child.content or "image"
                runs += [(name, linked(look.dim, address)), *address_runs(address, name, look)]
            case _:
                runs.append((child.content, base + extra))
    return runs
