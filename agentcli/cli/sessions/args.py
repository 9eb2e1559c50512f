"""The commands of ``agentcli sessions`` and their flags."""

import argparse
import difflib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from agentcli.base.text import one_line

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

COMMANDS = ("list", "show", "tree", "check", "export")
_SESSION = "its id or the begin of it, its title, or the path of its file"
_EPILOG = """\
examples:
  agentcli sessions list --all discount      sessions of every folder with that word
  agentcli sessions show 3f2a                read one again
  agentcli sessions show 3f2a --payload      the request that a resume would send
  agentcli sessions export 3f2a talk.md
"""


@dataclass(slots=True)
class SessionArgs:
    """The parsed command line; ``command`` is "" where only help is wanted."""

    command: str = ""
    session: str = ""
    query: str | None = None
    file: str | None = None
    format: str | None = None
    model: str | None = None
    all: bool = False
    json: bool = False
    payload: bool = False
    full: bool = False
    force: bool = False


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line that says what is wrong, exit code 2."""
        self.exit(2, f"agentcli: {one_line(message, 300)}. See {self.prog} --help.\n")

    def print_help(self, file: "SupportsWrite[str] | None" = None) -> None:
        """Print the help. Raises OSError, which argparse would swallow."""
        (file or sys.stdout).write(self.format_help())
        sys.stdout.flush()


def parse(argv: Sequence[str]) -> SessionArgs:
    """Parse what stands behind ``sessions``. Exits with 0 for help, with 2 and one line on stderr
    for a mistake. Raises OSError for a stdout that takes no help."""
    parser, commands = _make_parser()
    if not argv:
        parser.print_help()
        return SessionArgs()
    if not argv[0].startswith("-") and argv[0] not in COMMANDS:
        near = difflib.get_close_matches(argv[0], COMMANDS, 1)
        hint = f"did you mean '{near[0]}'?" if near else "there are " + ", ".join(COMMANDS)
        parser.exit(2, f"agentcli: no command 'sessions {one_line(argv[0], 60)}'; {hint}\n")
    if argv[0] in COMMANDS:
        args = SessionArgs(command=argv[0])
        return commands[argv[0]].parse_intermixed_args(list(argv[1:]), namespace=args)
    parser.parse_args(list(argv))
    return SessionArgs()


def _make_parser() -> tuple[_Parser, dict[str, _Parser]]:
    texts = {
        "list": "the sessions of this folder, newest first",
        "show": "a conversation as text, its entries, or the request that it would be",
        "tree": "every branch of a session",
        "check": "what is wrong in a session file, and what a resume would find",
        "export": "a conversation as a Markdown or JSON document",
    }
    listed = "\n".join(f"  {name:<8} {text}" for name, text in texts.items())
    parser = _Parser(
        prog="agentcli sessions",
        usage="agentcli sessions COMMAND …",
        description=f"Look at stored sessions. Nothing is sent or changed.\n\ncommands:\n{listed}",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made = {
        name: _Parser(prog=f"agentcli sessions {name}", description=text, allow_abbrev=False)
        for name, text in texts.items()
    }
    for name in ("show", "tree", "check", "export"):
        made[name].add_argument("session", metavar="SESSION", help=_SESSION)
    for name in ("list", "tree", "check"):
        made[name].add_argument("--json", action="store_true", help="as JSON")
    add = made["list"].add_argument
    add("query", nargs="?", help="only those with these words in title, prompts, branch or id")
    add("--all", action="store_true", help="of every folder")
    add = made["show"].add_argument
    add("--json", action="store_true", help="the entries of the conversation, one a line")
    add("--payload", action="store_true", help="the request body that a resume would send now")
    add("--model", metavar="NAME", help="with --payload: the model to send it to")
    add("--full", action="store_true", help="long inputs and results whole")
    add = made["export"].add_argument
    add("file", nargs="?", metavar="FILE", help="where to write it; - or none is stdout")
    add("--format", choices=("markdown", "json"), help="else as the name of the file says")
    add("--full", action="store_true", help="long inputs and results whole")
    add("--force", action="store_true", help="write over a file that is there")
    return parser, made
