"""All flags, declared once. Names follow Claude Code's where users know them."""

import argparse
import re
from collections.abc import Sequence
from typing import NoReturn

from agentcli.base.text import one_line
from agentcli.base.version import __version__
from agentcli.cli.options import Args
from agentcli.protocol.ids import is_uuid

_MODES = ("default", "manual", "acceptEdits", "plan", "dontAsk", "bypassPermissions")
_FORMATS = ("text", "json", "stream-json")
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_EPILOG = """\
examples:
  agentcli                                  open the window in this directory
  agentcli "explain this repository"        open it and send this first
  agentcli -p "run the tests" --allowedTools "Bash(npm test)"
  agentcli --resume "cart total"            go on with the session of that title or prompt
  agentcli sessions list                    look at sessions: agentcli sessions --help
  agentcli permissions check Bash 'npm test | tee log'   would it ask, and why
  git diff | agentcli -p "write a commit message"
  agentcli --demo                           try it without an API key
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line that names the flag and what to do, exit code 2."""
        self.exit(2, f"agentcli: {one_line(message, 300)}. See agentcli --help.\n")


def parse_args(argv: Sequence[str]) -> Args:
    """Parse the command line. Exits with 0 for --help, 2 with one line on stderr for a mistake."""
    parser = _make_parser()
    args = parser.parse_intermixed_args(list(argv), namespace=Args())
    if contradiction := _contradiction(args):
        parser.error(contradiction)
    return args


def _contradiction(args: Args) -> str:
    """Why these flags make no sense together; "" where they do."""
    goes_on = args.resume is not None or args.continue_
    if args.resume is not None and args.continue_:
        return "--resume and --continue name two sessions; give one of them"
    if args.fork_session and not goes_on:
        return "--fork-session needs --resume or --continue, which say what to copy"
    if args.session_id is not None and goes_on and not args.fork_session:
        return "--session-id is for a new session; with --resume or --continue add --fork-session"
    if args.resume == "" and (args.session_id is not None or args.name):
        return "--session-id and --name need an id or title behind --resume, not a list"
    if args.session_id is not None and not is_uuid(args.session_id):
        return f"--session-id takes a UUID, not {args.session_id[:60]!r}"
    if args.no_session_persistence and not args.print:
        return "--no-session-persistence works with --print only"
    if args.no_session_persistence and goes_on:
        return "--no-session-persistence cannot go on with a session, which would be written to"
    return ""


def _positive(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text[:40]!r}")
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {number}")
    return number


def _make_parser() -> _Parser:
    parser = _Parser(
        prog="agentcli",
        description="A coding agent in your terminal.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("prompt", nargs="?", help="what to do; with -p it is answered and the program ends")
    add("-v", "--version", action="version", version=f"{__version__} (agentcli)")
    add("-p", "--print", action="store_true", help="answer once on stdout, without a window")
    add("--demo", action="store_true", help="run against a scripted model, on a sample project")

    session = parser.add_argument_group("session")
    add = session.add_argument
    add("-c", "--continue", dest="continue_", action="store_true", help="newest session here")
    add(
        "-r",
        "--resume",
        nargs="?",
        const="",
        metavar="WHICH",
        help="go on with the session of this id, title or words; without a value choose one",
    )
    add("--fork-session", action="store_true", help="go on in a copy; needs -r or -c")
    add("--session-id", metavar="UUID", help="id of the new session")
    add("-n", "--name", metavar="TITLE", help="name the session")
    add("--no-session-persistence", action="store_true", help="with -p: keep nothing on the disk")

    model = parser.add_argument_group("model")
    add = model.add_argument
    add("--model", metavar="NAME", help="alias (sonnet, opus, haiku, fable) or full model id")
    add("--effort", choices=_EFFORTS, help="how much the model thinks; unset is not sent")
    add("--append-system-prompt", metavar="TEXT", help="added at the end of the system prompt")
    add("--max-turns", type=_positive, metavar="N", help="end after N requests to the model")
    add(
        "--transport",
        choices=("http", "sdk"),
        default="http",
        help="how requests are sent: own thin client, or the official SDK (slower to start)",
    )

    permission = parser.add_argument_group("permissions")
    add = permission.add_argument
    add("--permission-mode", choices=_MODES, metavar="MODE", help=", ".join(_MODES))
    add(
        "--allowedTools",
        "--allowed-tools",
        dest="allowed_tools",
        nargs="+",
        action="extend",
        default=[],
        metavar="RULE",
        help='run without asking, e.g. Edit "Bash(git log *)"',
    )
    add(
        "--disallowedTools",
        "--disallowed-tools",
        dest="disallowed_tools",
        nargs="+",
        action="extend",
        default=[],
        metavar="RULE",
        help="never run",
    )
    add(
        "--add-dir",
        action="append",
        default=[],
        metavar="DIR",
        help="one more directory to work in; may be given again",
    )
    add(
        "--trust",
        action="store_true",
        help="let this folder's own settings allow and configure things, this once",
    )

    output = parser.add_argument_group("output")
    add = output.add_argument
    add("--output-format", choices=_FORMATS, default="text", help="with -p: " + ", ".join(_FORMATS))
    add(
        "--include-partial-messages",
        action="store_true",
        help="with stream-json: also the raw stream events",
    )
    add("--verbose", action="store_true", help="with -p: tell each tool call on stderr")
    add("--theme", metavar="NAME", help="theme of the window")
    return parser
