"""The Bash tool: one shell command, in a process of its own."""

import asyncio
import os
import re
import signal
import tempfile
import threading
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from agentcli.base.procs import Outcome, run_command
from agentcli.protocol.asks import Preview
from agentcli.protocol.calls import ToolResult
from agentcli.protocol.errors import ToolError
from agentcli.tools.base import ToolContext
from agentcli.tools.limits import (
    FAILURE_LIMIT,
    INLINE_LIMIT,
    PREVIEW_LIMIT,
    open_private,
    spill_note,
    spill_path,
)
from agentcli.tools.paths import inside, show_path
from agentcli.tools.prompting import load_prompt
from agentcli.tools.registry import HIDDEN
from agentcli.tools.shell_env import (
    command_env,
    find_shell,
    guarded_env,
    read_cwd,
    shell_argv,
    start_directory,
)
from agentcli.tools.shell_output import ShellOutput

_DEFAULT_MS = 120_000
_MAX_MS = 600_000
_MAX_COMMAND = 100_000
# Exit status 1 of these means "nothing found" or "differs", not a failure.
_ONE_IS_FINE = re.compile(
    r"\s*(?:(?:\S*/)?(?:grep|egrep|fgrep|rg|find|diff|test|\[)|git\s+(?:diff|grep))\s"
)
_SEPARATOR = re.compile(r"&&|\|\||[;|\n]")
_hidden = Meta(extra_json_schema={HIDDEN: True})


class BashInput(msgspec.Struct, forbid_unknown_fields=True):
    command: Annotated[str, Meta(description="The shell command to run")]
    timeout: Annotated[
        float | None, Meta(description="Milliseconds until the command is ended")
    ] = None
    description: Annotated[
        str | None, Meta(description="What the command does, in a few words")
    ] = None
    run_in_background: Annotated[bool | None, _hidden] = None
    dangerouslyDisableSandbox: Annotated[bool | None, _hidden] = None


class BashTool:
    """See the module."""

    name = "Bash"
    input_type: type[msgspec.Struct] = BashInput
    read_only = False

    def description(self) -> str:
        return load_prompt("bash")

    async def run(self, args: BashInput, ctx: ToolContext) -> ToolResult:
        _check(args)
        timeout = _timeout_ms(args.timeout, ctx)
        loop = asyncio.get_running_loop()

        here = threading.get_ident()

        def progress(text: str) -> None:
            # The last piece comes from this thread and must not come after the result.
            if threading.get_ident() == here:
                ctx.progress(text)
            else:
                loop.call_soon_threadsafe(ctx.progress, text)

        output = ShellOutput(lambda: _open_spill(ctx), progress)
        start = start_directory(ctx.cwd, ctx.roots)
        # Unnamed, so nothing is left behind however the command ends.
        with tempfile.TemporaryFile(buffering=0) as cwd_file:
            fd = cwd_file.fileno()
            try:
                outcome = await run_command(
                    shell_argv(find_shell(ctx.env), ctx.instead or args.command, fd),
                    cwd=start,
                    env=_environment(ctx),
                    on_output=output.feed,
                    max_seconds=timeout / 1000,
                    pass_fds=(fd,),
                )
            except OSError as error:
                raise ToolError(f"The shell could not be started: {error}") from None
            finally:
                output.finish()
            notes = _carry_cwd(read_cwd(fd), start, ctx)
        return _result(args, output, outcome, timeout, notes)

    def preview(self, args: BashInput, ctx: ToolContext) -> Preview | None:
        return None


def _environment(ctx: ToolContext) -> dict[str, str]:
    if not ctx.guarded:
        return command_env(ctx.env)
    return guarded_env(ctx.env, ctx.roots, ctx.instead or "")


def _check(args: BashInput) -> None:
    if args.run_in_background:
        raise ToolError(
            "run_in_background is not available. Run the command in the foreground, "
            "or start it with `&` and its output in a file."
        )
    if not args.command.strip():
        raise ToolError("command is empty.")
    if "\0" in args.command:
        raise ToolError("command contains a null byte.")
    try:
        size = len(args.command.encode())
    except UnicodeEncodeError:
        raise ToolError("command contains lone surrogates.") from None
    if size > _MAX_COMMAND:
        raise ToolError(
            f"command is too long ({size} bytes, at most {_MAX_COMMAND}). "
            "Write it to a file and run that."
        )


