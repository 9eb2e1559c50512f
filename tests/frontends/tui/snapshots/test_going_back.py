"""The sheets that go back in a session as pictures: rewind in its two steps, and the tree."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from textual.pilot import Pilot

from agentcli.frontends.tui.app import AgentApp
from agentcli.frontends.tui.screens import tree_page
from agentcli.frontends.tui.screens.rewind import open_rewind
from agentcli.frontends.tui.screens.tree import open_tree
from tests.frontends.tui.fake_engine import FakeEngine
from tests.frontends.tui.harness import make_app, screen_text
from tests.frontends.tui.past import NOON, PLAN, PREVIOUS, points, tree
from tests.frontends.tui.scenes import whole_turn
from tests.frontends.tui.snapshots import test_screens
from tests.frontends.tui.snapshots.test_screens import SIZES, THEMES, Compare, is_ready, wait

fixed_version = test_screens.fixed_version


@dataclass(frozen=True)
class Scene:
    """What is opened, the keys pressed then, what is on the screen at last."""

    opens: Callable[[AgentApp], None]
    keys: tuple[str, ...]
    shows: str


SCENES = {
    "rewind": Scene(open_rewind, (), "rewind · 4"),
    "rewind_search": Scene(open_rewind, ("c", "o", "n", "f"), "1 of 4"),
    "rewind_choice": Scene(open_rewind, ("enter",), "conversation and code"),
    "rewind_summary": Scene(open_rewind, ("enter", "down", "down", "down", *"the API"), "the API"),
    "tree": Scene(open_tree, (), "tree · 8"),
    "tree_search": Scene(open_tree, ("slash", *"dec"), "2 found"),
    "tree_inside": Scene(open_tree, ("home", "space"), "files written"),
    "tree_branch": Scene(open_tree, ("left", "left", "down", "b", *"dec"), "new session"),
}


@pytest.fixture(autouse=True)
def noon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The same day and time zone wherever this runs."""
    monkeypatch.setattr(tree_page, "time", lambda: NOON + 3_600)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("look", THEMES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SCENES)
def test_going_back(
    snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, name: str, size: str, look: str
):
    if look == "no_color":
        monkeypatch.setenv("NO_COLOR", "1")
    scene = SCENES[name]
    engines: list[FakeEngine] = []
    app = make_app(whole_turn, engines, theme=THEMES[look], initial_prompt="the total is wrong")

    async def before(pilot: Pilot[int]) -> None:
        await wait(pilot, lambda: app.equipment is not None and app.equipment.attached)
        await wait(pilot, lambda: is_ready(app, "ended"))
        app.transcript.flush()
        history = engines[0].history
        history.points, history.plan, history.nodes = points(time.time()), PLAN, tree()
        history.can_undo, history.previous = True, PREVIOUS
        scene.opens(app)
        await pilot.pause(0.1)
        for key in scene.keys:
            await pilot.press(key)
            await pilot.pause(0.02)
        await pilot.pause(0.1)
        assert scene.shows in screen_text(app)

    assert snap_compare(app, terminal_size=SIZES[size], run_before=before)
