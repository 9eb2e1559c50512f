"""What is not imported cannot slow a start down: looked at in the real program while it runs."""

import re
import subprocess
import sys
from collections.abc import Callable

from tests.e2e.program import AGENTCLI, World
from tests.e2e.terminal import Terminal

MakeWorld = Callable[..., World]
TRACED = [sys.executable, "-X", "importtime", *AGENTCLI]
NEVER = {"anthropic", "mcp", "git", "prompt_toolkit", "pydantic"}


def imported(output: str) -> set[str]:
    """Top-level packages in the output of ``-X importtime``."""
    return set(re.findall(r"import time:[^|]*\|[^|]*\|\s+(\w+)", output))


def test_print_mode_up_to_its_answer(world: MakeWorld) -> None:
    here = world("hello")
    done = subprocess.run(
        [*TRACED, "-p", "hi"],
        cwd=here.project,
        env=here.env(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    modules = imported(done.stderr)
    assert "httpx2" in modules
    assert modules & (NEVER | {"textual", "rich"}) == set()


def test_the_window_up_to_its_first_frame_and_its_first_answer(world: MakeWorld) -> None:
    here = world("hello")
    terminal = Terminal(TRACED, env=here.env(), cwd=here.project)
    try:
        terminal.wait_for("? help")
        frame = terminal.raw.find(b"? help")
        first = imported(terminal.raw[:frame].decode(errors="replace"))
        assert "textual" in first and first & (NEVER | {"httpx2"}) == set()
        terminal.send("hi\r")
        terminal.wait_for("scripted model")
        modules = imported(terminal.raw.decode(errors="replace"))
        assert "httpx2" in modules and modules & NEVER == set()
    finally:
        terminal.close()
