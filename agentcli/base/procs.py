"""Runs a command in a session of its own and never lets it, or what it leaves, hold the caller."""

import asyncio
import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentcli.base.proc_tree import kill_tree

Sink = Callable[[bytes], None]
Ending = Literal["exited", "timeout", "stopped", "flooded"]

MAX_OUTPUT = 5 << 30
_CHUNK = 65_536
_LAST_OUTPUT = 0.15
_POLL = 0.05
_TERM_GRACE = 2.0
_STOP_GRACE = 0.5


@dataclass(frozen=True, slots=True)
class Outcome:
    """``returncode`` is negative for a signal; ``left_running``: a child still holds the output."""

    returncode: int
    ending: Ending
    seconds: float
    left_running: bool


class StopOutput(Exception):
    """Raised by a sink that has enough: the command is killed and counts as ``stopped``."""


async def run_command(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    on_output: Sink,
    on_errors: Sink | None = None,
    max_seconds: float | None = None,
    max_output: int = MAX_OUTPUT,
    pass_fds: tuple[int, ...] = (),
) -> Outcome:
    """Run *argv*; its output goes to the sinks, which are called in another thread.

    Without *on_errors* both streams come merged. Returns when the command itself has ended, even
    if a background child keeps the output open: that is then read and thrown away. Raises
    ``OSError`` if it cannot start. Cancel-safe: the whole tree is dead before it is re-raised.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Outcome] = loop.create_future()
    job = _Job(argv, cwd, dict(env), (on_output, on_errors), max_seconds, max_output, pass_fds)

    def report(outcome: Outcome | BaseException) -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(_settle, done, outcome)

    threading.Thread(target=job.run, args=(report,), name="command", daemon=True).start()
    try:
        return await asyncio.shield(done)
    finally:
        job.stop()
        while not done.done():
            # Cancelled again while the tree is being killed: that takes a moment at most.
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([done])
        job.close()


def _settle(done: "asyncio.Future[Outcome]", outcome: Outcome | BaseException) -> None:
    if done.cancelled():
        return
    if isinstance(outcome, BaseException):
        done.set_exception(outcome)
    else:
        done.set_result(outcome)


class _Job:
    """One command, seen from the thread that watches over it."""

    def __init__(
        self,
        argv: Sequence[str],
        cwd: Path,
        env: dict[str, str],
        sinks: tuple[Sink, Sink | None],
        max_seconds: float | None,
        max_output: int,
        pass_fds: tuple[int, ...],
    ) -> None:
        self._argv, self._cwd, self._env = list(argv), cwd, env
        self._sinks = sinks
        self._max_seconds = max_seconds
        self._room = max_output
        self._pass_fds = pass_fds
        self._stop_read, self._stop_write = os.pipe()
        self._lock = threading.Lock()

    def stop(self) -> None:
        """Ask the thread to kill the tree. Harmless when all is over."""
        with self._lock:
            if self._stop_write >= 0:
                os.close(self._stop_write)
                self._stop_write = -1

    def close(self) -> None:
        """Free what the caller's side holds; call it when the outcome is known."""
        os.close(self._stop_read)

    def run(self, report: Callable[[Outcome | BaseException], None]) -> None:
        """Body of the thread: start, watch, report, then drain what a background child prints."""
        started = time.monotonic()
        try:
            process, sinks = self._start()
        except BaseException as error:
            report(error)
            return
        try:
            ending = self._watch(process, sinks, started)
            if ending != "exited":
                kill_tree(
                    process.pid, _STOP_GRACE if ending == "stopped" else _TERM_GRACE, process.poll
                )
            self._collect_rest(sinks)
            code = process.poll()
            seconds = time.monotonic() - started
            outcome: Outcome | BaseException = Outcome(
                -signal.SIGKILL if code is None else code, ending, seconds, bool(sinks)
            )
        except BaseException as error:
            # A sink failed: the command must not go on unseen.
            kill_tree(process.pid, _STOP_GRACE, process.poll)
            outcome = error
        report(outcome)
        # A child that was left running would be stopped by a full or closed pipe.
        _discard(list(sinks))

    def _start(self) -> tuple["subprocess.Popen[bytes]", dict[int, Sink]]:
        """The process, and for each descriptor to read from the sink of its data."""
        wanted = [sink for sink in self._sinks if sink is not None]
        pipes = [os.pipe() for _ in wanted]
        try:
            process = subprocess.Popen(
                self._argv,
                cwd=self._cwd,
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=pipes[0][1],
                stderr=pipes[1][1] if len(pipes) > 1 else subprocess.STDOUT,
                start_new_session=True,
                pass_fds=self._pass_fds,
            )
        except BaseException:
            for read_end, _ in pipes:
                os.close(read_end)
            raise
        finally:
            for _, write_end in pipes:
                os.close(write_end)
        return process, {read_end: sink for (read_end, _), sink in zip(pipes, wanted, strict=True)}

    def _watch(
        self, process: "subprocess.Popen[bytes]", sinks: dict[int, Sink], started: float
    ) -> Ending:
        deadline = None if self._max_seconds is None else started + self._max_seconds
        exit_fd = _exit_descriptor(process.pid)
        try:
            with selectors.DefaultSelector() as selector:
                for fd in (*sinks, self._stop_read, *([] if exit_fd is None else [exit_fd])):
                    selector.register(fd, selectors.EVENT_READ)
                while process.poll() is None:
                    left = None if deadline is None else deadline - time.monotonic()
                    if left is not None and left <= 0:
                        return "timeout"
                    wait = left if exit_fd is not None else min(_POLL, left or _POLL)
                    for key, _ in selector.select(wait):
                        if key.fd == self._stop_read:
                            return "stopped"
                        if key.fd in sinks and not self._take(key.fd, sinks):
                            selector.unregister(key.fd)
                    if self._room < 0:
                        return "flooded"
                return "exited"
        except StopOutput:
            return "stopped"
        finally:
            if exit_fd is not None:
                os.close(exit_fd)

    def _take(self, fd: int, sinks: dict[int, Sink]) -> bool:
        """Hand on one chunk; False at the end of the stream, which is then forgotten."""
        chunk = os.read(fd, _CHUNK)
        if not chunk:
            del sinks[fd]
            os.close(fd)
            return False
        self._room -= len(chunk)
        sinks[fd](chunk)
        return True

    def _collect_rest(self, sinks: dict[int, Sink]) -> None:
        """What was written before the end, without waiting for children that live on."""
        deadline = time.monotonic() + _LAST_OUTPUT
        with selectors.DefaultSelector() as selector:
            for fd in sinks:
                selector.register(fd, selectors.EVENT_READ)
            while sinks and self._room >= 0 and (left := deadline - time.monotonic()) > 0:
                for key, _ in selector.select(left):
                    try:
                        if not self._take(key.fd, sinks):
                            selector.unregister(key.fd)
                    except StopOutput:
                        return


def _exit_descriptor(pid: int) -> int | None:
    """A descriptor that becomes readable when *pid* ends; None where the system has none."""
    opener = getattr(os, "pidfd_open", None)
    if opener is None:
        return None
    try:
        return opener(pid)
    except OSError:
        return None


def _discard(fds: list[int]) -> None:
    with selectors.DefaultSelector() as selector:
        for fd in fds:
            selector.register(fd, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                if not os.read(key.fd, _CHUNK):
                    selector.unregister(key.fd)
                    os.close(key.fd)
