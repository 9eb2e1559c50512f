"""A command never holds its caller, and leaves nothing behind when it is ended."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentcli.base import proc_tree, procs
from agentcli.base.procs import Outcome, StopOutput, run_command

ENV = dict(os.environ)


class Sink:
    def __init__(self) -> None:
        self.data = b""

    def __call__(self, chunk: bytes) -> None:
        self.data += chunk


async def run(script: str, cwd: Path, **options: Any) -> tuple[Outcome, bytes]:
    sink = Sink()
    options.setdefault("on_output", sink)
    outcome = await run_command(["bash", "-c", script], cwd=cwd, env=ENV, **options)
    return outcome, sink.data


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rsplit(b") ", 1)[1][:1] not in b"ZX"
    except FileNotFoundError:
        return False


async def until(condition: Callable[[], bool], seconds: float = 5) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        await asyncio.sleep(0.02)
    return condition()


async def test_output_status_and_order(tmp_path: Path) -> None:
    outcome, data = await run("echo a; echo b >&2; echo c; exit 3", tmp_path)
    assert (outcome.returncode, outcome.ending, outcome.left_running) == (3, "exited", False)
    assert data == b"a\nb\nc\n"


async def test_split_streams(tmp_path: Path) -> None:
    errors = Sink()
    _, data = await run("echo a; echo b >&2", tmp_path, on_errors=errors)
    assert (data, errors.data) == (b"a\n", b"b\n")


async def test_all_of_a_large_output_arrives(tmp_path: Path) -> None:
    _, data = await run("head -c 3000000 /dev/zero; echo end", tmp_path)
    assert len(data) == 3_000_004 and data.endswith(b"end\n")


async def test_signal_is_negative(tmp_path: Path) -> None:
    outcome, _ = await run("kill -9 $$", tmp_path)
    assert outcome.returncode == -signal.SIGKILL


async def test_start_failure_is_raised_and_leaks_nothing(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with pytest.raises(OSError):
            await run_command(["/no/such/program"], cwd=tmp_path, env=ENV, on_output=Sink())
        with pytest.raises(OSError):
            await run_command(["true"], cwd=tmp_path / "none", env=ENV, on_output=Sink())
    assert len(os.listdir("/proc/self/fd")) <= before


async def test_no_descriptor_is_leaked(tmp_path: Path) -> None:
    await run("true", tmp_path)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        await run("echo x; echo y >&2", tmp_path, on_errors=Sink())
    assert await until(lambda: len(os.listdir("/proc/self/fd")) <= before)


async def test_own_session_and_no_terminal(tmp_path: Path) -> None:
    code = "import os; print(os.getsid(0) == os.getppid(), os.read(0, 1))"
    _, data = await run(
        f"{sys.executable} -c '{code}'; (: </dev/tty) 2>&1 || echo no-tty", tmp_path
    )
    assert b"True b''" in data and b"no-tty" in data


async def test_background_child_does_not_hold_the_call_and_lives_on(tmp_path: Path) -> None:
    started = time.monotonic()
    script = "(while :; do echo x; sleep 0.05; done) & echo $! >pid; echo done"
    outcome, data = await run(script, tmp_path)
    assert time.monotonic() - started < 2
    assert outcome.left_running and b"done" in data
    pid = int((tmp_path / "pid").read_text())
    try:
        # It goes on printing into a pipe that somebody must read, or it would be ended by it.
        await asyncio.sleep(0.3)
        assert alive(pid)
    finally:
        os.killpg(os.getpgid(pid), signal.SIGKILL)


async def test_closed_output_is_waited_for(tmp_path: Path) -> None:
    outcome, _ = await run("exec >&- 2>&-; sleep 0.3; exit 4", tmp_path)
    assert outcome.returncode == 4 and outcome.seconds >= 0.3


async def tree_pids(folder: Path) -> list[int]:
    assert await until(lambda: (folder / "pids").exists())
    await asyncio.sleep(0.4)
    return [int(line) for line in (folder / "pids").read_text().split()]


SLEEPER = """
import os, signal, sys, time
if sys.argv[1] == "new-session":
    os.setsid()
else:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open("pids", "a") as file:
    file.write(f"{os.getpid()}\\n")
time.sleep(300)
"""
TREE = (
    f"{sys.executable} -c '{SLEEPER}' new-session & {sys.executable} -c '{SLEEPER}' stubborn & "
    "sleep 300 & echo $! >>pids; echo ready; wait"
)


async def test_timeout_ends_the_whole_tree_and_keeps_the_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(procs, "_TERM_GRACE", 0.4)
    outcome, data = await run(TREE, tmp_path, max_seconds=0.8)
    assert outcome.ending == "timeout" and data == b"ready\n"
    pids = await tree_pids(tmp_path)
    assert len(pids) == 3
    assert not any(map(alive, pids))
    assert outcome.seconds < 5


async def test_cancel_ends_the_whole_tree_before_it_returns(tmp_path: Path) -> None:
    task = asyncio.create_task(run(TREE, tmp_path))
    assert await until(
        lambda: (tmp_path / "pids").exists() and (tmp_path / "pids").read_text().count("\n") == 3
    )
    pids = await tree_pids(tmp_path)
    assert all(map(alive, pids))
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not any(map(alive, pids))


async def test_cancel_at_once(tmp_path: Path) -> None:
    task = asyncio.create_task(run("sleep 300", tmp_path))
    await asyncio.sleep(0)
    started = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - started < 2


async def test_stopped_process_is_ended(tmp_path: Path) -> None:
    outcome, _ = await run("kill -STOP $$", tmp_path, max_seconds=0.3)
    assert outcome.ending == "timeout" and outcome.seconds < 2


async def test_sink_may_stop_the_command(tmp_path: Path) -> None:
    def enough(chunk: bytes) -> None:
        raise StopOutput

    outcome, _ = await run("yes", tmp_path, on_output=enough)
    assert outcome.ending == "stopped"


async def test_failing_sink_ends_the_command(tmp_path: Path) -> None:
    def broken(chunk: bytes) -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await run("echo $$ >pid; yes", tmp_path, on_output=broken)
    assert not alive(int((tmp_path / "pid").read_text()))


async def test_flood_is_ended(tmp_path: Path) -> None:
    size = 0

    def count(chunk: bytes) -> None:
        nonlocal size
        size += len(chunk)

    outcome, _ = await run("yes", tmp_path, on_output=count, max_output=1_000_000)
    assert outcome.ending == "flooded" and size < 2_000_000


async def test_many_at_once(tmp_path: Path) -> None:
    started = time.monotonic()
    results = await asyncio.gather(*(run(f"sleep 0.3; echo {n}", tmp_path) for n in range(12)))
    assert [data for _, data in results] == [f"{n}\n".encode() for n in range(12)]
    assert time.monotonic() - started < 3


async def test_without_a_process_table_the_group_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proc_tree, "_PROC", tmp_path / "none")
    monkeypatch.setattr(procs, "_TERM_GRACE", 0.4)
    outcome, data = await run("sleep 300 & echo $!; wait", tmp_path, max_seconds=0.3)
    assert outcome.ending == "timeout"
    assert not alive(int(data))
