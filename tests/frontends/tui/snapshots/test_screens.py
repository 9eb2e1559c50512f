"""Every screen as a picture: no clock, no path of the machine, no version in them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import pytest
from textual.app import App
from textual.pilot import Pilot

from agentcli.frontends.tui import app as app_module
from agentcli.frontends.tui.app import AgentApp
from agentcli.frontends.tui.screens import approve
from tests.frontends.tui.harness import Script, make_app, screen_text
from tests.frontends.tui.scenes import ask_bash, ask_edit, whole_turn
from tests.frontends.tui.sessions import compacted_turn, other_sessions

Before = Callable[[Pilot[int]], Awaitable[None]]


class Compare(Protocol):
    def __call__(
        self, app: App[int], *, terminal_size: tuple[int, int], run_before: Before
    ) -> bool: ...


@pytest.fixture(autouse=True)
def fixed_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "__version__", "0.0.0")


@dataclass(frozen=True)
class Scene:
    """What the engine does after one prompt, until when it is waited, and the keys pressed then."""

    script: Script
    ready: Literal["ended", "asked"]
    keys: tuple[str, ...] = ()
    shows: str = ""


_RESUME = (*"/resume", "escape", "enter")

SCENES = {
    "main": Scene(whole_turn, "ended"),
    "unfolded": Scene(whole_turn, "ended", ("ctrl+o", "ctrl+o", "ctrl+home")),
    "approve_diff": Scene(ask_edit, "asked"),
    "approve_bash": Scene(ask_bash, "asked"),
    "approve_always": Scene(ask_bash, "asked", ("a",)),
    "help": Scene(whole_turn, "ended", ("question_mark",), "help"),
    "palette": Scene(whole_turn, "ended", ("ctrl+p",), "commands"),
    "theme": Scene(whole_turn, "ended", (*"/theme ", "escape", "enter"), "follows"),
    "menu": Scene(whole_turn, "ended", ("/",), "/help"),
    "history": Scene(whole_turn, "ended", ("ctrl+r",), "history"),
    "search": Scene(whole_turn, "ended", ("ctrl+f", *"round"), "/"),
    "reading": Scene(whole_turn, "ended", ("alt+j", "k", "k", "v", "k"), "esc"),
    "shell": Scene(whole_turn, "ended", ("!", *"git status")),
    "keys": Scene(whole_turn, "ended", (*"/keys", "escape", "enter"), "press any key"),
    "sessions": Scene(other_sessions, "ended", _RESUME, "sessions"),
    "sessions_found": Scene(other_sessions, "ended", (*_RESUME, "ctrl+a", *"cart"), "of 7"),
    "session_end": Scene(other_sessions, "ended", (*_RESUME, "space"), "round"),
    "session_deleted": Scene(other_sessions, "ended", (*_RESUME, "down", "ctrl+d"), "again"),
    "session_renamed": Scene(other_sessions, "ended", (*_RESUME, "down", "ctrl+r"), "rename"),
    "session_in_use": Scene(other_sessions, "ended", (*_RESUME, "end", "enter"), "fork it"),
    "compacted": Scene(compacted_turn, "ended", ("ctrl+o", "ctrl+o"), "still open"),
}
SIZES = {"80x24": (80, 24), "120x40": (120, 40), "40x12": (40, 12)}
THEMES = {"dark": "dark", "light": "light", "no_color": "dark-ansi"}


@pytest.mark.parametrize("look", THEMES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SCENES)
def test_screen(
    snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, name: str, size: str, look: str
):
    if look == "no_color":
        monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(approve, "GRACE", 0.0)
    scene = SCENES[name]
    app = make_app(scene.script, theme=THEMES[look], initial_prompt="the total is wrong, fix it")

    async def before(pilot: Pilot[int]) -> None:
        await wait(pilot, lambda: app.equipment is not None and app.equipment.attached)
        await wait(pilot, lambda: is_ready(app, scene.ready))
        app.transcript.flush()
        await pilot.pause(0.05)
        for key in scene.keys:
            await pilot.press(key)
            # a list that Enter opened is read by a thread
            await pilot.pause(0.15 if key == "enter" else 0.01)
        if scene.keys:
            await pilot.pause(0.25)
        assert scene.shows in screen_text(app)

    assert snap_compare(app, terminal_size=SIZES[size], run_before=before)


def is_ready(app: AgentApp, ready: str) -> bool:
    if ready == "asked":
        return len(app.screen_stack) > 1
    return bool(app.transcript.entries[2:]) and not app.conversation.running


async def wait(pilot: Pilot[int], holds: Callable[[], bool]) -> None:
    for _ in range(300):
        if holds():
            return
        await pilot.pause(0.02)
    raise AssertionError("the scene does not come")
