"""Saving rules and trust: nothing else changes, nothing is lost."""

import json
import multiprocessing
import os
from typing import Any

import pytest

from agentcli.protocol.errors import SettingsError
from agentcli.protocol.rules import Rule
from agentcli.settings.trust import is_trusted, read_trust, set_trusted, state_path
from agentcli.settings.write import add_rules, set_user_value


@pytest.fixture
def place(tmp_path):
    (tmp_path / "repo/.git").mkdir(parents=True)
    (tmp_path / "repo/pkg").mkdir()
    return {
        "cwd": tmp_path / "repo/pkg",
        "home": tmp_path / "own",
        "env": {"HOME": str(tmp_path / "me")},
    }


def add(place, *texts, destination: Any = "localSettings"):
    return add_rules([Rule("Bash", text) for text in texts], "allow", destination, **place)


def test_local_rules_go_to_the_repository_root(place, tmp_path):
    path = add(place, "npm test *", "ls")
    assert path == tmp_path / "repo/.claude/settings.local.json"
    assert path.read_text() == (
        '{\n  "permissions": {\n    "allow": [\n      "Bash(npm test *)",\n      "Bash(ls)"\n'
        "    ]\n  }\n}\n"
    )


def test_destinations(place, tmp_path):
    assert add(place, "x", destination="projectSettings") == place["cwd"] / ".claude/settings.json"
    path = add(place, "x", destination="userSettings")
    assert path == place["home"] / "settings.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    with pytest.raises(SettingsError):
        add(place, "x", destination="session")


@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("indent", ["\t", "    "])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_everything_else_is_kept(place, indent, end, newline):
    old: dict[str, Any] = {
        "z": "é",
        "permissions": {"deny": ["Read"], "allow": ["Bash(a)"], "q": 1},
        "a": [1.5],
    }
    path = place["home"] / "settings.json"
    path.parent.mkdir()
    text = (json.dumps(old, indent=indent, ensure_ascii=False) + end).replace("\n", newline)
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    path.chmod(0o640)
    add(place, "a", "b", "b", destination="userSettings")
    old["permissions"]["allow"] = ["Bash(a)", "Bash(b)"]
    text = (json.dumps(old, indent=indent, ensure_ascii=False) + end).replace("\n", newline)
    assert path.read_bytes() == b"\xef\xbb\xbf" + text.encode()
    assert path.stat().st_mode & 0o777 == 0o640
    before = path.stat().st_ino
    add(place, "b", destination="userSettings")
    assert path.stat().st_ino == before


@pytest.mark.parametrize(
    "content",
    [
        '{"permissions": {"allow": ["x",]}}',
        "[]",
        '{"permissions": 5}',
        '{"permissions": {"allow": 5}}',
    ],
)
def test_a_broken_file_is_never_overwritten(place, content):
    path = place["home"] / "settings.json"
    path.parent.mkdir()
    path.write_text(content)
    with pytest.raises(SettingsError, match=str(path)):
        add(place, "x", destination="userSettings")
    assert path.read_text() == content
    assert os.listdir(path.parent) == ["settings.json"]


@pytest.mark.parametrize("where", ["file", "folder"])
def test_rules_are_not_written_through_links_of_a_project(place, tmp_path, where):
    target = tmp_path / "elsewhere"
    target.mkdir()
    (target / "settings.local.json").write_text("{}")
    claude = tmp_path / "repo/.claude"
    if where == "folder":
        claude.symlink_to(target)
    else:
        claude.mkdir()
        (claude / "settings.local.json").symlink_to(target / "settings.local.json")
    with pytest.raises(SettingsError, match="link"):
        add(place, "x")
    assert (target / "settings.local.json").read_text() == "{}"


def test_set_user_value(place):
    path = place["home"] / "settings.json"
    set_user_value(place["home"], "theme", "dark")
    add(place, "x", destination="userSettings")
    set_user_value(place["home"], "theme", "light")
    assert json.loads(path.read_text()) == {
        "theme": "light",
        "permissions": {"allow": ["Bash(x)"]},
    }
    path.write_text("{")
    with pytest.raises(SettingsError):
        set_user_value(place["home"], "theme", "dark")
    assert path.read_text() == "{"


