"""A session's tree as lines with glyphs: the conversation straight down, branches hung between."""

from collections.abc import Sequence
from typing import NamedTuple

from agentcli.protocol.history import TreeNode


class TreeLine(NamedTuple):
    """One line of the tree: ``at`` in the list of nodes, ``prefix`` the glyphs before its text.
    ``hung``: it does not go on with what stands before it, but leaves it."""

    at: int
    prefix: str
    hung: bool = False


def tree_lines(nodes: Sequence[TreeNode]) -> list[TreeLine]:
    """The lines of a tree from top to bottom. Linear; pure. *nodes* must be without circles."""
    below: dict[int | None, list[int]] = {}
    for index, node in enumerate(nodes):
        below.setdefault(node.parent, []).append(index)
    lines: list[TreeLine] = []
    # with each line, what stands before all that follows it
    left: list[tuple[TreeLine, str]] = []
    if heads := below.get(None, []):
        # of several beginnings that of the conversation comes last, so that it can go straight on
        main = next((head for head in heads if nodes[head].on_path), heads[-1])
        left.append((TreeLine(main, ""), ""))
        others = [head for head in heads if head != main]
        left += [(TreeLine(head, "├─ ", hung=True), "│  ") for head in reversed(others)]
    while left:
        line, margin = left.pop()
        lines.append(line)
        children = below.get(line.at, [])
        onward = _onward(nodes, line.at, children)
        hung = [child for child in children if child != onward]
        if onward is not None:
            left.append((TreeLine(onward, margin), margin))
        for child in reversed(hung):
            last = onward is None and child == hung[-1]
            own, rest = ("└─ ", "   ") if last else ("├─ ", "│  ")
            left.append((TreeLine(child, margin + own, hung=True), margin + rest))
    return lines


def _onward(nodes: Sequence[TreeNode], index: int, children: Sequence[int]) -> int | None:
    """The child with which the line of *index* goes straight on: that of the conversation; beside
    it the newest one."""
    on_path = [child for child in children if nodes[child].on_path]
    if on_path or nodes[index].on_path:
        return on_path[-1] if on_path else None
    return children[-1] if children else None
