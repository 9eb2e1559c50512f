"""The session's tree: its lines, walking and searching in it, going somewhere and branching."""

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.look.themes import DARK
from agentcli.frontends.tui.screens.tree import TreeScreen, open_tree
from agentcli.frontends.tui.screens.tree_page import TreePage
from agentcli.frontends.tui.screens.tree_rows import told_time, tree_row
from agentcli.frontends.tui.screens.tree_walk import TreeWalk, walk_of
from agentcli.protocol.errors import SessionError, UsageError
from agentcli.protocol.events import PromptAdded
from agentcli.protocol.history import TreeNode
from tests.frontends.tui.fake_history import FakeHistory
from tests.frontends.tui.harness import Script, Window, no_answer, window
from tests.frontends.tui.past import NOON, node, tree
from tests.frontends.tui.scenes import endless, long_history

LOOK = make_look(DARK)
WHERE = ("/code/shop", "/code")


@dataclass
class Grown:
    shown: Window
    sheet: TreeScreen

    @property
    def history(self) -> FakeHistory:
        return self.shown.engine.history

    @property
    def done(self) -> list[tuple[object, ...]]:
        return [call for call in self.history.calls if call[0] != "tree"]

    @property
    def text(self) -> str:
        assert self.sheet.page is not None
        return self.sheet.page.node.text

    async def press(self, *keys: str) -> None:
        await self.shown.pilot.press(*keys)
        await self.shown.pilot.pause()

    async def closed(self) -> None:
        await self.shown.until(lambda: len(self.shown.app.screen_stack) == 1)


@asynccontextmanager
async def grown(
    nodes: Sequence[TreeNode] | None = None,
    size: tuple[int, int] = (80, 24),
    script: Script = no_answer,
    prompt: str = "",
) -> AsyncGenerator[Grown]:
    async with window(script, size=size, history=long_history(1)) as shown:
        await shown.until(lambda: shown.app.equipment is not None and shown.app.equipment.attached)
        if prompt:
            await shown.send(prompt)
            await shown.until(lambda: shown.engine.running)
        shown.engine.history.nodes = list(tree() if nodes is None else nodes)
        open_tree(shown.app)
        await shown.until(lambda: isinstance(shown.app.screen, TreeScreen))
        sheet = shown.app.screen
        assert isinstance(sheet, TreeScreen)
        await shown.until(lambda: sheet.page is not None or not sheet._told.startswith("reading"))
        yield Grown(shown, sheet)


async def test_the_whole_session_stands_there_the_cursor_where_it_is():
    async with grown() as it:
        lines = [line[10:] for line in it.shown.lines()[1:10]]
        assert lines == [
            "the total is wrong when a line has a discount, fix it",
            "├─ now make it configurable                       (branch, 4 prompts)",
            "│  ├─ with a setting in pyproject                 (branch, 2 prompts)",
            "│  │  and document it",
            "│  no, in the environment",
            "├─ use Decimal instead                                       (branch)",
            "use Decimal and keep the API",
            "◇ compacted 82k → 6k",
            "add a changelog entry                                          ← here",
        ]
        assert "tree · 8 prompts · 3 branches" in it.shown.lines()[0]
        assert it.text == "add a changelog entry"
        assert it.shown.lines()[9].startswith("› ")
        assert it.sheet.view.size.height == 24


async def test_arrows_lead_to_branch_points_into_branches_and_beside_them():
    async with grown() as it:
        for key, text in (
            ("left", "the total"),
            ("right", "now make"),
            ("right", "with a setting"),
            ("right", "no, in the env"),
            ("left", "now make"),
            ("left", "the total"),
            ("left", "the total"),
            ("down", "now make"),
            ("end", "add a"),
            ("pageup", "the total"),
            ("pagedown", "add a"),
            ("home", "the total"),
            ("up", "the total"),
            ("j", "now make"),
            ("k", "the total"),
        ):
            await it.press(key)
            assert it.text.startswith(text), key


async def test_enter_goes_there():
    async with grown() as it:
        it.history.pasts["l5"] = [PromptAdded("e", "the conversation from there")]
        await it.press("home", "right", *["down"] * 4)
        assert it.text == "use Decimal instead"
        await it.press("enter")
        await it.shown.shows("the conversation from there")
        assert it.done == [("go_to", "l5")]
        await it.shown.shows("went to: use Decimal instead")


async def test_going_to_where_one_is_only_closes():
    async with grown() as it:
        await it.press("enter")
        await it.closed()
        assert it.done == []


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_leaving_changes_nothing(key: str):
    async with grown() as it:
        before = it.shown.app.transcript.size
        await it.press("home", key)
        await it.closed()
        assert it.done == []
        assert it.shown.app.transcript.size == before
        assert "question 0" in it.shown.screen()


