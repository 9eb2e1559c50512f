"""How the rewind sheet tells what going back to a prompt would do, and the ways to do it. Pure."""

from collections.abc import Sequence

from rich.cells import cell_len

from agentcli.base.text import reveal
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.paths import short_path
from agentcli.frontends.tui.screens.field import Field
from agentcli.frontends.tui.screens.rewind_wish import Option
from agentcli.frontends.tui.transcript.rows import Row, Run, fit, make_row, wrap_runs
from agentcli.protocol.history import FileChange, PromptPoint, RestorePlan

_WORDS = {"restore": "put back", "create": "made again", "delete": "deleted"}
_GLYPHS = {"restore": "~", "create": "+", "delete": "−"}
_ABOUT_FROM = 56
"""Columns from which an option says what it does."""


def prompt_rows(point: PromptPoint, width: int, most: int, look: Look) -> list[Row]:
    """The prompt that was chosen, in at most *most* rows."""
    text = reveal(point.text[:2_000].strip()).replace("\t", "    ")
    first: list[Run] = [("› ", look.accent)]
    rows = wrap_runs([(text, look.strong)], width - 4, first, [("  ", look.text)])
    if len(rows) > most:
        rows = [*rows[: most - 1], make_row([("  …", look.dim)])] if most > 1 else rows[:1]
    return rows


def plan_rows(plan: RestorePlan, cwd: str, home: str, width: int, look: Look) -> list[Row]:
    """What would become of the files; what needs the person's eye comes first."""
    margin: list[Run] = [("  ", look.text)]
    rows: list[Row] = []
    if not plan.changes:
        rows.append(make_row([*margin, ("no file has changed since", look.dim)]))
    if plan.commands:
        ran = "1 command ran" if plan.commands == 1 else f"{plan.commands:,} commands ran"
        what = "it" if plan.commands == 1 else "they"
        text = f"{ran} since; what {what} changed stays"
        rows += wrap_runs([(text, look.warn)], width - 4, margin, margin)
    changes = sorted(plan.changes, key=lambda one: (not one.problem, not one.foreign, one.path))
    names = [reveal(place(change.path, cwd, home)) for change in changes]
    column = min(max(map(cell_len, names), default=0), max(8, width // 2))
    for change, name in zip(changes, names, strict=True):
        rows += _change_rows(change, name, column, width, look)
    return rows


def _change_rows(change: FileChange, name: str, column: int, width: int, look: Look) -> list[Row]:
    said: list[Run]
    if change.problem:
        glyph: Run = ("! ", look.warn)
        said = [("stays as it is: ", look.warn), (reveal(change.problem), look.warn)]
    else:
        style = {"create": look.ok, "delete": look.bad}.get(change.action, look.accent)
        glyph = (_GLYPHS[change.action] + " ", style)
        said = [(_WORDS[change.action], look.dim)]
        if change.foreign:
            said.append((" · changed by somebody else since", look.warn))
    shown = _tail(name, column)
    space = " " * (column - cell_len(shown) + 2)
    lead: list[Run] = [("  ", look.text), glyph, (shown, look.text), (space, look.text)]
    indent = column + 6
    if sum(cell_len(text) for text, _ in said) <= width - indent - 1:
        return [make_row([*lead, *said])]
    # what is said goes below
    rest: list[Run] = [("      ", look.text)]
    first = make_row([("  ", look.text), glyph, (_tail(name, width - 5), look.text)])
    return [first, *wrap_runs(said, width - 8, rest, rest)]


def place(path: str, cwd: str, home: str) -> str:
    """*path* as short as it can be told: below *cwd* without it."""
    base = cwd.rstrip("/") + "/"
    return path[len(base) :] if cwd and path.startswith(base) else short_path(path, home)


def _tail(path: str, width: int) -> str:
    """The end of *path*: names of files differ there."""
    if cell_len(path) <= width:
        return path
    end = path
    while end and cell_len(end) > width - 1:
        end = end[1:]
    return "…" + end


def option_rows(
    options: Sequence[Option], index: int, focus: Field, width: int, most: int, look: Look
) -> list[Row]:
    """The ways to go on with their digits, *most* of them around the one under the cursor."""
    top = max(0, min(index - most // 2, len(options) - most))
    column = max(cell_len(option.label) for option in options) + 3
    rows: list[Row] = []
    for at, option in enumerate(options[top : top + most], top):
        picked = at == index
        runs: list[Run] = [
            ("› " if picked else "  ", look.accent),
            (f"{at + 1} ", look.accent),
            (option.label, look.accent_strong if picked else look.text),
        ]
        used = 4 + cell_len(option.label)
        if picked and option.takes_focus:
            hint = "what should be kept in mind" if width >= _ABOUT_FROM else "type a focus"
            runs += [(": ", look.dim), *focus.runs(max(4, width - used - 4), look, hint)]
        elif width >= _ABOUT_FROM:
            about = fit(option.about, width - column - 6)
            runs += [(" " * (column + 4 - used), look.text), (about, look.dim)]
        rows.append(make_row(runs))
    return rows
