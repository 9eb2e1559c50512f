"""A tree as lines: every node once, under its parent, the conversation straight down."""

import random
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcli.protocol.history import TreeNode
from agentcli.session.outline import outline
from agentcli.session.tree_lines import tree_lines
from tests.session.test_reading import random_session


def node(parent: int | None, *, on_path: bool = False) -> TreeNode:
    return TreeNode("e", "prompt", "", 0.0, parent, "e", on_path)


def drawn(*nodes: TreeNode) -> list[str]:
    return [f"{line.prefix}{line.at}" for line in tree_lines(nodes)]


def test_a_conversation_goes_straight_down() -> None:
    assert drawn(node(None), node(0), node(1)) == ["0", "1", "2"]


def test_branches_hang_between_and_the_conversation_goes_on() -> None:
    on = [node(parent, on_path=True) for parent in (None, 0, 1)]
    assert drawn(*on, node(0), node(3), node(0)) == ["0", "├─ 3", "│  4", "├─ 5", "1", "2"]


def test_where_the_conversation_ends_the_last_branch_closes() -> None:
    here = node(None, on_path=True)
    assert drawn(here, node(0), node(0), node(2)) == ["0", "├─ 1", "└─ 2", "   3"]


def test_beside_the_conversation_the_newest_goes_straight_on() -> None:
    assert drawn(node(None), node(0), node(0)) == ["0", "├─ 1", "2"]


def test_a_branch_of_a_branch_keeps_the_glyphs_of_both() -> None:
    on = [node(None, on_path=True), node(0, on_path=True)]
    assert drawn(*on, node(0), node(2), node(2)) == ["0", "├─ 2", "│  ├─ 3", "│  4", "1"]


def test_nothing_gives_nothing() -> None:
    assert tree_lines([]) == []


@given(seed=st.integers(0, 2**32), size=st.integers(0, 120))
def test_each_node_stands_once_below_its_parent(seed: int, size: int) -> None:
    nodes = outline(random_session(random.Random(seed), size))
    lines = tree_lines(nodes)
    place = {line.at: number for number, line in enumerate(lines)}
    assert sorted(place) == list(range(len(nodes)))
    for line in lines:
        parent = nodes[line.at].parent
        if parent is not None:
            assert place[parent] < place[line.at]
            assert line.hung == (len(line.prefix) > len(lines[place[parent]].prefix))
    straight = [line.at for line in lines if nodes[line.at].on_path and not line.hung]
    assert all(not line.hung for line in lines if nodes[line.at].on_path)
    assert straight == sorted(straight, key=place.__getitem__)


def seconds(count: int) -> float:
    nodes = [replace(node(at - 1 if at else None), entry_id=str(at)) for at in range(count)]
    start = time.process_time()
    tree_lines(nodes)
    return time.process_time() - start


@pytest.mark.benchmark
def test_the_time_grows_with_the_tree_only() -> None:
    small, large = (min(seconds(size) for _ in range(3)) for size in (5_000, 50_000))
    assert large / small < 20
