"""argv → chosen window → exit code. Every error that a person can cause ends in one line here."""

import codecs
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from agentcli.base.text import one_line
from agentcli.cli.options import Args
from agentcli.cli.stdin import LIMIT_BYTES, read_stdin, stdin_is_piped
from agentcli.frontends.oneshot.streams import open_missing_streams, tell, tell_stdout_gone
from agentcli.protocol.errors import AgentCliError, UsageError

if TYPE_CHECKING:
    from agentcli.frontends.oneshot.formats import OutputFormat


def run(argv: Sequence[str]) -> int:
    """Run one command. Never raises for what a person can cause; 0 only for success."""
    # Starting makes many objects and little garbage: collecting it costs a tenth of the start.
    gc.disable()
    open_missing_streams()
    if argv[:1] == ["sessions"]:
        return _sessions(argv[1:])
    if argv[:1] == ["permissions"]:
        return _permissions(argv[1:])
    args = _parse(argv)
    try:
        _check_encoding()
        if args.print or (stdin_is_piped() and not args.demo):
            return _print(args)
        return _window(args)
    except AgentCliError as error:
        if args.print and args.output_format != "text":
            _write_failure(error.message)
        tell(one_line(error.message, 1500))
        return 1
    except KeyboardInterrupt:
        return 130


def _parse(argv: Sequence[str]) -> Args:
    if not argv:
        return Args()  # the parser costs 7 CPU-ms of the first frame
    from agentcli.cli.args import parse_args

    return parse_args(argv)


def _sessions(argv: Sequence[str]) -> int:
    from agentcli.cli.sessions.run import run_sessions

    gc.enable()
    try:
        _check_encoding()
        return run_sessions(argv, _cwd(), os.environ)
    except UsageError as error:
        tell(one_line(error.message, 1500))
        return 1


def _permissions(argv: Sequence[str]) -> int:
    from agentcli.cli.permissions.run import run_permissions

    gc.enable()
    try:
        _check_encoding()
        return run_permissions(argv, _cwd(), os.environ)
    except UsageError as error:
        tell(one_line(error.message, 1500))
        return 1


def _check_encoding() -> None:
    """In ASCII every other letter of a prompt, a path or a command would be lost."""
    if codecs.lookup(sys.getfilesystemencoding()).name == "ascii":
        raise UsageError("Python is set to ASCII here; unset PYTHONUTF8 or set LC_ALL=C.UTF-8")


def _print(args: Args) -> int:
    prompt = _prompt_text(args)
    from agentcli.cli.startup import open_session
    from agentcli.frontends.oneshot.runner import PrintOptions, run_print

    output_format = cast("OutputFormat", args.output_format)  # argparse has checked it
    options = PrintOptions(output_format, args.verbose, args.include_partial_messages)
    with open_session(args, _cwd(), dict(os.environ), headless=True) as session:
        for problem in session.notices:
            tell(one_line(problem, 500))
        return run_print(session.make_engine, prompt, options)


def _write_failure(message: str) -> None:
    from agentcli.frontends.oneshot.formats import failure_object

    try:
        sys.stdout.buffer.write(failure_object(message))
        sys.stdout.buffer.flush()
    except OSError as error:
        tell_stdout_gone(error)


def _window(args: Args) -> int:
    if not all(os.isatty(fd) for fd in (0, 1, 2)):  # Textual draws on stderr
        raise UsageError(
            "the window needs a terminal on all of stdin, stdout, stderr; use -p in scripts"
        )
    from agentcli.cli.startup import open_session

    with open_session(args, _cwd(), dict(os.environ), headless=False) as session:
        from agentcli.frontends.tui.run import TuiOptions, run_tui

        options = TuiOptions(
            initial_prompt=args.prompt,
            theme=args.theme or session.settings.theme,
            demo=args.demo,
            notices=session.notices,
            home=session.home,
            save_theme=session.save_theme,
            reduced_motion=bool(session.settings.prefers_reduced_motion),
            settings=session.settings,
            resumed=session.which.file is not None,
            pick_session=session.which.pick,
            pick_query=session.which.query,
            pick_fork=session.which.pick and session.which.fork,
            fork_engine=session.fork_engine,
            new_engine=session.new_engine,
        )
        return run_tui(session.make_engine, options)


def _prompt_text(args: Args) -> str:
    """The prompt, with what was piped in behind it. Raises UsageError when there is none."""
    prompt = args.prompt or ""
    if len(prompt.encode("utf-8", "replace")) > LIMIT_BYTES:
        raise UsageError("the prompt has more than 10 MB; save it to a file and name the file")
    piped = read_stdin(has_prompt=bool(prompt.strip())) if stdin_is_piped() else ""
    parts = [part for part in (prompt, piped) if part.strip()]
    if not parts:
        taken = f" ({args.resume!r} was taken for what --resume names)" if args.resume else ""
        raise UsageError(
            f'the prompt is empty{taken}; use agentcli -p "what to do" or pipe text in'
        )
    return "\n\n".join(parts)


def _cwd() -> Path:
    try:
        cwd = Path.cwd()
        os.scandir(cwd).close()
    except FileNotFoundError:
        raise UsageError("the current directory no longer exists; cd to one that does") from None
    except OSError as error:
        raise UsageError(
            f"cannot read the current directory ({error.strerror}); cd to one that you may read"
        ) from None
    return cwd
