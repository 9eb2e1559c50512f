"""The list of sessions as it is read, searched and drawn; its keys are in ``resume``."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events

from agentcli.base.text import one_line
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.screens.field import Field, field_of
from agentcli.frontends.tui.screens.full import FullSheet
from agentcli.frontends.tui.screens.marked import beside
from agentcli.frontends.tui.screens.session_list import (
    Listed,
    SessionRows,
    find,
    measure,
    prepare,
    tell_size,
    typed_in,
)
from agentcli.frontends.tui.screens.session_peek import Peek
from agentcli.frontends.tui.screens.sheet import SheetParts, key_rows, title_rule
from agentcli.frontends.tui.transcript.rows import Row, Run, fit, make_row, wrap_runs
from agentcli.protocol.errors import AgentCliError
from agentcli.protocol.history import SessionInfo

if TYPE_CHECKING:
    from agentcli.frontends.tui.port import CatalogPort

_PREVIEW_FROM = 100
_TOLD_ROWS = 3


@dataclass(frozen=True, slots=True)
class Place:
    """Where the person is: the session that is open and how it is renamed (another may not write
    its file), the git *branch* ("" without), the home folder for short paths."""

    session_id: str
    branch: str
    home: str
    rename: Callable[[str], None]


class ResumeView(FullSheet[SessionInfo | None]):
    """What the list of sessions looks like, whatever is done with it."""

    def __init__(
        self,
        look: Look,
        catalog: "CatalogPort",
        place: Place,
        query: str = "",
        everywhere: bool = False,
    ) -> None:
        super().__init__(look)
        self._catalog = catalog
        self._place = place
        self._query = field_of(query)
        self._everywhere = everywhere
        self._one_branch = False
        self._listed: list[Listed] | None = None
        """None while the list is read."""
        self._matches: list[Listed] = []
        self._index = self._top = 0
        self._told = ""
        """Why the last wish was refused."""
        self._name: Field | None = None
        """The title while it is typed anew."""
        self._doomed: SessionInfo | None = None
        """Deleted by the next ctrl+d."""
        self._peeking = False
        """Is the end of one session all that is shown?"""
        self._peek = Peek(look, catalog, self._seen)
        self._now = time.time()

    @property
    def sought(self) -> tuple[str, bool]:
        """The query, and whether it was for all projects: to begin there again."""
        return self._query.text, self._everywhere

    @property
    def matches(self) -> Sequence[SessionInfo]:
        """The sessions that fit, newest first."""
        return [one.info for one in self._matches]

    @property
    def chosen(self) -> SessionInfo | None:
        """The session under the cursor."""
        return self._matches[self._index].info if self._matches else None

    def on_mount(self) -> None:
        super().on_mount()
        self._load()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._look_into()

    # finding

    def _load(self) -> None:
        self._listed, self._matches = None, []
        self.run_worker(self._read(), group="load", exclusive=True)
        self.redraw()

    async def _read(self) -> None:
        everywhere = self._everywhere

        def read() -> list[Listed]:
            return prepare(typed_in(self._catalog.list(everywhere)))

        try:
            self._listed = await asyncio.to_thread(read)
        except (AgentCliError, OSError) as error:
            self._listed, self._told = [], f"the sessions cannot be read: {words_of(error)}"
        self._find()

    def _find(self) -> None:
        branch = self._place.branch if self._one_branch else None
        chosen = self.chosen.id if self.chosen is not None else ""
        self._matches = find(self._listed or (), self._query.text, branch)
        ids = [one.info.id for one in self._matches]
        self._go(ids.index(chosen) if chosen in ids else 0)

    def _go(self, index: int) -> None:
        self._index = max(0, min(index, len(self._matches) - 1))
        self._look_into()
        self.redraw()

    def _look_into(self) -> None:
        if self.chosen is not None and (self._peeking or self.size.width >= _PREVIEW_FROM):
            self._peek.want(self, self.chosen, self._peek_width)

    def _seen(self) -> None:
        """A preview is there."""
        self.redraw()
        if self._peeking:
            self.view.scroll_body(len(self.view.parts.body))

    # drawing

    def draw(self, width: int) -> SheetParts:
        return self._draw_peek(width) if self._peeking else self._draw_list(width)

    def _draw_list(self, width: int) -> SheetParts:
        look = self.look
        query: list[Run] = [("› ", look.accent_strong)]
        query += self._query.runs(width - 4, look, "type to search")
        head = [title_rule(self._title(), width, look), make_row(query)]
        foot = self._foot(width)
        rows = max(1, self.size.height - len(head) - len(foot))
        self._top = max(min(self._top, self._index), self._index - rows + 1)
        self._top = max(0, min(self._top, len(self._matches) - rows))
        wide = width >= _PREVIEW_FROM
        list_width = width - self._peek_width - 3 if wide else width
        body = self._rows(list_width, rows)
        if wide:
            body = beside(body, self._peek.tail(self.chosen, rows), list_width, look)
        return SheetParts(head, body, foot)

    @property
    def _peek_width(self) -> int:
        width = self.size.width
        return max(1, width - 2) if self._peeking else width * 9 // 20 - 3

    def _title(self) -> str:
        parts = ["sessions", "all projects" if self._everywhere else "this project"]
        if self._one_branch:
            parts.append(self._place.branch)
        if self._listed is not None:
            total, found = len(self._listed), len(self._matches)
            parts.append(f"{found:,} of {total:,}" if found != total else f"{total:,}")
        return " · ".join(parts)

    def _rows(self, width: int, rows: int) -> list[Row]:
        look, place = self.look, self._place
        shown = self._matches[self._top : self._top + rows]
        columns = measure(shown, width, self._everywhere, place.home)
        drawer = SessionRows(
            columns, self._query.text, look, self._now, place.home, place.session_id
        )
        drawn: list[Row] = []
        for at, one in enumerate(shown, self._top):
            picked = at == self._index
            editing: list[Run] = []
            if picked and self._name is not None:
                editing = self._name.runs(columns.title, look, "a name")
            drawn.append(drawer.row(one, picked, editing))
        if not drawn:
            drawn = [make_row([("  " + fit(self._nothing(), width - 2), look.dim)])]
        return drawn + [make_row([])] * (rows - len(drawn))

    def _nothing(self) -> str:
        if self._listed is None:
            return "loading…"
        if self._listed and self._one_branch and not find(self._listed, "", self._place.branch):
            return f"none on {self._place.branch}; ctrl+b shows all branches"
        if self._listed:
            return "nothing matches" + ("" if self._everywhere else "; ctrl+a looks everywhere")
        if self._everywhere:
            return "no sessions yet; a conversation is kept from its first prompt on"
        return "no sessions here yet; ctrl+a shows all projects"

    def _foot(self, width: int) -> list[Row]:
        look = self.look
        if self._doomed is not None:
            name = one_line(self._doomed.title, max(8, min(40, width - 46)))
            doomed = f"  ctrl+d again deletes “{name}”, {tell_size(self._doomed.size)}, for good"
            return [
                make_row([(fit(doomed, width), look.warn)]),
                *key_rows([("ctrl+d", "delete"), ("esc", "keep it")], width, look),
            ]
        if self._name is not None:
            return key_rows([("enter", "rename"), ("esc", "back")], width, look)
        margin: list[Run] = [("  ", look.text)]
        told: list[Run] = [(one_line(self._told, 400), look.bad)]
        refused = wrap_runs(told, max(1, width - 4), margin, margin) if self._told else []
        return [*refused[:_TOLD_ROWS], *self._keys(width)]

    def _keys(self, width: int) -> list[Row]:
        look = self.look
        peek = "tab" if self._query.text else "space"
        main = [("enter", "resume"), (peek, "preview"), ("ctrl+r", "rename"), ("ctrl+d", "delete")]
        if self.size.height < 16 or width < 60:
            return key_rows([main[0], ("esc", "back"), main[1]], width, look)[:1]
        scope = "this project" if self._everywhere else "all projects"
        keys = [*main, ("ctrl+a", scope)]
        if self._place.branch:
            keys.append(("ctrl+b", "all branches" if self._one_branch else "this branch"))
        return key_rows([*keys, ("esc", "back")], width, look)

    def _draw_peek(self, width: int) -> SheetParts:
        look, info = self.look, self.chosen
        title = one_line(info.title, 80) if info is not None else ""
        keys = [("enter", "resume"), ("↑↓", "scroll"), ("esc", "back")]
        body = self._peek.rows(info)
        return SheetParts([title_rule(title, width, look)], body, key_rows(keys, width, look))


def words_of(error: Exception) -> str:
    """What went wrong, in a line. Pure."""
    if isinstance(error, AgentCliError):
        return error.message
    return getattr(error, "strerror", None) or str(error)
