"""Sessions as a list shows them: what a query finds, one row each. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.style import Style

from agentcli.base.text import reveal
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.paths import short_path
from agentcli.frontends.tui.screens.history_match import age, excerpt, spots
from agentcli.frontends.tui.screens.marked import marked_runs
from agentcli.frontends.tui.transcript.rows import Row, Run, fit, make_row
from agentcli.protocol.history import SessionInfo

_LONGEST_BRANCH = 16
_LONGEST_FOLDER = 28
_TITLE = 22
"""Cells of the title that no other column may take."""
_TITLE_CHARS = 2_000
_FOUND_BY = 12
"""Cells from which it is told by what a session was found."""


class Listed(NamedTuple):
    """A session, its title on one line, and all that can be searched for in lower case."""

    info: SessionInfo
    title: str
    words: str


class Columns(NamedTuple):
    """Widths of the columns behind the title; 0: no room for it."""

    title: int
    age: int
    branch: int
    size: int
    folder: int


def typed_in(sessions: Sequence[SessionInfo]) -> list[SessionInfo]:
    """Those that a person talked in: not those of print mode and SDKs, which fill a list fast and
    are resumed by their id."""
    return [info for info in sessions if not info.entrypoint.startswith("sdk")]


def prepare(sessions: Sequence[SessionInfo]) -> list[Listed]:
    """*sessions* ready to be searched and drawn, in their order."""
    return [_listed(info) for info in sessions]


def _listed(info: SessionInfo) -> Listed:
    title = reveal(" ".join(info.title[:_TITLE_CHARS].split())) or "(no prompt)"
    parts = (info.title, info.first_prompt, info.last_prompt, info.branch, info.cwd, info.tag)
    return Listed(info, title, "\n".join([*parts, info.id]).lower())


def find(sessions: Sequence[Listed], query: str, branch: str | None = None) -> list[Listed]:
    """Those that hold every word of *query* and, where it is given, are of *branch*."""
    words = query.lower().split()
    return [
        one
        for one in sessions
        if (branch is None or one.info.branch == branch)
        and all(word in one.words for word in words)
    ]


def measure(shown: Sequence[Listed], width: int, everywhere: bool, home: str) -> Columns:
    """Columns for the sessions that are *shown* in *width* cells; the less important ones go."""
    branches = max((cell_len(reveal(one.info.branch)) for one in shown), default=0)
    folders = max((cell_len(short_path(one.info.cwd, home)) for one in shown), default=0)
    wanted = {
        "age": 4,
        "folder": min(folders, _LONGEST_FOLDER) if everywhere else 0,
        "size": 7,
        "branch": min(branches, _LONGEST_BRANCH),
    }
    room = width - 3
    given = dict.fromkeys(wanted, 0)
    for name, cells in wanted.items():
        if cells and room - cells - 2 >= _TITLE:
            given[name] = cells
            room -= cells + 2
    return Columns(max(1, room), given["age"], given["branch"], given["size"], given["folder"])


class SessionRows(NamedTuple):
    """Draws sessions as rows: *home* is the person's, *now* in Unix seconds, *here* the id of the
    session that is open."""

    columns: Columns
    query: str
    look: Look
    now: float
    home: str
    here: str

    def row(self, one: Listed, picked: bool = False, editing: Sequence[Run] = ()) -> Row:
        """One session on one line; *editing*: its title is being typed anew and looks like this."""
        info, columns, look = one.info, self.columns, self.look
        runs: list[Run] = [("› " if picked else "  ", look.accent)]
        runs += editing or self._title(one, picked)
        used = sum(cell_len(text) for text, _ in runs) - 2
        runs.append((" " * max(0, columns.title - used), look.text))
        if columns.age:
            here = info.id == self.here
            told = "here" if here else age(info.modified, self.now)
            runs.append(("  " + told.rjust(columns.age), look.accent if here else look.dim))
        if columns.branch:
            branch = fit(reveal(info.branch), columns.branch)
            runs.append(("  ", look.dim))
            runs += marked_runs(branch, spots(branch, self.query), look.dim, look.accent)
            runs.append((" " * max(0, columns.branch - cell_len(branch)), look.dim))
        if columns.size:
            runs.append(("  " + tell_size(info.size).rjust(columns.size), look.dim))
        if columns.folder:
            runs.append(("  " + _folder(info.cwd, self.home, columns.folder), look.dim))
        return make_row(runs)

    def _title(self, one: Listed, picked: bool) -> list[Run]:
        look, query, room = self.look, self.query, self.columns.title
        base = look.accent_strong if picked else look.text
        marked = base + Style(underline=True) if picked else look.accent
        title = fit(excerpt(one.title, query, room), room)
        at = spots(title, query)
        runs = marked_runs(title, at, base, marked)
        left = room - cell_len(title) - 2
        if not query.strip() or at or left < _FOUND_BY:
            return runs
        # found by what the title does not say: say it
        for text in (one.info.last_prompt, one.info.first_prompt):
            told = fit(excerpt(reveal(text[:_TITLE_CHARS]), query, left), left)
            if found := spots(told, query):
                return [*runs, ("  ", look.dim), *marked_runs(told, found, look.dim, look.accent)]
        return runs


def _folder(cwd: str, home: str, width: int) -> str:
    """The folder in at most *width* cells: its end is what tells folders apart."""
    folder = reveal(short_path(cwd, home))
    while cell_len(folder) > width:
        folder = "…" + folder.lstrip("…")[1:]
    return folder


def tell_size(count: int) -> str:
    """``812 B``, ``14 kB``, ``1.2 MB``."""
    if count < 1_000:
        return f"{count} B"
    if count < 999_500:
        return f"{round(count / 1_000)} kB"
    mega = count / 1_000_000
    return f"{mega:.1f} MB" if mega < 100 else f"{mega:.0f} MB"