def _timeout_ms(asked: float | None, ctx: ToolContext) -> float:
    default = _env_ms(ctx, "BASH_DEFAULT_TIMEOUT_MS", _DEFAULT_MS)
    ceiling = max(_env_ms(ctx, "BASH_MAX_TIMEOUT_MS", _MAX_MS), default)
    # Zero, negative and NaN mean that nothing sensible was asked for.
    return min(asked, ceiling) if asked is not None and asked > 0 else default


def _env_ms(ctx: ToolContext, name: str, default: int) -> int:
    text = ctx.env.get(name, "")
    return int(text) if text.isdecimal() and int(text) > 0 else default


def _open_spill(ctx: ToolContext) -> tuple[int, Path]:
    path = spill_path(ctx)
    return open_private(path), path


def _carry_cwd(new: Path | None, start: Path, ctx: ToolContext) -> list[str]:
    """The shell's directory for the next call: the new one while it is inside the roots."""
    notes: list[str] = []
    if start != ctx.cwd:
        notes.append(f"{show_path(ctx.cwd)} no longer exists; ran in {show_path(start)}")
    home = ctx.roots[0] if ctx.roots else start
    pinned = ctx.env.get("CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR") == "1"
    target = start if new is None else new
    if new is not None and (pinned or not inside(new, ctx.roots)):
        target = start_directory(home, ctx.roots)
        if os.path.realpath(new) != os.path.realpath(target):
            notes.append(f"Shell cwd was reset to {show_path(target)}")
    if os.path.realpath(target) != os.path.realpath(ctx.cwd):
        ctx.set_cwd(target)
    return notes


def _result(
    args: BashInput, output: ShellOutput, outcome: Outcome, timeout: float, notes: list[str]
) -> ToolResult:
    ended = _ending_text(outcome, timeout)
    failed = ended is not None and not (
        outcome.ending == "exited"
        and outcome.returncode == 1
        and _ONE_IS_FINE.match(_SEPARATOR.split(args.command.strip())[-1] + " ")
    )
    parts = [_output_text(output, FAILURE_LIMIT if failed else INLINE_LIMIT).rstrip("\n")]
    if output.file_error:
        parts.append(f"[Output could not be saved: {output.file_error}]")
    if ended is not None:
        parts.append(ended)
    if outcome.left_running and outcome.ending == "exited":
        parts.append("[A background process that this command started is still running]")
    parts += [f"[{note}]" for note in notes]
    text = "\n".join(part for part in parts if part) or "(no output)"
    details: dict[str, Any] = {
        "stdout": parts[0],
        "stderr": "",
        "interrupted": outcome.ending != "exited",
        "exitCode": outcome.returncode,
        "durationMs": round(outcome.seconds * 1000),
    }
    if output.path is not None:
        details["persistedOutputPath"] = str(output.path)
        details["persistedOutputSize"] = output.total
    if outcome.ending == "timeout":
        details["timedOutAfterMs"] = round(timeout)
    return ToolResult(text, is_error=failed, details=details)


def _output_text(output: ShellOutput, limit: int) -> str:
    whole = output.whole()
    if whole is not None and len(whole) <= limit:
        return whole
    if limit == INLINE_LIMIT and output.path is not None:
        return spill_note(output.head(PREVIEW_LIMIT), output.total, output.path)
    saved = f"\n[Full output saved to: {output.path}]" if output.path is not None else ""
    return output.excerpt(limit) + saved


def _ending_text(outcome: Outcome, timeout: float) -> str | None:
    """How a command ended, if not with status 0."""
    if outcome.ending == "timeout":
        return f"Command timed out after {timeout / 1000:g} s and was killed with its children."
    if outcome.ending == "flooded":
        return "Command was killed: it printed more than 5 GB."
    code = outcome.returncode
    if code == 0:
        return None
    if code < 0:
        return f"Command was killed by signal {-code} ({_signal_name(-code)})"
    if code > 128 and _signal_name(code - 128):
        return f"Exit code {code} (128 + {code - 128}: killed by {_signal_name(code - 128)})"
    return f"Exit code {code}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""