def test_unwritable_places_are_reported(place, tmp_path):
    (tmp_path / "repo/.claude").write_text("a file")
    with pytest.raises(SettingsError):
        add(place, "x")


def _write_many(place, name):
    for number in range(20):
        add(place, f"{name} {number}")


def test_two_writers_lose_nothing(place, tmp_path):
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write_many, args=(place, name)) for name in "ab"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    path = tmp_path / "repo/.claude/settings.local.json"
    allow = json.loads(path.read_text())["permissions"]["allow"]
    assert set(allow) == {f"Bash({name} {number})" for name in "ab" for number in range(20)}
    assert len(allow) == 40


def test_trust_is_given_to_the_repository_root(place, tmp_path):
    home = place["home"]
    assert not is_trusted(place["cwd"], home)
    assert set_trusted(place["cwd"], home, place["env"])
    assert is_trusted(tmp_path / "repo", home)
    assert is_trusted(place["cwd"], home)
    assert state_path(home).stat().st_mode & 0o777 == 0o600
    assert json.loads(state_path(home).read_text()) == {
        "projects": {str(tmp_path / "repo"): {"hasTrustDialogAccepted": True}}
    }


def test_nested_repositories_links_and_plain_folders(place, tmp_path):
    home = place["home"]
    set_trusted(tmp_path / "repo", home, place["env"])
    nested = place["cwd"] / "nested"
    nested.mkdir()
    (nested / ".git").write_text("gitdir: ../../.git\n")
    assert not is_trusted(nested, home)
    (tmp_path / "link").symlink_to("repo")
    assert is_trusted(tmp_path / "link" / "pkg", home)
    (tmp_path / "plain/sub").mkdir(parents=True)
    set_trusted(tmp_path / "plain", home, place["env"])
    assert is_trusted(tmp_path / "plain", home)
    assert not is_trusted(tmp_path / "plain/sub", home)
    assert not is_trusted(tmp_path, home)


def test_the_home_folder_is_never_saved_as_trusted(place, tmp_path):
    (tmp_path / "me").mkdir()
    assert set_trusted(tmp_path / "me", place["home"], place["env"]) is False
    assert not is_trusted(tmp_path / "me", place["home"])


@pytest.mark.parametrize("content", ["{", "[]", "\x00"])
def test_a_broken_state_means_no_and_is_kept(place, content):
    path = state_path(place["home"])
    path.parent.mkdir()
    path.write_text(content)
    trust = read_trust(place["cwd"], place["home"])
    assert not trust.trusted
    assert str(path) in (trust.problem or "")
    with pytest.raises(SettingsError):
        set_trusted(place["cwd"], place["home"], place["env"])
    assert path.read_text() == content


@pytest.mark.parametrize(
    "entry", ["true", "1", '"yes"', "null", "{}", '{"hasTrustDialogAccepted": 1}']
)
def test_only_true_is_trust(place, tmp_path, entry):
    path = state_path(place["home"])
    path.parent.mkdir()
    path.write_text(f'{{"numStartups": 3, "projects": {{"{tmp_path}/repo": {entry}}}}}')
    assert not is_trusted(place["cwd"], place["home"])


def test_other_state_is_kept(place, tmp_path):
    path = state_path(place["home"])
    path.parent.mkdir()
    path.write_text('{"numStartups": 3, "projects": {"/x": {"a": 1}}}')
    set_trusted(place["cwd"], place["home"], place["env"])
    state = json.loads(path.read_text())
    assert state["numStartups"] == 3
    assert state["projects"]["/x"] == {"a": 1}
    assert state["projects"][str(tmp_path / "repo")] == {"hasTrustDialogAccepted": True}


def test_trust_that_others_could_have_written_does_not_count(place):
    set_trusted(place["cwd"], place["home"], place["env"])
    state_path(place["home"]).chmod(0o666)
    trust = read_trust(place["cwd"], place["home"])
    assert not trust.trusted and "everybody may write it" in (trust.problem or "")
