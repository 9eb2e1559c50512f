"""``--demo``: the main job, done for real on a sample project, without a key or a network."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.program import AGENTCLI, World
from tests.e2e.terminal import Terminal

MakeWorld = Callable[..., World]
APPROVE_DELAY = 0.8


@pytest.fixture
def visitor(world: MakeWorld, tmp_path: Path) -> World:
    """Somebody without key or server; temp files go where the test can see them."""
    here = world("hello")
    here.base_url, here.key = "", ""
    (tmp_path / "tmp").mkdir()
    return here


def temp(here: World) -> str:
    return str(here.project.parent / "tmp")


def left_over(here: World) -> list[Path]:
    return [p for p in (here.project.parent / "tmp").iterdir() if "agentcli" in p.name]


def test_print_mode_says_that_it_is_scripted_and_denies_the_edit(visitor: World) -> None:
    done = visitor.run("--demo", "-p", "fix the failing test", TMPDIR=temp(visitor))
    assert done.returncode == 0 and "not allowed" in done.stdout
    assert "scripted" in done.stderr and left_over(visitor) == []


def test_print_mode_fixes_the_sample_when_it_may(visitor: World) -> None:
    rules = ("--allowedTools", "Edit", "Bash(* -m unittest *)")
    done = visitor.run("--demo", "-p", "fix the failing test", *rules, TMPDIR=temp(visitor))
    assert done.returncode == 0 and "All 6 tests pass" in done.stdout, done.stderr
    assert left_over(visitor) == [] and visitor.sessions() == []


def test_an_overloaded_server_is_told_and_tried_again(visitor: World) -> None:
    done = visitor.run("--demo", "-p", "show me an error with retry", TMPDIR=temp(visitor))
    assert done.returncode == 0 and "retry 1" in done.stderr and "529" in done.stderr


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
def test_the_window_shows_diff_and_command_and_does_the_job(
    visitor: World, size: tuple[int, int]
) -> None:
    env = visitor.env(ANTHROPIC_API_KEY="", TMPDIR=temp(visitor))
    terminal = Terminal([*AGENTCLI, "--demo"], env=env, cwd=visitor.project, size=size)
    try:
        terminal.wait_for("scripted")
        terminal.send("fix the failing test\r")
        terminal.wait_for("needs your approval", 60)
        screen = terminal.wait_for("return round(subtotal")
        assert "Read shop/cart.py" in screen or size[1] < 30
        terminal.pump(APPROVE_DELAY)
        terminal.send("y")
        terminal.wait_for("unittest", 60)
        terminal.wait_for("needs your approval", 60)
        terminal.pump(APPROVE_DELAY)
        terminal.send("y")
        terminal.wait_for("All 6 tests pass", 60)
        terminal.send("/exit\r")
        assert terminal.wait_exit() == 0
    finally:
        terminal.close()
    assert left_over(visitor) == []


def test_the_sample_is_kept_safe_from_an_unknown_temp_folder(visitor: World) -> None:
    blocked = visitor.project / "no-such-dir"
    done = visitor.run("--demo", "-p", "hi", ANTHROPIC_API_KEY="", TMPDIR=str(blocked))
    # Python falls back to another temp folder; what must not happen is a traceback.
    assert "Traceback" not in done.stderr
    assert not blocked.exists() and tempfile.gettempdir()
