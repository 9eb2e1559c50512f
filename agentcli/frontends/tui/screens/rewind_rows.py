"""How the rewind sheet draws the prompts that can be gone back to. Pure."""

from rich.cells import cell_len
from rich.style import Style

from agentcli.base.text import reveal
from agentcli.frontends.shared.tool_view import plus_minus
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.screens.history_match import age, excerpt, spots
from agentcli.frontends.tui.screens.marked import marked_runs
from agentcli.frontends.tui.screens.rewind_plan import place
from agentcli.frontends.tui.screens.rewind_wish import Extra, Stop
from agentcli.frontends.tui.transcript.rows import Row, Run, fit, make_row, wrap_runs
from agentcli.protocol.history import PromptPoint

_AGE = 5
_MOST = 4_000
"""Characters of a prompt that are looked at."""
_NARROWEST = 24
"""Columns that the words of a prompt need beside the figures."""


def words_of(stop: Stop) -> str:
    """What a query is looked for in."""
    if isinstance(stop, Extra):
        return stop.text
    return "\n".join((stop.text[:_MOST], *stop.files)).lower()


def stop_row(stop: Stop, picked: bool, query: str, width: int, now: float, look: Look) -> Row:
    """One row of the list: age, the prompt's words, what its turn changed."""
    mark: Run = ("› " if picked else "  ", look.accent)
    base = look.accent_strong if picked else look.text
    if isinstance(stop, Extra):
        text = fit(stop.text, max(1, width - _AGE - 5))
        return make_row([mark, ("↶".rjust(_AGE) + "  ", look.dim), (text, base)])
    facts = facts_of(stop, min(width - _AGE - 7 - _NARROWEST, width * 2 // 5), look)
    size = sum(cell_len(text) for text, _ in facts)
    room = max(1, width - _AGE - 5 - (size + 2 if size else 0))
    text = fit(excerpt(reveal(stop.text[:_MOST]), query, room), room)
    marked = base + Style(underline=True) if picked else look.accent
    words = marked_runs(text, spots(text, query), base, marked)
    space: Run = (" " * (room - cell_len(text) + 2), look.text)
    age_run: Run = (age(stop.at, now).rjust(_AGE) + "  ", look.dim)
    return make_row([mark, age_run, *words, *([space, *facts] if facts else [])])


def facts_of(stop: Stop, width: int, look: Look) -> list[Run]:
    """``3 files +40 −12 · 2 commands`` in at most *width* cells: less of it where that is less,
    nothing where there is nothing."""
    if isinstance(stop, Extra):
        return []
    for parts in _facts(stop, look):
        if parts and sum(cell_len(text) for text, _ in parts) <= width:
            return parts
    return []


def _facts(stop: PromptPoint, look: Look) -> list[list[Run]]:
    lines: list[Run] = []
    for piece in plus_minus(stop.added, stop.removed).split():
        lines += [(" ", look.dim), (piece, look.ok if piece[0] == "+" else look.bad)]
    files: list[Run] = [(_count(len(stop.files), "file"), look.dim), *lines] if stop.files else []
    commands: list[Run] = []
    if stop.commands:
        commands = [(_count(stop.commands, "command"), look.dim)]
    between: list[Run] = [(" · ", look.dim)] if files and commands else []
    return [[*files, *between, *commands], files, lines[1:]]


def preview_rows(
    stop: Stop | None, query: str, where: tuple[str, str], width: int, rows: int, look: Look
) -> list[Row]:
    """The whole prompt and what its turn changed, *rows* tall; *where*: the working folder and the
    home, for short paths."""
    if stop is None:
        return [make_row([])] * rows
    text = stop.text if isinstance(stop, Extra) else reveal(stop.text[: 2 * _MOST])
    text = text.replace("\t", "    ")
    drawn = wrap_runs(marked_runs(text, spots(text, query), look.text, look.accent), width, [], [])
    below = _changed(stop, where, width, look) if isinstance(stop, PromptPoint) else []
    keep = max(1, rows // 2 if below else rows)
    if len(drawn) + len(below) + 1 > rows and len(drawn) > keep:
        drawn = _cut(drawn, max(keep, rows - len(below) - 1), look)
    if below and len(drawn) + 2 <= rows:
        drawn += [make_row([]), *_cut(below, rows - len(drawn) - 1, look)]
    return drawn[:rows] + [make_row([])] * (rows - len(drawn))


def _changed(stop: PromptPoint, where: tuple[str, str], width: int, look: Look) -> list[Row]:
    facts = facts_of(stop, width, look)
    names = [reveal(place(path, *where)) for path in stop.files]
    files = [make_row([("  ", look.dim), (fit(name, width - 2), look.dim)]) for name in names]
    return [make_row(facts), *files] if facts else files


def _cut(drawn: list[Row], rows: int, look: Look) -> list[Row]:
    if len(drawn) <= rows:
        return drawn
    more = len(drawn) - rows + 1
    return [*drawn[: rows - 1], make_row([(f"↓ {more} more", look.dim)])]


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"
