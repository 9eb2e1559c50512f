"""Where the arrow keys lead in a session's tree, and what a search finds there. Pure."""

from collections.abc import Sequence

from agentcli.protocol.history import TreeNode
from agentcli.session.tree_lines import TreeLine, tree_lines


class TreeWalk:
    """The *lines* of a tree as they are shown, from top to bottom. Positions are those of lines."""

    def __init__(self, nodes: Sequence[TreeNode], lines: Sequence[TreeLine]) -> None:
        self.nodes, self.lines = nodes, lines
        self._place = {line.at: at for at, line in enumerate(lines)}
        self._below: list[list[int]] = [[] for _ in lines]
        self._heads: list[int] = []
        for at, line in enumerate(lines):
            parent = nodes[line.at].parent
            (self._below[self._place[parent]] if parent is not None else self._heads).append(at)
        self._text: list[str] = []
        self._sizes = self._count()

    def node(self, at: int) -> TreeNode:
        """The node of the line *at*."""
        return self.nodes[self.lines[at].at]

    @property
    def here(self) -> int:
        """The line where the conversation ends now; else the last one."""
        found = (at for at in range(len(self.lines)) if self.node(at).here)
        return next(found, max(0, len(self.lines) - 1))

    @property
    def branches(self) -> int:
        """How many ways there are beside the conversation as it is."""
        return sum(self.begins_branch(at) for at in range(len(self.lines)))

    def begins_branch(self, at: int) -> bool:
        """Does a branch that is not the conversation begin here?"""
        return self.lines[at].hung or (
            len(self._heads) > 1 and at in self._heads and not self.node(at).on_path
        )

    def prompts_in(self, at: int) -> int:
        """How many prompts there are from this line on, in all that hangs under it."""
        return self._sizes[at]

    def outward(self, at: int) -> int:
        """To where the branch of this line leaves another one; at last to its first line."""
        while (above := self._above(at)) is not None:
            at = above
            if len(self._below[at]) > 1:
                break
        return at

    def inward(self, at: int) -> int:
        """Into the first branch that begins here, else to the next one beside it, else on to where
        there is a choice again, or to the end."""
        if len(self._below[at]) > 1:
            return self._below[at][0]
        beside = self._beside(at)
        if len(beside) > 1 and at != beside[-1]:
            return beside[beside.index(at) + 1]
        while len(self._below[at]) == 1:
            at = self._below[at][0]
        return at

    def search(self, query: str) -> list[int]:
        """The lines whose prompt or files hold every word of *query*, from top to bottom."""
        words = query.lower().split()
        if not words:
            return []
        if not self._text:
            nodes = (self.nodes[line.at] for line in self.lines)
            self._text = ["\n".join((node.text[:4_000], *node.files)).lower() for node in nodes]
        return [at for at, text in enumerate(self._text) if all(word in text for word in words)]

    def _above(self, at: int) -> int | None:
        parent = self.node(at).parent
        return self._place[parent] if parent is not None else None

    def _beside(self, at: int) -> list[int]:
        above = self._above(at)
        return self._heads if above is None else self._below[above]

    def _count(self) -> list[int]:
        sizes = [int(self.node(at).kind == "prompt") for at in range(len(self.lines))]
        # children stand below their parents
        for at in range(len(self.lines) - 1, -1, -1):
            above = self._above(at)
            if above is not None:
                sizes[above] += sizes[at]
        return sizes


def walk_of(nodes: Sequence[TreeNode]) -> TreeWalk:
    """The tree of *nodes* as it is shown. At most a few milliseconds for each thousand nodes."""
    return TreeWalk(nodes, tree_lines(nodes))
