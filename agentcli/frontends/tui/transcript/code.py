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
    hard_spans,
    make_row,
    pad_row,
    slice_runs,
    split_lines,
)
from agentcli.protocol.asks import Hunk

TAB = 4
_LEXER_LIMIT = 100_000


def language_of(path: str) -> str:
    """The language that a file name suggests, for `highlight`; "" where none does. Pure."""
    return PurePath(path).suffix.lstrip(".").lower()


def highlight(code: str, language: str, look: Look) -> list[list[Run]]:
    """Lines of *code* as styled text; plain where the language is not known. Never raises."""
    lexer = _lexer(language) if language and len(code) <= _LEXER_LIMIT else None
    if lexer is None:
        return [[(line, look.code)] if line else [] for line in code.split("\n")]
    runs: list[Run] = [
        (str(text), _token_style(str(kind), look)) for kind, text in lexer.get_tokens(code)
    ]
    return split_lines(runs)


def code_rows(
    code: str, language: str, width: int, look: Look, glue_first: str | None = None
) -> list[Row]:
    """A code block: a quiet background over the full *width*, text from the third column."""
    room = max(1, width - 3)
    margin: list[Run] = [(" ", look.text), (" ", look.code)]
    rows: list[Row] = []
    for line in highlight(code.expandtabs(TAB), language, look):
        text = "".join(piece for piece, _ in line)
        for span in hard_spans(text, room):
            row = make_row([*margin, *slice_runs(line, span.start, span.end)], 2, span.glue)
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
    return rows


def diff_rows(hunks: Sequence[Hunk], path: str, width: int, look: Look) -> list[Row]:
    """A unified diff with line numbers; hunks are set apart by a dim ellipsis. Hidden characters
    are shown as escapes, since people decide on it."""
    last = max(
        (max(h.old_start + h.old_lines, h.new_start + h.new_lines) for h in hunks), default=0
    )
    digits = max(3, len(str(last)))
    language = language_of(path)
    rows: list[Row] = []
    for index, hunk in enumerate(hunks):
        if index:
            rows.append(make_row([(" " * (digits + 1) + "⋯", look.faint)], digits + 3))
        rows += _hunk_rows(hunk, language, digits, width, look)
    return rows


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
    rows: list[Row] = []
    for span in hard_spans(line, max(1, width - margin)):
        head = number if not rows else " " * len(number)
        prefix: list[Run] = [
            (f" {head} ", gutter if changed else look.faint),
            (f"{mark if not rows else ' '} ", gutter),
        ]
        row = make_row([*prefix, *slice_runs(runs, span.start, span.end)], margin, span.glue)
        rows.append(pad_row(row, width, text) if changed else row)
    return rows


def _token_style(kind: str, look: Look) -> Style:
    name = kind.removeprefix("Token.")
    if name.startswith("Comment"):
        return look.code_dim
    if name.startswith(("Keyword", "Operator.Word")):
        return look.keyword
    if name.startswith(("Literal", "Name.Builtin.Pseudo")):
        return look.literal
    if name.startswith(("Name.Function", "Name.Class", "Name.Tag", "Generic.Heading")):
        return look.named
    return look.code


@lru_cache(maxsize=64)
def _lexer(language: str) -> Any | None:
    # pygments costs a few milliseconds to import and is needed for code only
    from pygments import lexers
    from pygments.util import ClassNotFound

    try:
        return cast("Any", lexers).get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
