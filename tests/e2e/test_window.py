"""The window in a pty, as a person uses it: type, watch, approve, interrupt, leave."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.program import AGENTCLI, World, call
from tests.e2e.terminal import Terminal

MakeWorld = Callable[..., World]
ROOT = Path(__file__).parent.parent.parent
APPROVE_DELAY = 0.8


@contextmanager
def window(here: World, *args: str, size: tuple[int, int] = (100, 30)) -> Generator[Terminal]:
    terminal = Terminal([*AGENTCLI, *args], env=here.env(), cwd=here.project, size=size)
    try:
        yield terminal
    finally:
        terminal.close()


def restored(raw: bytes) -> bool:
    """Alternate screen, mouse and bracketed paste were switched off again at the end."""
    tail = raw[raw.rfind(b"\x1b[?1049h") :]
    return all(code in tail for code in (b"\x1b[?1049l", b"\x1b[?1000l", b"\x1b[?2004l"))


def test_type_and_read_the_answer_then_quit_with_ctrl_c_twice(world: MakeWorld) -> None:
    here = world("echo")
    with window(here) as terminal:
        terminal.wait_for("? help")
        terminal.send("what is this")
        terminal.wait_for("› what is this")
        terminal.send("\r")
        terminal.wait_for("  what is this")
        terminal.send("\x03")
        terminal.pump(0.3)
        terminal.send("\x03")
        assert terminal.wait_exit() == 0
        assert restored(bytes(terminal.raw))
    assert [line["type"] for line in here.lines()][-2:] == ["user", "assistant"]


def test_an_edit_is_approved_after_its_diff_was_shown(world: MakeWorld) -> None:
    here = world("tools")
    (here.project / "a.py").write_text("x = 1\ny = 2\n")
    path = str(here.project / "a.py")
    prompt = f"{call('Read', file_path=path)}\nTHEN\n" + call(
        "Edit", file_path=path, old_string="y = 2", new_string="y = 3"
    )
    with window(here, prompt) as terminal:
        terminal.wait_for("needs your approval")
        terminal.wait_for("y = 3")
        assert "y = 2" in terminal.text()
        assert (here.project / "a.py").read_text() == "x = 1\ny = 2\n"
        terminal.pump(APPROVE_DELAY)
        terminal.send("y")
        terminal.wait_for("DONE")
    assert (here.project / "a.py").read_text() == "x = 1\ny = 3\n"


def test_no_stops_the_turn_and_a_comment_goes_on(world: MakeWorld) -> None:
    here = world("tools")
    with window(here, call("Bash", command="touch made; true")) as terminal:
        terminal.wait_for("needs your approval")
        terminal.pump(APPROVE_DELAY)
        terminal.send("n")
        terminal.wait_for("stopped: not approved")
        terminal.send(call("Bash", command="touch made; true") + "\r")
        terminal.wait_for("needs your approval")
        terminal.pump(APPROVE_DELAY)
        terminal.send("c")
        terminal.pump(0.3)
        terminal.send("use make\r")
        terminal.wait_for("DONE")
    assert not (here.project / "made").exists()
    assert "use make" in json.dumps(here.lines())


def test_escape_interrupts_and_the_session_resumes(world: MakeWorld) -> None:
    here = world("tools")
    with window(here, call("Bash", command="sleep 60"), "--allowedTools", "Bash(sleep *)") as t:
        t.wait_for("sleep 60")
        t.pump(1.0)
        t.send("\x1b")
        t.wait_for("interrupted")
        t.send("/exit\r")
        assert t.wait_exit() == 0
    with window(here, "--continue") as t:
        screen = t.wait_for("interrupted")
        assert "sleep 60" in screen
        t.send("SAY welcome back\r")
        t.wait_for("  welcome back")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_terminal_modes_are_restored_after_a_signal(
    world: MakeWorld, number: signal.Signals
) -> None:
    with window(world("echo")) as terminal:
        terminal.wait_for("? help")
        os.kill(terminal.pid, number)
        assert terminal.wait_exit() in (128 + number, -number)
        assert restored(bytes(terminal.raw))


def test_ctrl_z_restores_the_terminal_and_comes_back(world: MakeWorld) -> None:
    with window(world("echo")) as terminal:
        terminal.wait_for("? help")
        terminal.send("draft")
        terminal.wait_for("draft")
        terminal.send("\x1a")
        terminal.pump(1.0)
        assert restored(bytes(terminal.raw))
        assert os.waitpid(terminal.pid, os.WNOHANG | os.WUNTRACED)[0] == terminal.pid
        seen = len(terminal.raw)
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.wait_raw(b"\x1b[?1049h", seen)
        terminal.pump(1.0)
        assert "draft" in terminal.text()
        terminal.send("\r")
        terminal.wait_for("  draft")


def test_without_credentials_no_window_opens(world: MakeWorld) -> None:
    here = world("echo")
    env = here.env(ANTHROPIC_API_KEY="", ANTHROPIC_BASE_URL="")
    terminal = Terminal(AGENTCLI, env=env, cwd=here.project)
    assert terminal.wait_exit() == 1
    screen = terminal.text()
    assert "ANTHROPIC_API_KEY" in screen and "--demo" in screen and "Traceback" not in screen
    assert b"\x1b[?1049h" not in terminal.raw
    terminal.close()


def test_a_tiny_terminal_and_a_resize_storm_do_no_harm(world: MakeWorld) -> None:
    with window(world("echo"), size=(20, 10)) as terminal:
        terminal.pump(1.5)
        for columns, rows in ((2, 2), (200, 60), (7, 3), (80, 24)):
            terminal.resize(columns, rows)
            os.kill(terminal.pid, signal.SIGWINCH)
            terminal.pump(0.2)
        terminal.send("still here\r")
        terminal.wait_for("  still here")


@pytest.fixture
def own_repository(tmp_path: Path) -> Path:
    """A copy of this project with its history, as a clone gives it."""
    if shutil.which("git") is None:
        pytest.skip("needs git")
    target = tmp_path / "agentcli-copy"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(target)], check=True)
    return target


def own_prompt(project: Path) -> str:
    path = str(project / "agentcli" / "base" / "version.py")
    test = f"{sys.executable} -m pytest -p no:cacheprovider tests/context"
    return "\nTHEN\n".join(
        [
            call("Grep", pattern="__version__ =", path=str(project / "agentcli")),
            call("Read", file_path=path),
            call("Edit", file_path=path, old_string='"0.1.0"', new_string='"0.1.1"'),
            call("Bash", command=test),
            "SAY all done",
        ]
    )


def check_own(project: Path, here: World) -> None:
    status = ["git", "-C", str(project), "diff", "--stat"]
    diff = subprocess.run(status, capture_output=True, text=True, check=True).stdout
    assert "version.py" in diff and "1 insertion(+), 1 deletion(-)" in diff
    assert '"0.1.1"' in (project / "agentcli/base/version.py").read_text()
    results = [line["toolUseResult"] for line in here.lines() if "toolUseResult" in line]
    assert " passed" in results[-1]["stdout"], results[-1]


def test_work_on_the_projects_own_repository_in_print_mode(
    world: MakeWorld, own_repository: Path
) -> None:
    here = world("tools")
    here.project = own_repository
    allowed = ("--allowedTools", "Edit", f"Bash({sys.executable} -m pytest *)")
    done = here.run("-p", own_prompt(own_repository), *allowed, timeout=120)
    assert (done.returncode, done.stdout) == (0, "all done\n"), done.stderr
    check_own(own_repository, here)


def test_work_on_the_projects_own_repository_in_the_window(
    world: MakeWorld, own_repository: Path
) -> None:
    here = world("tools")
    here.project = own_repository
    with window(here, own_prompt(own_repository), size=(120, 40)) as terminal:
        for expected in ("0.1.1", "pytest"):
            terminal.wait_for("needs your approval", 60)
            terminal.wait_for(expected)
            terminal.pump(APPROVE_DELAY)
            terminal.send("y")
            terminal.pump(0.5)
        terminal.wait_for("  all done", 90)
    check_own(own_repository, here)
