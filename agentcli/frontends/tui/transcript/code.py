"""Rows of source code and of diffs: highlighted, with line numbers, wrapped and never clipped."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePath
from typing import Any, cast

from rich.style import Style

from agentcli.base.text import reveal
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.rows import (
    Row,
    Run,
    clip_rows,
    cut_runs,
    hard_spans,
    make_row,
    pad_row,
    split_lines,
)
from agentcli.protocol.asks import Hunk

TAB = 4
LEXER_LIMIT = 20_000
"""Characters of one block that are highlighted; more would be felt as a pause."""
_NARROW_TEXT = 4
"""Cells that the text of a diff needs beside its line numbers."""
_ALIASES = {"pyi": "py", "mjs": "js", "cjs": "js", "h": "c", "hpp": "cpp", "jsonl": "json"}
_BY_NAME = {"dockerfile": "docker", "makefile": "make", "gnumakefile": "make"}


def language_of(path: str) -> str:
    """The language that a file name suggests, for `highlight`; "" where none does. Pure."""
    name = PurePath(path).name.lower()
    suffix = PurePath(name).suffix.lstrip(".")
    return _BY_NAME.get(name) or _ALIASES.get(suffix, suffix)


def highlight(code: str, language: str, look: Look) -> list[list[Run]]:
    """Lines of *code* as styled text; plain where the language is not known, and after
    `LEXER_LIMIT` characters. Never raises."""
    lexer = _lexer(language.lower()) if language else None
    head = _whole_lines(code, LEXER_LIMIT) if lexer is not None else 0
    lines = split_lines(_tokens(lexer, code[:head], look)) if head else []
    if lines and head == len(code):
        return lines
    rest = code[head + 1 :] if lines else code
    return lines + [[(line, look.code)] if line else [] for line in rest.split("\n")]


def _whole_lines(code: str, limit: int) -> int:
    """Length of the lines of *code* that fit *limit*, without the last line break."""
    return len(code) if len(code) <= limit else max(0, code.rfind("\n", 0, limit))


def _tokens(lexer: Any, code: str, look: Look) -> list[Run]:
    """Styled pieces of *code*, neighbours of the same style in one: each costs when drawn."""
    runs: list[Run] = []
    pieces: list[str] = []
    style = look.code
    for kind, text in lexer.get_tokens(code):
        own = getattr(look, _style_name(kind))
        if own is not style and not text.isspace():
            if pieces:
                runs.append(("".join(pieces), style))
            pieces, style = [], own
        pieces.append(text)
    runs.append(("".join(pieces), style))
    return runs


def code_rows(code: str, language: str, width: int, look: Look) -> list[Row]:
    """A code block: a quiet background over the full *width*, text from the third column."""
    room = max(1, width - 3)
    margin: list[Run] = [(" ", look.text), (" ", look.code)]
    rows: list[Row] = []
    for line in highlight(code.expandtabs(TAB), language, look):
        spans = hard_spans("".join(piece for piece, _ in line), room)
        for span, piece in zip(spans, cut_runs(line, spans), strict=True):
            row = make_row([*margin, *piece], 2, span.glue)
            rows.append(pad_row(row, width, look.code))
    return rows


def plain_rows(text: str, width: int, look: Look, style: Style, indent: int = 2) -> list[Row]:
    """Text as it is (tool output), cut at the cell, indented. Pure."""
    margin: list[Run] = [(" " * indent, look.text)]
    rows: list[Row] = []
    for line in text.expandtabs(TAB).split("\n"):
        for span in hard_spans(line, max(1, width - indent)):
            rows.append(
                make_row([*margin, (line[span.start : span.end], style)], indent, span.glue)
            )
    return clip_rows(rows, width)


def diff_rows(hunks: Sequence[Hunk], path: str, width: int, look: Look) -> list[Row]:
    """A unified diff with line numbers; hunks are set apart by a dim ellipsis. Hidden characters
    are shown as escapes, since people decide on it."""
    last = max(
        (max(h.old_start + h.old_lines, h.new_start + h.new_lines) for h in hunks), default=0
    )
    digits = max(3, len(str(last)))
    size = sum(len(line) for hunk in hunks for line in hunk.lines)
    language = language_of(path) if size <= LEXER_LIMIT else ""
    rows: list[Row] = []
    for index, hunk in enumerate(hunks):
        if index:
            rows.append(make_row([(" " * (digits + 1) + "⋯", look.faint)], digits + 3))
        rows += _hunk_rows(hunk, language, digits, width, look)
    return clip_rows(rows, width)


def _hunk_rows(hunk: Hunk, language: str, digits: int, width: int, look: Look) -> list[Row]:
    rows: list[Row] = []
    old, new = hunk.old_start, hunk.new_start
    for raw in hunk.lines:
        mark, line = raw[:1], reveal(raw[1:].rstrip("\r\n")).expandtabs(TAB)
        match mark:
            case "+":
                number, text, gutter = new, look.added, look.added_mark
                new += 1
            case "-":
                number, text, gutter = old, look.removed, look.removed_mark
                old += 1
            case "\\":
                number, text, gutter = 0, look.faint, look.faint
                line, mark = "no line break at the end", " "
            case _:
                number, text, gutter = new, look.text, look.faint
                old, new = old + 1, new + 1
        rows += _diff_line(
            f"{number or '':>{digits}}", mark or " ", line, language, width, (text, gutter), look
        )
    return rows


def _diff_line(
    number: str,
    mark: str,
    line: str,
    language: str,
    width: int,
    styles: tuple[Style, Style],
    look: Look,
) -> list[Row]:
    text, gutter = styles
    changed = mark in "+-"
    runs: list[Run] = []
    for piece, style in highlight(line, language, look)[0]:
        runs.append((piece, text if style is look.code else style + Style(bgcolor=text.bgcolor)))
    margin = len(number) + 4
    if width < margin + _NARROW_TEXT:
        # no room for columns: number and mark stand before the text, and all of it wraps
        head = f"{number.strip()}{mark} "
        runs, line, margin = [(head, gutter), *runs], head + line, 0
    spans = hard_spans(line, max(1, width - margin))
    rows: list[Row] = []
    for span, piece in zip(spans, cut_runs(runs, spans), strict=True):
        head = number if not rows else " " * len(number)
        prefix: list[Run] = [
            (f" {head} ", gutter if changed else look.faint),
            (f"{mark if not rows else ' '} ", gutter),
        ]
        row = make_row([*prefix, *piece] if margin else piece, margin, span.glue)
        rows.append(pad_row(row, width, text) if changed else row)
    return rows


@lru_cache(maxsize=512)
def _style_name(kind: Any) -> str:
    """Which style of the look a kind of token has: few, so that code stays quiet."""
    name = str(kind).removeprefix("Token.")
    if name.startswith("Comment"):
        return "code_dim"
    if name.startswith(("Keyword", "Operator.Word")):
        return "keyword"
    if name.startswith(("Literal", "Name.Builtin.Pseudo")):
        return "literal"
    if name.startswith(("Name.Function", "Name.Class", "Name.Tag", "Generic.Heading")):
        return "named"
    return "code"


@lru_cache(maxsize=64)
def _lexer(language: str) -> Any | None:
    # pygments costs a few milliseconds to import and is needed for code only
    from pygments import lexers
    from pygments.util import ClassNotFound

    try:
        return cast("Any", lexers).get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
