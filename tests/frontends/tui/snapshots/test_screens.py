"""A few whole screens as pictures: no clock, no path of the machine, no version in them."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import pytest
from textual.app import App
from textual.pilot import Pilot

from agentcli.frontends.tui import app as app_module
from agentcli.frontends.tui.app import AgentApp
from tests.frontends.tui.harness import Script, make_app
from tests.frontends.tui.scenes import ask_bash, ask_edit, whole_turn

Before = Callable[[Pilot[int]], Awaitable[None]]


class Compare(Protocol):
    def __call__(
        self, app: App[int], *, terminal_size: tuple[int, int], run_before: Before
    ) -> bool: ...


@pytest.fixture(autouse=True)
def fixed_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "__version__", "0.0.0")


def scene(script: Script, ready: str, theme: str = "dark") -> tuple[AgentApp, Before]:
    """An app that was sent one prompt, and what waits until the scene stands."""
    app = make_app(script, theme=theme, initial_prompt="the total is wrong, fix it")

    async def before(pilot: Pilot[int]) -> None:
        for _ in range(200):
            await pilot.pause(0.02)
            asked = len(app.screen_stack) > 1
            ended = app.conversation.engine is not None and bool(app.transcript.entries[2:])
            if asked if ready == "asked" else ended and not app.conversation.running:
                break
        app.transcript.flush()
        await pilot.pause(0.1)

    return app, before


def test_main_dark(snap_compare: Compare):
    app, before = scene(whole_turn, "ended")
    assert snap_compare(app, terminal_size=(80, 24), run_before=before)


def test_main_light(snap_compare: Compare):
    app, before = scene(whole_turn, "ended", theme="light")
    assert snap_compare(app, terminal_size=(80, 24), run_before=before)


def test_unfolded(snap_compare: Compare):
    app, before = scene(whole_turn, "ended")

    async def unfold(pilot: Pilot[int]) -> None:
        await before(pilot)
        await pilot.press("ctrl+o", "ctrl+o", "ctrl+home")

    assert snap_compare(app, terminal_size=(100, 40), run_before=unfold)


def test_approve_diff(snap_compare: Compare):
    app, before = scene(ask_edit, "asked")
    assert snap_compare(app, terminal_size=(80, 24), run_before=before)


def test_approve_bash(snap_compare: Compare):
    app, before = scene(ask_bash, "asked")
    assert snap_compare(app, terminal_size=(80, 24), run_before=before)


def test_small(snap_compare: Compare):
    app, before = scene(ask_edit, "asked")
    assert snap_compare(app, terminal_size=(40, 12), run_before=before)
