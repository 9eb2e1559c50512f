"""Standard streams that the caller closed or filled, and a session that somebody else holds."""

import fcntl
import json
import subprocess
from collections.abc import Callable

import pytest

from tests.e2e.program import AGENTCLI, World, call
from tests.e2e.test_print import listener

MakeWorld = Callable[..., World]
_DENIED = call("Bash", command="touch x; rm x")
_UNSIGNED = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
    b'data: {"type":"message_start","message":{"id":"m","model":"x","content":[],"usage":{}}}\n\n'
    b'data: {"type":"content_block_start","index":0,"content_block":'
    b'{"type":"thinking","thinking":"hm"}}\n\n'
    b'data: {"type":"content_block_stop","index":0}\n\n'
    b'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{}}\n\n'
    b'data: {"type":"message_stop"}\n\n'
)


def _run(here: World, shell: str, *args: str) -> "subprocess.CompletedProcess[str]":
    """Run the program from a shell line in which ``"$@"`` stands for it."""
    return subprocess.run(
        ["sh", "-c", shell, "sh", *AGENTCLI, *args],
        cwd=here.project,
        env=here.env(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("place", ["2>&-", "2>/dev/full"])
def test_without_stderr_the_answer_is_whole_and_alone(world: MakeWorld, place: str) -> None:
    here = world("tools")
    done = _run(here, f'"$@" {place}', "-p", _DENIED, "--output-format", "stream-json")
    last = [json.loads(line) for line in done.stdout.splitlines()][-1]
    assert done.returncode == 0 and last["type"] == "result" and last["permission_denials"]


def test_a_closed_stdout_is_told(world: MakeWorld) -> None:
    done = _run(world("echo"), '"$@" >&-', "-p", "hi")
    assert done.returncode == 1
    assert done.stderr == "agentcli: cannot write to stdout: Bad file descriptor.\n"


def test_a_failure_before_the_start_is_told_though_stdout_is_full(world: MakeWorld) -> None:
    flags = ("--resume", "nope", "--output-format", "json")
    done = _run(world("echo"), '"$@" >/dev/full', "-p", "hi", *flags)
    assert done.returncode == 1 and "sessions list" in done.stderr
    assert len(done.stderr.splitlines()) == 2


def test_a_session_that_another_process_holds_is_refused(world: MakeWorld) -> None:
    here = world("tools")
    assert here.run("-p", "SAY one").returncode == 0
    (path,) = here.sessions()
    with path.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = here.run("-p", "x", "--continue")
    assert done.returncode == 1 and "open in another agentcli" in done.stderr


def test_unsigned_thinking_has_the_field_that_the_sdk_wants(world: MakeWorld) -> None:
    here = world("echo")
    with listener(_UNSIGNED) as url:
        done = here.run("-p", "x", "--output-format", "stream-json", ANTHROPIC_BASE_URL=url)
    spoken = [json.loads(line) for line in done.stdout.splitlines()]
    (block,) = (m["message"]["content"][0] for m in spoken if m["type"] == "assistant")
    assert block == {"type": "thinking", "thinking": "hm", "signature": ""}
