"""What an "always" may save: narrow rules that cover the call and nothing surprising."""

import posixpath
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentcli.permissions.path_rules import file_rule, folder_rule
from agentcli.permissions.shell import wrappers
from agentcli.permissions.shell.words import quote
from agentcli.protocol.rules import Destination, Rule, RuleUpdate

if TYPE_CHECKING:
    from agentcli.permissions.bash_cover import Part
    from agentcli.permissions.bench import Bench
    from agentcli.permissions.shell.commands import Command

# Programs whose second word names what is done, so that two words say enough for a prefix.
_SUBCOMMANDS: dict[str, frozenset[str]] = {
    "git": frozenset(
        {"add", "commit", "fetch", "pull", "push", "merge", "switch", "tag", "stash", "restore"}
        | {"cherry-pick"}
    ),
    "npm": frozenset({"test", "ci", "install", "ls", "outdated", "audit", "view", "run"}),
    "pnpm": frozenset({"test", "install", "list", "outdated", "audit", "run"}),
    "yarn": frozenset({"test", "install", "list", "outdated", "audit", "run"}),
    "pip": frozenset({"install", "list", "show", "freeze", "check", "download"}),
    "pip3": frozenset({"install", "list", "show", "freeze", "check", "download"}),
    "cargo": frozenset({"build", "test", "check", "clippy", "fmt", "doc", "tree", "bench"}),
    "go": frozenset({"build", "test", "vet", "fmt", "mod", "list", "doc"}),
    "uv": frozenset({"sync", "lock", "add", "pip", "tree"}),
    "poetry": frozenset({"install", "lock", "add", "show", "check", "build"}),
    "docker": frozenset({"ps", "images", "logs", "inspect", "build", "pull"}),
    "kubectl": frozenset({"get", "describe", "logs"}),
}
_RUN_TOOLS = frozenset({"npm", "pnpm", "yarn"})
_PYTHONS = frozenset({"python", "python3"})
_PYTHON_MODULES = frozenset(
    {"pytest", "unittest", "mypy", "ruff", "black", "isort", "flake8", "pylint", "pyright", "build"}
    | {"compileall", "coverage", "tox", "nox"}
)
_TEST_PROGRAMS = frozenset(
    {"pytest", "mypy", "ruff", "black", "isort", "flake8", "pylint", "pyright", "tsc", "eslint"}
    | {"jest", "vitest", "prettier", "tox", "nox"}
)
_MAX_EXACT = 500
_MAX_RULES = 5
_SURROGATE = re.compile("[\ud800-\udfff]")


def bash_suggestions(
    parts: "Sequence[Part]", bench: "Bench", destination: Destination
) -> tuple[RuleUpdate, ...]:
    """One rule for each of the uncovered *parts*; none if one of them cannot have any, or if they
    are more than a person reads. Pure but for the probe.

    A prefix only for programs whose first words say what runs; else the exact command.
    """
    rules = [_part_rules(part, bench) for part in parts]
    found = tuple(dict.fromkeys(rule for some in rules for rule in some))
    if len(rules) > _MAX_RULES or () in rules:
        return ()
    return (RuleUpdate(found, "allow", destination),)


def _part_rules(part: "Part", bench: "Bench") -> tuple[Rule, ...]:
    if not part.lasting:
        return ()
    if part.redirect and part.redirect.target:
        path = bench.spell(part.redirect.target.text, literal=True, base=part.place)
        tool = "Edit" if ">" in part.redirect.operator else "Read"
        if any(map(_SURROGATE.search, path.names)):
            return ()
        return tuple(Rule(tool, file_rule(name)) for name in path.names)
    words = part.words
    if words and words[0] == "cd" and len(words) == 2:
        folder = bench.spell(words[1], literal=True, base=part.place)
        updates = read_suggestions(folder.names, bench.policy.home)
        return updates[0].rules if updates else ()
    if words and part.command and _reads_its_script(words, part.command):
        return ()
    prefix = _prefix(words) if words and part.command and not part.command.assignments else None
    content = f"{quote(prefix)} *" if prefix else part.text
    if len(part.text) > _MAX_EXACT:
        return ()
    if not prefix and ("*" in content or content.endswith(":*") or "\n" in content):
        # As a rule it would be a pattern, and allow more than was asked.
        return ()
    return (Rule("Bash", content),)


def _reads_its_script(words: tuple[str, ...], command: "Command") -> bool:
    """An interpreter whose code does not stand in the words: a rule would allow any code."""
    fed = any(item.operator.startswith("<") for item in command.redirects)
    alone = all(word == "-" or word.startswith("-") for word in words[1:])
    return wrappers.is_code_runner(words) and (fed or alone) and "-c" not in words


def read_suggestions(folders: Sequence[str], home: str) -> tuple[RuleUpdate, ...]:
    """Reading in *folders* (one place by all its names) for this session; none for the root or
    the home. Pure."""
    return _folder_suggestion("Read", folders, home)


def edit_suggestions(folders: Sequence[str], home: str, inside: bool) -> tuple[RuleUpdate, ...]:
    """Inside: accept all edits of this session; outside: edits below those folders. Pure."""
    if inside:
        return (RuleUpdate(mode="acceptEdits", destination="session"),)
    return _folder_suggestion("Edit", folders, home)


def _folder_suggestion(tool: str, folders: Sequence[str], home: str) -> tuple[RuleUpdate, ...]:
    for path in folders:
        if _SURROGATE.search(path):
            return ()  # a name that is no Unicode can stand in no settings file
        if path.count("/") <= 1 or path == home or home.startswith(path + "/"):
            return ()
    rules = tuple(Rule(tool, folder_rule(path)) for path in dict.fromkeys(folders))
    return (RuleUpdate(rules, "allow", "session"),)


def _prefix(words: tuple[str, ...]) -> tuple[str, ...] | None:
    name = words[0]
    if name in _PYTHONS and len(words) > 2 and words[1] == "-m" and words[2] in _PYTHON_MODULES:
        return words[:3]
    if wrappers.is_code_runner(words) or posixpath.basename(name) != name:
        return None
    if name in _TEST_PROGRAMS:
        return (name,)
    second = words[1] if len(words) > 1 else ""
    if second not in _SUBCOMMANDS.get(name, frozenset()):
        return None
    if name in _RUN_TOOLS and second == "run":
        return words[:3] if len(words) > 2 and not words[2].startswith("-") else None
    return words[:2]
