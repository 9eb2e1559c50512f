"""``kill -9`` at every line of the session file: what is there goes on, in a valid request."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.program import World, call

MakeWorld = Callable[..., World]

PROMPT = "\nTHEN\n".join(
    [
        "\n".join(call("Glob", pattern=f"*.{n}") for n in range(3)),
        call("Bash", command="echo working; sleep 0.1"),
        call("Write", file_path="made.txt", content="x\n"),
    ]
)
LINES = 16


def count_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.slow
@pytest.mark.parametrize("lines", range(1, LINES))
def test_a_session_killed_at_any_line_goes_on(world: MakeWorld, lines: int) -> None:
    here = world("tools")
    process = here.start(
        "-p", PROMPT, "--permission-mode", "bypassPermissions", AGENTCLI_SANDBOXED="1"
    )
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if any(count_lines(path) >= lines for path in here.sessions()):
            process.kill()
        time.sleep(0.001)
    process.communicate(timeout=10)
    (path,) = here.sessions()
    before = path.read_bytes()
    done = here.run("-p", "SAY back again", "--continue")
    assert (done.returncode, done.stdout) == (0, "back again\n"), done.stderr
    assert path.read_bytes().startswith(before.rpartition(b"\n")[0])
    by_id = here.run("-p", "SAY once more", "--resume", path.stem)
    assert by_id.stdout == "once more\n", by_id.stderr


@pytest.mark.slow
def test_a_torn_line_is_skipped_and_told(world: MakeWorld) -> None:
    here = world("tools")
    here.run("-p", "SAY one")
    (path,) = here.sessions()
    path.write_bytes(path.read_bytes()[:-30])
    done = here.run("-p", "SAY two", "--continue")
    assert done.stdout.endswith("two\n") and "1 line" in done.stderr
    again = here.run("-p", "SAY three", "--continue")
    assert again.stdout == "three\n" and "1 line" in again.stderr
