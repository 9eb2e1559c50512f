"""Facts about the repository around a folder, read from its files: no git process, no config.

Repository config can run programs, so nothing here honours it; a branch name costs one small read.
"""

from pathlib import Path

_HEAD_LIMIT = 4096


def find_git_dir(folder: Path) -> Path | None:
    """The ``.git`` folder of the repository around *folder*, following a worktree's pointer file.

    Never raises: what cannot be read is "no repository".
    """
    for candidate in (folder, *folder.parents):
        dot_git = candidate / ".git"
        try:
            if dot_git.is_dir():
                return dot_git
            if dot_git.is_file():
                pointer = _read_small(dot_git)
                if pointer.startswith("gitdir:"):
                    target = Path(pointer.removeprefix("gitdir:").strip())
                    return target if target.is_absolute() else candidate / target
        except OSError:
            return None
    return None


def find_repo_root(folder: Path) -> Path | None:
    """The folder that holds ``.git``, or None. Never raises."""
    for candidate in (folder, *folder.parents):
        try:
            if (candidate / ".git").exists():
                return candidate
        except OSError:
            return None
    return None


def read_branch(folder: Path) -> str | None:
    """Current branch, a short commit id when detached, None outside a repository. Never raises."""
    git_dir = find_git_dir(folder)
    if git_dir is None:
        return None
    try:
        head = _read_small(git_dir / "HEAD").strip()
    except OSError:
        return None
    if head.startswith("ref:"):
        return head.removeprefix("ref:").strip().removeprefix("refs/heads/") or None
    return head[:8] or None


def worktrees(folder: Path) -> list[Path]:
    """The top folders of all worktrees of the repository around *folder*, the main one first;
    empty outside a repository. Never raises."""
    git_dir = find_git_dir(folder)
    if git_dir is None:
        return []
    if git_dir.parent.name == "worktrees":  # <main>/.git/worktrees/<name>
        git_dir = git_dir.parent.parent
    found = [git_dir.parent] if git_dir.name == ".git" else []
    try:
        pointers = sorted((git_dir / "worktrees").glob("*/gitdir"))
    except OSError:
        return found
    for pointer in pointers:
        try:
            found.append(Path(_read_small(pointer).strip()).parent)
        except OSError:
            continue
    return found


def _read_small(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_HEAD_LIMIT).decode("utf-8", "replace")
