"""Runs one command of ``agentcli sessions``, and ends every error in one line."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from agentcli.base.text import one_line
from agentcli.cli.sessions.args import SessionArgs, parse
from agentcli.cli.sessions.place import Place
from agentcli.frontends.oneshot.streams import tell, tell_stdout_gone
from agentcli.protocol.errors import AgentCliError

_PIPE_CODE = 141
"""As a shell tells a program that ended by SIGPIPE."""


def run_sessions(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str], out: BinaryIO | None = None
) -> int:
    """Run what stands behind ``sessions``. Raises SystemExit for a wrong command line only."""
    try:
        args = parse(argv)
        if not args.command:
            return 0
        # with PYTHONUNBUFFERED Python's own is raw: it may take a part and say nothing
        stream = out or os.fdopen(1, "wb", closefd=False)
        from agentcli.settings.sources import home_dir

        code = _command(args.command)(args, Place(cwd, home_dir(env), env), stream)
        stream.flush()
    except AgentCliError as error:
        tell(one_line(" ".join(error.message.split()), 1500))
        return 1
    except OSError as error:
        tell_stdout_gone(error)
        return _PIPE_CODE if isinstance(error, BrokenPipeError) else 1
    except KeyboardInterrupt:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 130
    return code


def _command(name: str) -> Callable[[SessionArgs, Place, BinaryIO], int]:
    match name:
        case "list":
            from agentcli.cli.sessions.listing import list_sessions

            return list_sessions
        case "show":
            from agentcli.cli.sessions.show import show

            return show
        case "tree":
            from agentcli.cli.sessions.tree import tree

            return tree
        case "check":
            from agentcli.cli.sessions.check import check

            return check
        case _:
            from agentcli.cli.sessions.export import export

            return export