async def test_b_branches_with_a_name_or_without():
    async with grown() as it:
        await it.press("home", "b", *"dec", "enter")
        await it.closed()
        await it.shown.until(lambda: it.done)
        assert it.done == [("branch", "dec", "l0")]
        await it.shown.shows("this is a copy to go on in")
    async with grown() as it:
        await it.press("b", "enter")
        await it.shown.until(lambda: it.done)
        assert it.done == [("branch", "", "l8")]
    async with grown() as it:
        await it.press("b", "x", "escape")
        assert isinstance(it.shown.app.screen, TreeScreen) and it.done == []
        assert "new session" not in it.shown.screen()


async def test_while_a_turn_is_on_one_can_look_but_not_go():
    async with grown(script=endless, prompt="go") as it:
        for keys in (("home", "enter"), ("b",)):
            await it.press(*keys)
            assert "a turn is on" in it.shown.screen()
            assert isinstance(it.shown.app.screen, TreeScreen)
            await it.press("down")
            assert "a turn is on" not in it.shown.screen()
        assert it.done == []
        assert it.shown.engine.running


async def test_an_error_is_one_line_and_nothing_changes():
    async with grown() as it:
        it.history.fails["go_to"] = UsageError("that place is not in this session any more")
        await it.press("home", "enter")
        await it.shown.shows("✗ that place is not in this session any more")
        assert "question 0" in it.shown.screen()


async def test_a_session_that_cannot_be_read_or_is_empty():
    async with grown([]) as it:
        assert "nothing was said yet" in it.shown.screen()
        await it.press("enter", "b", "slash", "space", "d", "escape")
        await it.closed()
        assert it.done == []
        it.history.fails["tree"] = SessionError("s1.jsonl: no such file")
        open_tree(it.shown.app)
        await it.shown.shows("✗ s1.jsonl: no such file")


async def test_search_goes_to_the_next_match_and_round():
    async with grown() as it:
        await it.press("home", "slash", *"decimal")
        assert "2 found" in it.shown.screen()
        assert it.text == "use Decimal instead"
        await it.press("enter", "n")
        assert it.text == "use Decimal and keep the API"
        await it.press("n")
        assert it.text == "use Decimal instead"
        await it.press("N")
        assert it.text == "use Decimal and keep the API"
        # n and b are letters while something is typed; files are searched too
        await it.press("slash", *"money.py", "enter")
        assert it.text == "use Decimal and keep the API" and "1 found" not in it.shown.screen()
        await it.press("end", "slash", *"zzz")
        assert "0 found" in it.shown.screen() and it.text == "add a changelog entry"
        await it.press("escape", "n")
        assert it.text == "add a changelog entry"
        assert isinstance(it.shown.app.screen, TreeScreen)


async def test_search_begins_at_the_cursor():
    async with grown() as it:
        await it.press("home", *["down"] * 6, "slash", *"decimal")
        assert it.text == "use Decimal and keep the API"


async def test_esc_in_a_search_returns_to_where_it_began():
    async with grown() as it:
        await it.press("slash", *"discount")
        assert it.text.startswith("the total")
        await it.press("escape")
        assert it.text == "add a changelog entry"


async def test_space_looks_into_a_node():
    long = replace(tree()[0], answer="\n\n".join(f"line {at}" for at in range(60)))
    async with grown([long]) as it:
        await it.press("space")
        await it.shown.shows("2 files written")
        assert "  line 0" in it.shown.screen() and "more lines" in it.shown.screen()
        await it.press("end")
        assert "  line 59" in it.shown.screen()
        await it.press("space")
        assert "enter go" in it.shown.screen()
        await it.press("d")
        text = it.shown.screen()
        assert "src/cart.py" in text and "tests/test_cart.py" in text and "line 0" not in text
        await it.press("enter", "escape")
        assert isinstance(it.shown.app.screen, TreeScreen) and it.done == []


async def test_a_turn_without_files_says_so():
    async with grown() as it:
        await it.press("d")
        assert "this turn wrote no file" in it.shown.screen()


async def test_what_was_said_stands_beside_the_tree_from_100_columns():
    async with grown(size=(100, 24)) as it:
        await it.press("home")
        rows = [line.partition("│ ")[2] for line in it.shown.lines() if "│ " in line]
        beside = " ".join(row.rpartition("│ ")[2].strip() for row in rows)
        assert "src/cart.py" in beside and "all 12 tests pass" in beside
    async with grown(size=(99, 24)) as it:
        await it.press("home")
        assert "all 12 tests pass" not in it.shown.screen()


async def test_a_low_and_narrow_window_keeps_the_cursor_in_sight():
    async with grown(size=(40, 12)) as it:
        for key in ("home", *["down"] * 8, *["up"] * 8):
            await it.press(key)
            line = next(line for line in it.shown.lines() if line.startswith("› "))
            assert it.text[:8] in line


async def test_the_wheel_walks_and_inside_a_node_it_scrolls():
    long = replace(tree()[0], answer="\n\n".join(f"line {at}" for at in range(60)))
    async with grown([long, *tree()[1:]]) as it:
        await wheel(it, up=True)
        assert it.text == "use Decimal instead"
        await wheel(it)
        assert it.text == "add a changelog entry"
        await it.press("home", "space")
        await it.shown.shows("line 0")
        await wheel(it)
        assert it.sheet.view.top == 3 and it.text.startswith("the total")


