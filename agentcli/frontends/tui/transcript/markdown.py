"""One finished block of Markdown source → rows in our look. Model text is never markup of Rich."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from agentcli.base.text import strip_controls
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.code import code_rows
from agentcli.frontends.tui.transcript.rows import (
    GUTTER,
    Row,
    Run,
    make_row,
    text_width,
    wrap_runs,
)
from agentcli.frontends.tui.transcript.table import table_rows

_BULLETS = "•◦▪"


def markdown_rows(source: str, width: int, look: Look) -> list[Row]:
    """Rows of one or more blocks, without blank rows at either end. Never raises for any text."""
    text = strip_controls(source)
    return _Blocks(text.split("\n"), width, look).draw(_parser().parse(text))


@lru_cache(maxsize=1)
def _parser() -> Any:
    # 29 CPU-ms to import: only when the first answer arrives
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


class _Blocks:
    """Walks block tokens, keeping the prefixes (list indents, quote bars) of open containers."""

    def __init__(self, lines: Sequence[str], width: int, look: Look) -> None:
        self._lines = lines
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
                self._rest.append([*self._rest[-1], ("▎ ", self._look.faint)])
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
        self._rest.append([*outer, (" " * cell_len(marker), self._look.text)])

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
        cells: list[list[list[Run]]] = []
        aligns: list[str] = []
        while tokens[index].type != "table_close":
            token = tokens[index]
            if token.type == "tr_open":
                cells.append([])
            elif token.type in {"th_open", "td_open"}:
                if token.type == "th_open":
                    aligns.append(
                        "right" if "right" in str(token.attrs.get("style", "")) else "left"
                    )
                style = self._look.strong if token.type == "th_open" else self._look.text
                cells[-1].append(_inline_runs(tokens[index + 1], style, self._look))
            index += 1
        room = max(1, self._width - GUTTER - sum(cell_len(t) for t, _ in self._rest[-1]))
        prefix = self._prefix()
        for runs in table_rows(cells, aligns, room, self._look):
            self._rows.append(make_row([*prefix, *runs]))
            prefix = self._rest[-1]
        return index + 1


def _inline_runs(token: Any, base: Style, look: Look) -> list[Run]:
    """Inline tokens as styled text; a link shows its address unless that is its text."""
    runs: list[Run] = []
    bold = italic = strike = 0
    link = ""
    link_start = 0
    for child in token.children or ():
        extra = Style(
            bold=bool(bold) or None, italic=bool(italic) or None, strike=bool(strike) or None
        )
        match child.type:
            case "text" | "html_inline":
                style = base + extra + Style(underline=True) if link else base + extra
                runs.append((child.content, style))
            case "code_inline":
                runs.append((child.content, look.inline_code + extra))
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
                if link and link.removeprefix("mailto:") != shown:
                    runs.append((f" ({link})", look.dim))
                link = ""
            case "image":
                address = str(child.attrs.get("src", ""))
                runs.append((f"{child.content or 'image'} ({address})", look.dim))
            case _:
                runs.append((child.content, base + extra))
    return runs
