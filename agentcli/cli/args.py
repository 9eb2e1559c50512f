"""All flags, declared once. Names follow Claude Code's where users know them."""

import argparse
import re
from collections.abc import Sequence
from typing import NoReturn

from agentcli.base.text import one_line
from agentcli.base.version import __version__
from agentcli.cli.options import Args

_MODES = ("default", "manual", "acceptEdits", "plan", "dontAsk", "bypassPermissions")
_FORMATS = ("text", "json", "stream-json")
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_EPILOG = """\
examples:
  agentcli                                  open the window in this directory
  agentcli "explain this repository"        open it and send this first
  agentcli -p "run the tests" --allowedTools "Bash(npm test)"
  git diff | agentcli -p "write a commit message"
  agentcli --demo                           try it without an API key
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line that names the flag and what to do, exit code 2."""
        self.exit(2, f"agentcli: {one_line(message, 300)}. See agentcli --help.\n")


def parse_args(argv: Sequence[str]) -> Args:
    """Parse the command line. Exits with 0 for --help, 2 with one line on stderr for a mistake."""
    return _make_parser().parse_intermixed_args(list(argv), namespace=Args())


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
    add("-r", "--resume", metavar="ID", help="go on with the session of this id")

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
