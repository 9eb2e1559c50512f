"""Spellings of a path, containment, protected names, and path rules."""

import os

import pytest

from agentcli.permissions.path_rules import folder_rule
from agentcli.permissions.paths import DiskProbe, MemoProbe, all_inside, is_inside, spell
from agentcli.permissions.protected import is_critical, protected_part


def spelled(text, base):
    return spell(text, str(base), str(base / "home"), DiskProbe())


def test_every_link_hop_is_a_spelling(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "two").symlink_to("real")
    (tmp_path / "one").symlink_to("two")
    path = spelled("one/new/file", tmp_path)
    assert path.names == tuple(
        str(tmp_path / n) for n in ("one/new/file", "two/new/file", "real/new/file")
    )
    assert path.real == str(tmp_path / "real/new/file")
    assert path.certain
    assert path.node.kind == "missing"


def test_dotdot_behind_a_link_is_resolved_as_the_kernel_does(tmp_path):
    (tmp_path / "repo").mkdir()
    (tmp_path / "far/away").mkdir(parents=True)
    (tmp_path / "far/x").write_text("")
    (tmp_path / "repo/link").symlink_to(tmp_path / "far/away")
    path = spelled("repo/link/../x", tmp_path)
    assert path.real == str(tmp_path / "far/x") == os.path.realpath(tmp_path / "repo/link/../x")
    assert not all_inside(path, (str(tmp_path / "repo"),))


def test_a_link_loop_is_uncertain(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    path = spelled("a", tmp_path)
    assert not path.certain
    assert not all_inside(path, ("/",))


@pytest.mark.parametrize("text", ["~other/x", "x" * 5000, "a\0b"])
def test_uncertain_paths(text, tmp_path):
    assert not spelled(text, tmp_path).certain


def test_home_is_expanded(tmp_path):
    assert spelled("~/x", tmp_path).real == str(tmp_path / "home/x")


@pytest.mark.parametrize(
    ("path", "root", "inside"),
    [
        ("/a/b", "/a", True),
        ("/a", "/a", True),
        ("/a-evil/b", "/a", False),
        ("/a", "/a/b", False),
        ("/x", "/", True),
    ],
)
def test_containment_is_by_component(path, root, inside):
    assert is_inside(path, root) is inside


def test_memo_probe_asks_once(tmp_path):
    memo = MemoProbe(DiskProbe())
    assert memo.lstat(str(tmp_path / "x")).kind == "missing"
    (tmp_path / "x").write_text("")
    assert memo.lstat(str(tmp_path / "x")).kind == "missing"


@pytest.mark.parametrize(
    "text",
    [
        *(".git/config", "sub/.git/hooks/x", ".GIT/config", ".git./config", ".Vscode/x", ".bashrc"),
        *("a/.mcp.json", ".config/git/ignore", ".claude/settings.json", ".claude/worktrees"),
        *(".claude/worktrees/w/.git", ".claude/worktrees/w/.claude/x", ".g\u200cit/x", "own/any"),
    ],
)
def test_protected_names(text, tmp_path):
    assert protected_part(spelled(text, tmp_path), (str(tmp_path / "Own"),))


@pytest.mark.parametrize(
    "text",
    [".gitignore", ".github/x", "git/config", ".claude/worktrees/w/src/a", "profile", "own2"],
)
def test_other_names_are_not_protected(text, tmp_path):
    assert protected_part(spelled(text, tmp_path), (str(tmp_path / "own"),)) is None


def test_a_link_to_a_protected_file_is_protected(tmp_path):
    (tmp_path / "ok.txt").symlink_to(".git/config")
    assert protected_part(spelled("ok.txt", tmp_path)) == ".git"


@pytest.mark.parametrize(
    ("name", "critical"),
    [
        ("/", True),
        ("/usr", True),
        ("/w/repo", True),
        ("/w/some", True),
        ("/home/me", True),
        ("/w/some/repo", True),
        ("/w/some/repo/build", False),
        ("/usr/lib", False),
    ],
)
def test_critical_paths(name, critical):
    assert is_critical(name, ("/w/some/repo", "/w/repo"), "/home/me") is critical


@pytest.mark.parametrize(
    ("rule", "path", "allow", "deny"),
    [
        ("/src/**", "src/a/b", True, True),
        ("/src/**", "x/src/a", False, False),
        ("src/**", "src/a", True, True),
        ("src/**", "x/src/a", False, True),
        ("src/lib/**", "x/src/lib/a", False, False),
        ("**/src/**", "x/src/a", True, True),
        ("/src/*.py", "src/a/b.py", False, False),
        ("/src/*.py", "src/b.py", True, True),
        (".env", "a/b/.env", True, True),
        (".env", ".env.example", False, False),
        ("./.env", "a/.env", False, False),
        ("secrets", "secrets/a", False, True),
        ("secrets/", "secrets/a", True, True),
        ("./secrets/**", "secrets", True, True),
        ("secrets/**", "secretsfoo/x", False, False),
        ("*.pem", "a/b.pem", True, True),
        ("a?.[ch]", "ab.c", True, True),
        ("a?.[!ch]", "ab.c", False, False),
        ("a\\*b", "a*b", True, True),
        ("a\\*b", "axb", False, False),
        ("./x/../y", "y", True, True),
    ],
)
def test_path_rules(project, rule, path, allow, deny):
    target = str(project.root / path)
    given = project.with_rules("allow", f"Edit({rule})").call(
        "Edit", file_path=target, old_string="a", new_string="b"
    )
    assert (given.behavior == "allow") is allow
    given = project.with_rules("deny", f"Read({rule})").call("Read", file_path=target)
    assert (given.behavior == "deny") is deny


def test_anchors(project):
    outside = str(project.base / "out/x")
    home = str(project.base / "home/x")
    assert (
        project.with_rules("allow", f"Read(/{outside})").call("Read", file_path=outside).behavior
        == "allow"
    )
    assert project.with_rules("allow", "Read(~/x)").call("Read", file_path=home).behavior == "allow"
    assert (
        project.with_rules("allow", "Read(../out/*)").call("Read", file_path=outside).behavior
        == "allow"
    )
    assert project.with_rules("allow", "Read(x)").call("Read", file_path=home).behavior == "ask"


def test_folder_rule_escapes_wildcards(project):
    folder = project.base / "out" / "a[1]*"
    folder.mkdir()
    rule = f"Read({folder_rule(str(folder))})"
    allowed = project.with_rules("allow", rule)
    assert allowed.call("Read", file_path=str(folder / "x")).behavior == "allow"
    assert allowed.call("Read", file_path=str(project.base / "out/a1b/x")).behavior == "ask"


def test_allow_needs_all_spellings_and_deny_one(project):
    (project.root / "link").symlink_to("secrets/key.pem")
    link = str(project.root / "link")
    assert (
        project.with_rules("deny", "Read(./secrets/**)").call("Read", file_path=link).behavior
        == "deny"
    )
    only_link = project.with_rules("allow", "Edit(./link)")
    assert only_link.call("Edit", file_path=link, old_string="", new_string="").behavior == "ask"
    both = project.with_rules("allow", "Edit(./link)", "Edit(./secrets/**)", "Edit")
    assert both.call("Edit", file_path=link, old_string="", new_string="").behavior == "allow"
