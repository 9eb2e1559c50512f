"""Runs the person's own status script: seldom enough, never two at once, never for long."""

import asyncio
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from agentcli.base.procs import run_command
from agentcli.base.text import one_line
from agentcli.frontends.tui.status.line import StatusLine
from agentcli.frontends.tui.status.script_input import ScriptFacts, script_bytes
from agentcli.tools.shell_env import command_env, fixed_path

_PAUSE = 0.3
_MAX_SECONDS = 5.0
_MAX_OUTPUT = 64 * 1024
_MAX_ERRORS = 4 * 1024
_SHELL = ("/bin/sh", "-c", 'exec /bin/sh -c "$1" <"$2"', "sh")


@dataclass(frozen=True, slots=True)
class StatusScript:
    """The setting ``statusLine``: a command line of the shell, *refresh* in seconds (0: only when
    something changed)."""

    command: str
    padding: int = 0
    refresh: float = 0.0
    hide_vim_mode: bool = False


@dataclass(frozen=True, slots=True)
class Printed:
    """What a run gave: its output, or in ``problem`` why there is none."""

    output: str = ""
    problem: str = ""


class ScriptRunner:
    """Owns the runs. All methods belong to the event loop's thread.

    *facts* is asked when a run begins (None: too early, no run); *show* gets every result that is
    not the same as the one before.
    """

    def __init__(
        self,
        script: StatusScript,
        facts: Callable[[], ScriptFacts | None],
        show: Callable[[Printed], None],
        env: Mapping[str, str],
        width: Callable[[], int] = lambda: 80,
    ) -> None:
        self._script = script
        self._facts = facts
        self._show = show
        self._env = env
        self._width = width
        self._shown = Printed()
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        """The run that is on, and those before it that are still being ended."""
        self._due_at = 0.0
        self._closed = False

    def changed(self) -> None:
        """Something that the script may tell has changed: it runs soon, and only once for all
        that changes meanwhile. A run that is still on is then out of date, and ended."""
        soon = asyncio.get_running_loop().time() + _PAUSE
        if not self._closed and (self._timer is None or self._due_at > soon):
            self._wait(_PAUSE)

    async def close(self) -> None:
        """End what runs. Idempotent."""
        self._closed = True
        self._stop_timer()
        await self._end_others()

    def _wait(self, seconds: float) -> None:
        self._due_at = asyncio.get_running_loop().time() + seconds
        self._stop_timer()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._start)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _start(self) -> None:
        self._timer = None
        task = asyncio.create_task(self._run(), name="status script")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self) -> None:
        await self._end_others()
        facts = self._facts()
        if facts is not None:
            printed = await run_script(self._script.command, facts, self._env, self._width())
            if printed != self._shown:
                self._shown = printed
                self._show(printed)
        if self._script.refresh and self._timer is None and not self._closed:
            self._wait(max(1.0, self._script.refresh))

    async def _end_others(self) -> None:
        others = self._tasks - {asyncio.current_task()}
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others)


def attach_script(
    status: StatusLine,
    script: StatusScript,
    facts: Callable[[], ScriptFacts | None],
    env: Mapping[str, str],
) -> ScriptRunner:
    """Let *script* draw above the *status* line, and run it whenever what that tells changes.
    Call it where the event loop runs; the runner is to be closed at the end."""

    def show(printed: Printed) -> None:
        failed = bool(printed.problem)
        status.show_script(printed.problem or printed.output, script.padding, failed)

    runner = ScriptRunner(script, facts, show, env, lambda: status.size.width)
    status.tell(vim_hidden=script.hide_vim_mode)
    status.on_facts = runner.changed
    runner.changed()
    return runner


async def run_script(
    command: str, facts: ScriptFacts, env: Mapping[str, str], width: int
) -> Printed:
    """Run *command* once with *facts* on its input. Never raises; when cancelled, the command and
    all that it started are dead before that goes on."""
    output, errors = bytearray(), bytearray()
    child_env = {
        **command_env(env),
        "PATH": fixed_path(env.get("PATH", os.defpath)),
        "COLUMNS": str(width),
    }
    with tempfile.TemporaryFile() as given:
        given.write(script_bytes(facts))
        given.seek(0)
        try:
            outcome = await run_command(
                [*_SHELL, command, f"/dev/fd/{given.fileno()}"],
                cwd=_folder(facts.cwd),
                env=child_env,
                on_output=output.extend,
                on_errors=lambda data: errors.extend(data[: _MAX_ERRORS - len(errors)]),
                max_seconds=_MAX_SECONDS,
                max_output=_MAX_OUTPUT,
                pass_fds=(given.fileno(),),
            )
        except OSError as error:
            return Printed(problem=f"status line: {error.strerror}")
    said = one_line(errors.decode("utf-8", "replace"), 120)
    if outcome.ending == "timeout":
        return Printed(problem=f"status line: no result within {_MAX_SECONDS:.0f} s")
    if outcome.ending == "flooded":
        return Printed(problem="status line: it prints more than 64 kB")
    if outcome.returncode:
        why = f"exit {outcome.returncode}" if outcome.returncode > 0 else "killed"
        return Printed(problem=f"status line: {why}{': ' if said else ''}{said}")
    return Printed(output.decode("utf-8", "replace"))


def _folder(cwd: str) -> Path:
    """The session's folder, or one that is always there."""
    return Path(cwd) if os.path.isdir(cwd) else Path("/")
