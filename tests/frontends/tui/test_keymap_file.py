"""keybindings.json: what is right counts, each mistake is one line, the file is followed."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agentcli.frontends.tui.keymap.keymap import Keymap
from agentcli.frontends.tui.keymap.user_file import UserKeys, make_available, read_user_keys
from agentcli.frontends.tui.keymap.watch import KeyFile

WINDOW = [
    ("Chat", "chat:submit"),
    ("Chat", "chat:externalEditor"),
    ("Global", "app:redraw"),
    ("Chat", "chat:newline"),
]
SHEETS = [("Confirmation", "confirm:yes"), ("Confirmation", "confirm:no")]
AVAILABLE = make_available(WINDOW, SHEETS)
DEFAULTS = {
    "Chat": {
        ("enter",): "chat:submit",
        ("ctrl+x", "ctrl+e"): "chat:externalEditor",
        ("ctrl+k",): "chat:newline",
    },
    "Confirmation": {("y",): "confirm:yes"},
}


def read(path: Path, content: Any) -> UserKeys:
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return read_user_keys(path, DEFAULTS, AVAILABLE)


def block(context: str, bindings: dict[str, Any]) -> dict[str, Any]:
    return {"bindings": [{"context": context, "bindings": bindings}]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "keybindings.json"


def test_no_file_changes_nothing(path: Path):
    assert read_user_keys(path, DEFAULTS, AVAILABLE) == UserKeys()


def test_the_documented_example(path: Path):
    content = {
        "$schema": "https://example.org/s.json",
        "$docs": "https://example.org/d",
        **block("Chat", {"ctrl+e": "chat:externalEditor", "ctrl+u": None}),
    }
    keys = read(path, content)
    assert keys.problems == ()
    assert keys.changes == {"Chat": {("ctrl+e",): "chat:externalEditor", ("ctrl+u",): None}}
    keymap = Keymap(DEFAULTS, keys.changes)
    assert keymap.meaning(("Chat",), "ctrl+e") == "chat:externalEditor"
    assert keymap.meaning(("Chat",), "enter") == "chat:submit"


@pytest.mark.parametrize(
    ("bindings", "problem"),
    [
        ({"ctrl+e": "chat:externalEditr"}, "did you mean chat:externalEditor?"),
        ({"ctrl+e": "nonsense"}, "Chat ctrl+e: unknown action nonsense"),
        ({"ctrl+e": "chat:fastMode"}, "chat:fastMode is not available here"),
        ({"ctrl+e": "confirm:yes"}, "confirm:yes does nothing in Chat"),
        ({"ctrl+e": 5}, "must be a name or null"),
        ({"ctrl+c": "chat:submit"}, "Chat ctrl+c: reserved"),
        ({"ctrl+d": None}, "reserved"),
        ({"ctrl+m": "chat:submit"}, "reserved"),
        ({"capslock": "chat:submit"}, "reserved"),
        ({"ctrl+blah": "chat:submit"}, "blah is no key"),
        ({"ctrl+e": None, "control+E": "chat:submit"}, "twice in one block"),
        ({"ctrl+k ctrl+s": "chat:submit"}, "hides chat:newline on ctrl+k"),
        ({"ctrl+x": "chat:submit"}, "stays hidden by ctrl+x ctrl+e"),
    ],
)
def test_a_mistake_is_one_line_and_the_rest_counts(
    path: Path, bindings: dict[str, Any], problem: str
):
    keys = read(path, block("Chat", {**bindings, "f5": "app:redraw"}))
    assert len(keys.problems) == 1
    assert problem in keys.problems[0]
    assert "\n" not in keys.problems[0]
    assert keys.changes["Chat"][("f5",)] == "app:redraw"


def test_an_unknown_action_leaves_the_default(path: Path):
    keys = read(path, block("Chat", {"enter": "chat:sumbit"}))
    assert Keymap(DEFAULTS, keys.changes).meaning(("Chat",), "enter") == "chat:submit"


def test_freeing_a_prefix_is_no_mistake(path: Path):
    keys = read(path, block("Chat", {"ctrl+x ctrl+e": None, "ctrl+x": "chat:newline"}))
    assert keys.problems == ()
    assert Keymap(DEFAULTS, keys.changes).meaning(("Chat",), "ctrl+x") == "chat:newline"


def test_actions_of_the_window_work_in_each_of_its_contexts_but_not_on_sheets(path: Path):
    assert read(path, block("Global", {"f6": "chat:submit"})).problems == ()
    keys = read(path, block("Confirmation", {"x": "chat:submit"}))
    assert "chat:submit does nothing in Confirmation" in keys.problems[0]
    assert keys.changes == {}


def test_the_same_key_twice_in_the_text_is_told_and_the_last_one_counts(path: Path):
    text = '{"bindings":[{"context":"Chat","bindings":{"f5":"chat:submit","f5":"app:redraw"}}]}'
    keys = read(path, text)
    assert "twice" in keys.problems[0]
    assert keys.changes == {"Chat": {("f5",): "app:redraw"}}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (block("Chta", {}), "unknown context (did you mean Chat?)"),
        (block("Footer", {}), "block 1 (Footer): not available here"),
        ({"bindings": [{"context": "Chat"}]}, '"bindings" must be an object'),
        ({"bindings": ["x"]}, "block 1: must be an object"),
        ({"bindings": {"Chat": {}}}, '"bindings" must be a list'),
        ({}, '"bindings" must be a list'),
    ],
)
def test_a_wrong_shape_is_told(path: Path, content: Any, problem: str):
    keys = read(path, content)
    assert len(keys.problems) == 1
    assert problem in keys.problems[0]


def test_a_wrong_block_does_not_hide_the_next(path: Path):
    good = {"context": "Chat", "bindings": {"f5": "app:redraw"}}
    keys = read(path, {"bindings": [7, good]})
    assert keys.changes == {"Chat": {("f5",): "app:redraw"}}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"bindings": [\n  {"context": "Chat",}\n]}', ":2:"),
        ("{'a': 1}", ":1:2"),
        ("// x\n{}", ":1:1"),
    ],
)
def test_broken_json_tells_line_and_column(path: Path, text: str, place: str):
    keys = read(path, text)
    assert len(keys.problems) == 1
    assert f"{path}{place}" in keys.problems[0]
    assert not keys.readable


def test_strange_files_are_bounded_and_told_in_one_line(path: Path):
    hostile = [
        lambda: path.symlink_to("/dev/zero"),
        lambda: os.mkfifo(path),
        path.mkdir,
        lambda: path.write_bytes(b"{" + b" " * (1024 * 1024)),
        lambda: path.write_text("[" * 100_000),
        lambda: path.write_text('{"bindings": ' + "9" * 6000 + "}"),
        lambda: path.write_bytes(b'{"a": "\xff"}'),
        lambda: path.write_text(""),
        lambda: path.write_text("[]"),
    ]
    for make in hostile:
        make()
        keys = read_user_keys(path, DEFAULTS, AVAILABLE)
        assert len(keys.problems) == 1, keys
        assert len(keys.problems[0]) < 400 and "\n" not in keys.problems[0]
        assert not keys.changes
        path.rmdir() if path.is_dir() else path.unlink()


def test_control_characters_of_the_file_do_not_reach_the_screen(path: Path):
    keys = read(path, block("Chat", {"\x1b[31mx": "chat:submit", "f1": "a\x1b]0;b\nc"}))
    assert len(keys.problems) == 2
    assert not any(char < " " for problem in keys.problems for char in problem)


def test_many_mistakes_do_not_flood(path: Path):
    keys = read(path, block("Chat", {f"ctrl+nokey{number}": "x" for number in range(500)}))
    assert len(keys.problems) == 13
    assert "488 more" in keys.problems[-1]


class Follower:
    def __init__(self, path: Path) -> None:
        self.keymaps: list[Keymap] = []
        self.told: list[str] = []
        self.file = KeyFile(path, DEFAULTS, AVAILABLE, self.keymaps.append, self.told.append)

    def meaning(self, key: str) -> str:
        return self.keymaps[-1].meaning(("Chat",), key)


def rewrite(path: Path, text: str) -> None:
    """A new file in its place, as editors do."""
    fresh = path.with_suffix(".new")
    fresh.write_text(text)
    fresh.replace(path)


def test_the_file_is_followed(path: Path):
    follower = Follower(path)
    assert not follower.file.check()
    rewrite(path, json.dumps(block("Chat", {"f5": "app:redraw"})))
    assert follower.file.check()
    assert follower.meaning("f5") == "app:redraw"
    assert not follower.file.check()
    rewrite(path, json.dumps(block("Chat", {"f6": "app:redraw"})))
    assert follower.file.check()
    assert (follower.meaning("f5"), follower.meaning("f6")) == ("", "app:redraw")
    path.unlink()
    assert follower.file.check()
    assert follower.meaning("f6") == ""


def test_a_problem_is_told_once_and_again_when_it_comes_back(path: Path):
    follower = Follower(path)
    wrong = json.dumps(block("Chat", {"f5": "nonsense"}))
    rewrite(path, wrong)
    follower.file.check()
    rewrite(path, wrong + " ")
    follower.file.check()
    assert len(follower.told) == 1
    rewrite(path, json.dumps(block("Chat", {})))
    follower.file.check()
    rewrite(path, wrong)
    follower.file.check()
    assert len(follower.told) == 2


def test_a_broken_file_leaves_the_keys_as_they_are(path: Path):
    follower = Follower(path)
    rewrite(path, json.dumps(block("Chat", {"f5": "app:redraw"})))
    follower.file.check()
    rewrite(path, '{"bindings": [')
    assert follower.file.check()
    assert follower.meaning("f5") == "app:redraw"
    assert len(follower.told) == 1
