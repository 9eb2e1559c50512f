"""The whole session as a tree: walked with the arrow keys, looked into, gone to, branched from."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual import events

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.screens.field import Field
from agentcli.frontends.tui.screens.full import FullSheet
from agentcli.frontends.tui.screens.sheet import SheetParts, key_rows, title_rule
from agentcli.frontends.tui.screens.tree_page import TreePage
from agentcli.frontends.tui.screens.tree_rows import cut, file_rows, node_rows
from agentcli.frontends.tui.screens.tree_walk import walk_of
from agentcli.frontends.tui.transcript.rows import Row, Run, fit, make_row, wrap_runs
from agentcli.protocol.errors import AgentCliError
from agentcli.protocol.history import TreeNode

if TYPE_CHECKING:
    from agentcli.frontends.tui.app import AgentApp

_LONGEST = 40_000
"""Characters of a text that are shown when one looks into a node."""
_NARROW, _WIDE = 60, 100
_STEPS = {
    **{f"select:{step}": step for step in ("previous", "next", "pageUp", "pageDown")},
    **{f"select:{step}": step for step in ("first", "last")},
    "tree:outward": "outward",
    "tree:inward": "inward",
}
_SCROLLS = {
    "select:previous": "up",
    "select:next": "down",
    "select:pageUp": "pageup",
    "select:pageDown": "pagedown",
    "select:first": "home",
    "select:last": "end",
}


@dataclass(frozen=True, slots=True)
class TreeStep:
    """What to do at the node: ``title`` is the name of the new session, "" for none."""

    kind: Literal["go", "branch"]
    node: TreeNode
    title: str = ""


class TreeScreen(FullSheet[TreeStep | None]):
    """Answers with a step to take, or None: then nothing changes. *read* gets the nodes, *busy*
    says whether a turn is on."""

    contexts = ("Tree", "Select")

    def __init__(
        self,
        look: Look,
        read: Callable[[], Awaitable[Sequence[TreeNode]]],
        busy: Callable[[], bool],
        where: tuple[str, str],
    ) -> None:
        super().__init__(look)
        self._read, self._busy, self._where = read, busy, where
        self.page: TreePage | None = None
        """The tree; None while it is not there."""
        self._told = "reading the session …"
        """A line in the tree's place, or above the keys."""
        self._failed = False
        self._inside: list[Row] | None = None
        """What is shown of one node in the tree's place."""
        self._typing: Literal["", "search", "name"] = ""
        self._field = Field()
        self._begun = 0

    def on_mount(self) -> None:
        super().on_mount()
        self.run_worker(self._load(), group="load")

    async def _load(self) -> None:
        try:
            nodes = await self._read()
        except AgentCliError as error:
            self._told, self._failed = error.message, True
        else:
            self._told = "" if nodes else "nothing was said yet"
            if nodes:
                walk = await asyncio.to_thread(walk_of, nodes)
                self.page = TreePage(walk, self._where)
        self.redraw()

    # drawing

    def draw(self, width: int) -> SheetParts:
        look, page = self.look, self.page
        foot = self._foot(width)
        rows = max(1, self.size.height - 1 - len(foot))
        if page is None:
            mark: Run = ("✗ ", look.bad) if self._failed else ("  ", look.text)
            style = look.bad if self._failed else look.dim
            told = wrap_runs([(self._told, style)], width - 4, [mark], [("  ", look.text)])
            return SheetParts([title_rule("tree", width, look)], cut(told, rows, look), foot)
        head = [title_rule(page.title, width, look)]
        if self._inside is not None:
            missing = [make_row([])] * (rows - len(self._inside))
            return SheetParts(head, [*self._inside, *missing], foot)
        return SheetParts(head, page.draw(width, rows, look), foot)

    def _foot(self, width: int) -> list[Row]:
        look, page = self.look, self.page
        back = (self.key_of("select:cancel") or "ctrl+c", "back")
        if page is None:
            return key_rows([back], width, look)
        if self._typing:
            return [self._line(page, width), *key_rows([("enter", "ok"), back], width, look)]
        told = [make_row([("  " + fit(self._told, width - 4), look.warn)])] if self._told else []
        if self._inside is not None:
            return [*told, *key_rows([("↑↓", "scroll"), back], width, look)]
        return [*told, *key_rows([*self._keys(page, width), back], width, look)]

    def _keys(self, page: TreePage, width: int) -> list[tuple[str, str]]:
        narrow, wide = width < _NARROW, width >= _WIDE
        keys = [
            (self.key_of("select:accept"), "go"),
            (self.key_of("tree:branch"), "branch from here" if wide else "branch"),
            ("" if narrow else self.key_of("tree:files"), "files"),
            (self.key_of("tree:look"), "look into" if wide else "look"),
            ("" if narrow else "←→", "branches"),
            (self.key_of("tree:search"), "search"),
        ]
        if page.found:
            found = (self.key_of("tree:nextFound"), self.key_of("tree:previousFound"))
            keys.append((" ".join(filter(None, found)), "next"))
        return [pair for pair in keys if pair[0]]

    def _line(self, page: TreePage, width: int) -> Row:
        """What is being typed."""
        look = self.look
        if self._typing == "name":
            mark, hint, count = "  new session: ", "its name, or nothing", ""
        else:
            mark, hint = "  / ", "prompt or file"
            count = f"{len(page.found):,} found" if self._field.text else ""
        room = max(4, width - len(mark) - len(count) - 4)
        runs: list[Run] = [(mark, look.accent), *self._field.runs(room, look, hint)]
        return make_row([*runs, ("  " + count, look.dim)] if count else runs)

    # keys

    def key_contexts(self) -> tuple[str, ...]:
        return () if self._typing else self.contexts

    def take_action(self, name: str) -> bool:
        page, self._told = self.page, "" if self.page is not None else self._told
        if name == "select:cancel":
            self._back()
        elif page is None:
            return False
        elif self._inside is not None:
            if name == "tree:look":
                self._back()
            return self.scroll_key(_SCROLLS.get(name, ""))
        elif name in _STEPS:
            page.move(_STEPS[name], max(1, self.size.height - 4))
        else:
            return self._act(page, name)
        self.redraw()
        return True

    def _act(self, page: TreePage, name: str) -> bool:
        match name:
            case "select:accept":
                self._go(page)
            case "tree:branch":
                if not self._refused():
                    self._type("name", "")
            case "tree:look":
                self._look_into(page.node, files=False)
            case "tree:files":
                self._look_into(page.node, files=True)
            case "tree:search":
                self._begun = page.at
                self._type("search", "")
            case "tree:nextFound" | "tree:previousFound":
                page.next_found(1 if name == "tree:nextFound" else -1)
            case _:
                return False
        self.redraw()
        return True

    def _back(self) -> None:
        if self._inside is None:
            self.dismiss(None)
        else:
            self._inside, self.view.top = None, 0
            self.redraw()

    def _go(self, page: TreePage) -> None:
        if page.node.here:
            self.dismiss(None)
        elif not self._refused():
            self.dismiss(TreeStep("go", page.node))

    def _refused(self) -> bool:
        """Is a turn on, which must end before the conversation can be another? It is told."""
        if self._busy():
            self._told = "a turn is on; back to it, and esc stops it"
        return self._busy()

    def _look_into(self, node: TreeNode, files: bool) -> None:
        width, look = self.size.width, self.look
        if files and not node.files:
            self._told = "this turn wrote no file"
        elif files:
            self._inside = file_rows(node, self._where, width, look)
        else:
            self._inside = []
            self.run_worker(self._draw_node(node, width), group="look", exclusive=True)

    async def _draw_node(self, node: TreeNode, width: int) -> None:
        # a long answer takes its time
        rows = await asyncio.to_thread(node_rows, node, self._where, width, _LONGEST, self.look)
        if self._inside is not None and self.page is not None and self.page.node is node:
            self._inside = rows
            self.redraw()

    def on_mouse_scroll_down(self) -> None:
        self._wheel(3)

    def on_mouse_scroll_up(self) -> None:
        self._wheel(-3)

    def _wheel(self, lines: int) -> None:
        # what is shown of a node is scrolled by the view
        if self.page is not None and self._inside is None and not self._typing:
            self.page.move("pageDown" if lines > 0 else "pageUp", abs(lines))
            self.redraw()

    # typing

    def _type(self, what: Literal["search", "name"], text: str) -> None:
        self._typing, self._field = what, Field(text, len(text))

    def take_key(self, event: events.Key) -> None:
        event.stop()
        page = self.page
        if page is None or not self._typing:
            if event.key == "ctrl+c":
                self.dismiss(None)
            return
        match event.key:
            case "escape" | "ctrl+c":
                if self._typing == "search":
                    page.search("", self._begun)
                self._typing = ""
            case "enter":
                typing, self._typing = self._typing, ""
                if typing == "name" and not self._refused():
                    self.dismiss(TreeStep("branch", page.node, self._field.text.strip()))
            case _:
                self._edit(page, self._field.press(event.key, event.character))
        self.redraw()

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if self.page is not None and self._typing:
            self._edit(self.page, self._field.insert(event.text))
            self.redraw()

    def _edit(self, page: TreePage, field: Field | None) -> None:
        if field is None:
            return
        self._field = field
        if self._typing == "search":
            page.search(field.text, self._begun)


def open_tree(app: "AgentApp") -> None:
    """Show the session's tree; what is chosen there is done when it closes."""
    from agentcli.frontends.tui.rewinding import take_step

    engine = app.conversation.engine
    if engine is None:
        app.say("error", app.conversation.failure or "not ready yet; try again in a moment")
        return

    def answer(step: TreeStep | None) -> None:
        if step is not None:
            app.run_worker(take_step(app, engine, step), group="command")

    where = (app.conversation.cwd, app.user_home)
    app.deck.open(TreeScreen(app.look, engine.history.tree, lambda: engine.running, where), answer)
