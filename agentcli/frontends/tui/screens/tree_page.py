"""A session's tree with a cursor in it: what is in sight, what was searched, what stands beside."""

from functools import cached_property
from time import time

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.screens.marked import beside
from agentcli.frontends.tui.screens.tree_rows import cut, node_rows, tree_row
from agentcli.frontends.tui.screens.tree_walk import TreeWalk
from agentcli.frontends.tui.transcript.rows import Row, make_row
from agentcli.protocol.history import TreeNode

_PREVIEW_FROM = 100
_GLANCE = 1_200
"""Characters of a text beside the tree: drawn at each key, and more would not fit."""


class TreePage:
    """State and drawing, no widget. Begins where the conversation ends; only lines in sight are
    drawn. *where*: the working folder and the home, for short paths."""

    def __init__(self, walk: TreeWalk, where: tuple[str, str]) -> None:
        self.walk = walk
        self.at = walk.here
        """The line under the cursor."""
        self.query = ""
        self.found: list[int] = []
        """The lines that fit the query."""
        self._where = where
        self._now = time()
        self._top = 0
        self._drawn: dict[tuple[int, bool], Row] = {}
        self._drawn_for = ("", 0)
        self._glance: tuple[tuple[int, int, int], list[Row]] | None = None

    @property
    def node(self) -> TreeNode:
        """The node under the cursor."""
        return self.walk.node(self.at)

    @cached_property
    def title(self) -> str:
        """``tree · 12 prompts · 2 branches``."""
        prompts = sum(node.kind == "prompt" for node in self.walk.nodes)
        told = f"tree · {prompts:,} prompt{'' if prompts == 1 else 's'}"
        branches = self.walk.branches
        return f"{told} · {branches:,} branch{'' if branches == 1 else 'es'}" if branches else told

    def draw(self, width: int, rows: int, look: Look) -> list[Row]:
        """*rows* rows around the cursor, what was said there beside them if there is room."""
        lines = len(self.walk.lines)
        # the lines around it are in sight too
        margin = min(2, (rows - 1) // 2)
        self._top = min(self._top, self.at - margin)
        self._top = max(self._top, self.at - rows + 1 + margin)
        self._top = max(0, min(self._top, lines - rows))
        left = width * 3 // 5 if width >= _PREVIEW_FROM else width
        drawn = [self._row(at, left, look) for at in range(self._top, min(self._top + rows, lines))]
        drawn += [make_row([])] * (rows - len(drawn))
        if width < _PREVIEW_FROM:
            return drawn
        return beside(drawn, self._beside(width - left - 3, rows, look), left, look)

    def _row(self, at: int, width: int, look: Look) -> Row:
        if self._drawn_for != (self.query, width):
            self._drawn_for = (self.query, width)
            self._drawn.clear()
        key = (at, at == self.at)
        if key not in self._drawn:
            self._drawn[key] = tree_row(self.walk, *key, self.query, width, self._now, look)
        return self._drawn[key]

    def _beside(self, width: int, rows: int, look: Look) -> list[Row]:
        key = (self.at, width, rows)
        if self._glance is None or self._glance[0] != key:
            most = min(_GLANCE, rows * width // 2)
            drawn = node_rows(self.node, self._where, width, most, look)
            self._glance = (key, cut(drawn, rows, look))
        return self._glance[1]

    # moving

    def move(self, step: str, page: int) -> None:
        """``previous``, ``next``, ``pageUp`` …, ``outward`` or ``inward``."""
        last = len(self.walk.lines) - 1
        match step:
            case "outward":
                self.at = self.walk.outward(self.at)
            case "inward":
                self.at = self.walk.inward(self.at)
            case _:
                steps = {"previous": -1, "next": 1, "pageUp": -page, "pageDown": page}
                target = {"first": 0, "last": last}.get(step, self.at + steps.get(step, 0))
                self.at = max(0, min(target, last))

    def search(self, query: str, begun: int) -> None:
        """Mark what fits *query*, and go to the first such line from *begun* on, around the end."""
        self.query, self.found = query, self.walk.search(query)
        self.at = next(
            (at for at in self.found if at >= begun), self.found[0] if self.found else begun
        )

    def next_found(self, direction: int) -> None:
        """Go to the next (1) or previous (-1) line that fits, around the ends."""
        if self.found:
            before = sum(at < self.at for at in self.found)
            onto = self.at in self.found
            step = direction if onto else min(direction, 0)
            self.at = self.found[(before + step) % len(self.found)]
