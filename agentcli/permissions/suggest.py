"""What an "always" may save: narrow rules that cover the call and nothing surprising."""

import posixpath
import re

from agentcli.permissions.path_rules import folder_rule
from agentcli.permissions.shell import simple, wrappers
from agentcli.protocol.rules import Destination, Rule, RuleUpdate

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
_SURROGATE = re.compile("[\ud800-\udfff]")


def bash_suggestions(
    words: tuple[str, ...], text: str, destination: Destination
) -> tuple[RuleUpdate, ...]:
    """A rule for the simple command *words*, written as *text*.

    A prefix only for programs whose first words say what runs; else the exact command. Pure.
    """
    if len(text) > _MAX_EXACT:
        return ()
    prefix = _prefix(words)
    content = f"{simple.quote(prefix)} *" if prefix else text.strip()
    if not prefix and ("*" in content or content.endswith(":*") or "\n" in content):
        # As a rule it would be a pattern, and allow more than was asked.
        return ()
    return (RuleUpdate((Rule("Bash", content),), "allow", destination),)


def read_suggestions(path: str, home: str) -> tuple[RuleUpdate, ...]:
    """Reading in the folder of *path* for this session; none for the root or the home. Pure."""
    return _folder_suggestion("Read", path, home)


def edit_suggestions(path: str, home: str, inside: bool) -> tuple[RuleUpdate, ...]:
    """Inside: accept all edits of this session; outside: edits below that folder. Pure."""
    if inside:
        return (RuleUpdate(mode="acceptEdits", destination="session"),)
    return _folder_suggestion("Edit", path, home)


def _folder_suggestion(tool: str, path: str, home: str) -> tuple[RuleUpdate, ...]:
    if _SURROGATE.search(path):
        return ()  # a name that is no Unicode can stand in no settings file
    if path.count("/") <= 1 or path == home or home.startswith(path + "/"):
        return ()
    return (RuleUpdate((Rule(tool, folder_rule(path)),), "allow", "session"),)


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