async def wheel(it: Grown, up: bool = False) -> None:
    kind = events.MouseScrollUp if up else events.MouseScrollDown
    await it.shown.pilot._post_mouse_events([kind], it.sheet.view, offset=(5, 5))
    await it.shown.pilot.pause()


async def test_of_ten_thousand_nodes_only_those_in_sight_are_drawn():
    many = [node(str(at), at - 1 if at else None, f"prompt {at}", at, True) for at in range(10_000)]
    many[-1] = replace(many[-1], here=True)
    async with grown(many) as it:
        assert it.text == "prompt 9999"
        assert len(it.sheet.view.parts.body) == 22
        await it.press("left")
        assert it.text == "prompt 0"
        await it.press("right")
        assert it.text == "prompt 9999"
        await it.press("slash", *"prompt 4711", "enter")
        assert it.text == "prompt 4711"


async def test_hidden_characters_are_shown_as_such():
    evil = node("0", None, "evil \x1b]0;x\x07 \u202eprompt", 0, True, files=("/code/a\x1b[2J.py",))
    async with grown([evil], size=(120, 24)) as it:
        text = it.shown.screen()
        # in the tree and beside it
        assert text.count("evil \\x1b]0;x\\x07 \\u202eprompt") == 2
        assert "~/a\\x1b[2J.py" in text


# pure


def lines_of(walk: TreeWalk) -> list[str]:
    return [line.prefix + walk.nodes[line.at].text for line in walk.lines]


def test_one_who_went_back_sees_all_that_came_later_as_branches():
    nodes = [
        node("0", None, "a", 0, True, here=True),
        node("1", 0, "b", 1),
        node("2", 1, "c", 2),
        node("3", 0, "d", 3),
        node("4", 3, "e", 4),
        node("5", 3, "f", 5),
    ]
    walk = walk_of(nodes)
    assert lines_of(walk) == ["a", "├─ b", "│  c", "└─ d", "   ├─ e", "   f"]
    assert walk.branches == 3 and walk.here == 0


def test_several_roots_stand_below_each_other():
    nodes = [node("0", None, "old", 0), node("1", None, "new", 1, True), node("2", 0, "more", 2)]
    walk = walk_of(nodes)
    assert lines_of(walk) == ["├─ old", "│  more", "new"]
    assert walk.begins_branch(0) and not walk.begins_branch(1) and not walk.begins_branch(2)
    assert walk.prompts_in(0) == 2
    assert walk.inward(0) == 2 and walk.outward(1) == 0


@given(st.lists(st.integers(0, 30), max_size=40), st.integers(0, 40))
def test_every_node_has_its_line_and_every_key_stays_inside(parents: list[int], end: int):
    nodes: list[TreeNode] = []
    for at, wish in enumerate(parents):
        parent = None if wish >= at else wish
        nodes.append(node(str(at), parent, f"n{at}", at))
    if not nodes:
        return
    at: int | None = end % len(nodes)
    nodes[at] = replace(nodes[at], here=True)
    while at is not None:
        nodes[at] = replace(nodes[at], on_path=True)
        at = nodes[at].parent
    walk = walk_of(nodes)
    assert sorted(line.at for line in walk.lines) == list(range(len(nodes)))
    place = {line.at: at for at, line in enumerate(walk.lines)}
    for at in range(len(nodes)):
        parent = walk.node(at).parent
        assert parent is None or place[parent] < at
        assert 0 <= walk.inward(at) < len(nodes) and 0 <= walk.outward(at) <= at
        # the conversation goes straight down
        assert not walk.node(at).on_path or walk.lines[at].prefix == ""
    page = TreePage(walk, WHERE)
    for width, rows in ((80, 24), (20, 3), (1, 1), (120, 10)):
        drawn = page.draw(width, rows, LOOK)
        assert len(drawn) == rows
        if width >= 20:
            assert all(row.strip.cell_length <= width for row in drawn)


@pytest.mark.parametrize("width", [20, 40, 80, 140])
def test_deep_branches_and_wide_letters_stay_on_the_screen(width: int):
    nodes = [node("0", None, "日本語の" * 60, 0, True, here=True)]
    for at in range(1, 120, 2):
        nodes += [
            node(str(at), max(0, at - 2), "side", at),
            node(str(at + 1), max(0, at - 2), "on", at),
        ]
    walk = walk_of(nodes)
    for at in range(len(nodes)):
        row = tree_row(walk, at, True, "side", width, NOON, LOOK)
        assert row.strip.cell_length <= width


def test_times(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    assert told_time(NOON, NOON + 60) == "12:02"
    assert told_time(NOON, NOON + 86_400) == "5 Jan"
    assert told_time(NOON, NOON + 400 * 86_400) == "2026"
    assert told_time(0, NOON) == ""
    monkeypatch.undo()
    time.tzset()
