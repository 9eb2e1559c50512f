"""The flags of ``agentcli permissions check``."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from agentcli.base.text import one_line

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

_HELP = """\
usage: agentcli permissions check [TOOL INPUT] …

Say what a tool call would be answered: allow, ask or deny. Nothing is run, sent or changed.

  agentcli permissions check Bash 'npm test && rm -rf x'
  agentcli permissions check Read .env        Edit src/app.py        WebFetch https://example.com
  agentcli permissions check Edit '{"file_path": "a.py", "old_string": "x", "new_string": "y"}'
  agentcli permissions check < calls.jsonl    one JSON object a line, one answer a line

See agentcli permissions check --help.
"""
_EPILOG = """\
exit code: 0 allow, 3 ask, 4 deny, 2 wrong command line, 1 another error

Without TOOL, JSON lines are read from stdin. Fields: tool, input; and, where they differ from
an empty, trusted project in the current folder: id, mode, rules {allow, ask, deny},
rules_source (project, local, user or flag), cwd, home, additional_directories, trusted,
headless, hook {"PreToolUse": allow, ask, deny, none or exitN}. Every line gets one of JSON: id,
decision, reason, and where there are any rule, parts, suggestions and problems; for a line that
cannot be read: id, line, error.
"""


@dataclass(slots=True)
class CheckArgs:
    """The parsed command line; ``tool`` is None where calls come on stdin."""

    tool: str | None = None
    input: str = ""
    mode: str | None = None
    cwd: str = "."
    json: bool = False
    trust: bool = False
    allowed_tools: list[str] = field(default_factory=list[str])
    disallowed_tools: list[str] = field(default_factory=list[str])
    add_dir: list[str] = field(default_factory=list[str])


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line that says what is wrong, exit code 2."""
        self.exit(2, f"agentcli: {one_line(message, 300)}. See {self.prog} --help.\n")

    def print_help(self, file: "SupportsWrite[str] | None" = None) -> None:
        """Print the help. Raises OSError, which argparse would swallow."""
        _print(self.format_help())


def parse(argv: Sequence[str]) -> CheckArgs | None:
    """Parse what stands behind ``permissions``; None where help was wanted and printed.

    Exits with 2 and one line on stderr for a mistake. Raises OSError for a stdout that takes no
    help.
    """
    if not argv or argv[0] in ("-h", "--help"):
        _print(_HELP)
        return None
    parser = _make_parser()
    if argv[0] != "check":
        name = one_line(argv[0], 60)
        parser.exit(2, f"agentcli: no command 'permissions {name}'; there is 'permissions check'\n")
    return parser.parse_intermixed_args(list(argv[1:]), namespace=CheckArgs())


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _make_parser() -> _Parser:
    parser = _Parser(
        prog="agentcli permissions check",
        description="Say what a tool call would be answered, and why, by the settings in force.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("tool", nargs="?", metavar="TOOL", help="Bash, Read, Edit, WebFetch, mcp__server__tool …")
    add("input", nargs="?", default="", metavar="INPUT", help="the command, path or URL; or JSON")
    add("--mode", "--permission-mode", dest="mode", metavar="MODE", help="instead of the settings'")
    add("--cwd", metavar="DIR", default=".", help="the folder of the session")
    add("--json", action="store_true", help="the answer as one JSON object")
    add("--trust", action="store_true", help="as if the folder was trusted")
    for flag, words in (("--allowedTools", "allow"), ("--disallowedTools", "deny")):
        name = "allowed_tools" if words == "allow" else "disallowed_tools"
        add(flag, dest=name, action="append", default=[], metavar="RULES", help=f"{words} rules")
    add("--add-dir", dest="add_dir", action="append", default=[], metavar="DIR")
    return parser
