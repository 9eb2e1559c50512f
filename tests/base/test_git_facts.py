"""The branch, read from files; no git process runs and no config counts."""

from pathlib import Path

import pytest

from agentcli.base.git_facts import find_repo_root, read_branch


def repository(folder: Path, head: str) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text(head)
    return folder


@pytest.mark.parametrize(
    ("head", "branch"),
    [
        ("ref: refs/heads/main\n", "main"),
        ("ref: refs/heads/feature/a-b\n", "feature/a-b"),
        ("0123456789abcdef0123456789abcdef01234567\n", "01234567"),
        ("", None),
    ],
)
def test_branch(tmp_path: Path, head: str, branch: str | None) -> None:
    root = repository(tmp_path / "r", head)
    (root / "deep" / "er").mkdir(parents=True)
    assert read_branch(root / "deep" / "er") == branch
    assert find_repo_root(root / "deep") == root


def test_a_worktree_points_to_its_own_head(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", "ref: refs/heads/main\n")
    own = root / ".git" / "worktrees" / "w"
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/side\n")
    tree = tmp_path / "w"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {own}\n")
    assert read_branch(tree) == "side"


def test_no_repository_and_unreadable_ones_are_none(tmp_path: Path) -> None:
    assert read_branch(tmp_path) is None
    (tmp_path / ".git").mkdir()
    assert read_branch(tmp_path) is None
    (tmp_path / ".git" / "HEAD").mkdir()
    assert read_branch(tmp_path) is None
