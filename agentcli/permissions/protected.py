"""Paths that only the bypass mode writes silently, and paths that nothing removes silently."""

import unicodedata
from collections.abc import Iterable

from agentcli.permissions.paths import Spelled, is_inside

# Each of them can make a later command run something: hooks, editor tasks, shell and tool config.
_DIRS = frozenset(
    {".git", ".vscode", ".idea", ".husky", ".cargo", ".devcontainer", ".yarn", ".mvn", ".claude"}
    | {".agentcli", ".ssh"}
)
_FILES = frozenset(
    {".gitconfig", ".gitmodules", ".bashrc", ".bash_profile", ".bash_login", ".bash_aliases"}
    | {".bash_logout", ".zshrc", ".zprofile", ".zshenv", ".zlogin", ".zlogout", ".profile"}
    | {".envrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnp.cjs", ".pnp.loader.mjs"}
    | {".pnpmfile.cjs", "bunfig.toml", ".bunfig.toml", ".bazelrc", ".bazelversion"}
    | {".bazeliskrc", ".pre-commit-config.yaml", "lefthook.yml", "lefthook.yaml"}
    | {".lefthook.yml", ".lefthook.yaml", "gradle-wrapper.properties"}
    | {"maven-wrapper.properties", ".devcontainer.json", ".ripgreprc", "pyrightconfig.json"}
    | {".mcp.json", ".claude.json"}
)
_WORKTREES = (".claude", "worktrees")


def protected_part(path: Spelled, extra_dirs: Iterable[str] = ()) -> str | None:
    """The protected folder or file that a write to *path* would touch, else None. Pure."""
    dirs = tuple(extra_dirs)
    for name in path.names:
        for folder in dirs:
            if is_inside(_folded(name), _folded(folder)):
                return folder
        found = _protected_name(name)
        if found:
            return found
    return None


def is_critical(name: str, roots: Iterable[str], home: str) -> bool:
    """True if removing normal path *name* would take the system, the home or a root. Pure."""
    return name.count("/") <= 1 or any(is_inside(root, name) for root in (*roots, home))


def _protected_name(path: str) -> str | None:
    parts = [_folded_part(part) for part in path.split("/")]
    for index, part in enumerate(parts):
        following = parts[index + 1] if index + 1 < len(parts) else ""
        if (part, following) == _WORKTREES and index + 2 < len(parts):
            continue
        if part in _DIRS:
            return part
        if (part, following) == (".config", "git"):
            return ".config/git"
    return parts[-1] if parts[-1] in _FILES else None


def _folded(path: str) -> str:
    return "/".join(_folded_part(part) for part in path.split("/"))


def _folded_part(part: str) -> str:
    """As the most tolerant file systems compare: no case, composed, no ignorable characters."""
    if part.isascii():
        return part.casefold().rstrip(" .") or part
    kept = "".join(char for char in part if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", kept).casefold()).rstrip(" .")
