"""Runs ``agentcli permissions check``, and ends every error in one line."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from agentcli.base.text import one_line
from agentcli.cli.permissions.args import CheckArgs, parse
from agentcli.frontends.oneshot.streams import tell, tell_stdout_gone
from agentcli.protocol.errors import AgentCliError, UsageError

_PIPE_CODE = 141
"""As a shell tells a program that ended by SIGPIPE."""


def run_permissions(argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> int:
    """Run what stands behind ``permissions``. Raises SystemExit for a wrong command line only."""
    try:
        args = parse(argv)
        return 0 if args is None else _check(args, cwd, env)
    except AgentCliError as error:
        tell(one_line(" ".join(error.message.split()), 1500))
        return 2 if isinstance(error, UsageError) else 1
    except OSError as error:
        tell_stdout_gone(error)
        return _PIPE_CODE if isinstance(error, BrokenPipeError) else 1
    except KeyboardInterrupt:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 130


def _check(args: CheckArgs, cwd: Path, env: Mapping[str, str]) -> int:
    folder = _folder(args.cwd, cwd)
    # with PYTHONUNBUFFERED Python's own stream is raw: it may take a part and say nothing
    with os.fdopen(1, "wb", closefd=False) as out:
        if args.tool is not None:
            from agentcli.cli.permissions.one import check_one

            return check_one(args, folder, env, out)
        if os.isatty(0):
            raise UsageError(
                "name a call, as in: agentcli permissions check Bash 'npm test'; "
                "or give calls as JSON lines on stdin"
            )
        from agentcli.cli.permissions.lines import check_lines

        return check_lines(sys.stdin.buffer, out, folder, env)


def _folder(text: str, cwd: Path) -> Path:
    try:
        folder = (cwd / Path(text).expanduser()).resolve()
        if folder.is_dir():
            return folder
    except (OSError, RuntimeError, ValueError):  # RuntimeError: ~name of nobody, links in a ring
        pass
    raise UsageError(f"--cwd: {text[:200]!r} is not a directory")
