"""The ``keys`` cases of the field corpus, typed into the real window byte by byte and at once."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.corpora.field.judge import load_manifest, unpack
from tests.e2e.program import AGENTCLI, World
from tests.e2e.terminal import Terminal

MakeWorld = Callable[..., World]

DRAFTS = {
    "F195-wide-caret": "あ",
    "F197-paste-submit": "first line\nsecond line\nthird line",
    "F200-paste-crlf": "a\nb\nc",
    "F204-shift-enter-alt": "one\ntwo",
    "F204-shift-enter-csi-u": "one\ntwo",
    "F204-shift-enter-ctrl-j": "one\ntwo",
    "F204-shift-enter-modify-other": "one\ntwo",
}
"""What stands in the composer then, pasted text in full."""


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("field")
    unpack(folder)
    return folder


def test_every_case_has_its_test() -> None:
    keys = {case["id"] for case in load_manifest() if case["kind"] == "keys"}
    assert keys == {*DRAFTS, "F201-paste-control", "F202-paste-1mb-200k"}


def type_and_send(here: World, pieces: list[bytes], seconds: float) -> tuple[str, float]:
    """The prompt that is sent after *pieces* were typed, and how long the window was busy before
    it took the next key."""
    terminal = Terminal(AGENTCLI, env=here.env(), cwd=here.project)
    try:
        terminal.wait_for("? help")
        for piece in pieces:
            terminal.send_all(piece)
            terminal.pump_once(0.001)
        began = time.monotonic()
        terminal.send("Z")
        terminal.wait_for("Z", seconds)
        busy = time.monotonic() - began
        assert here.sessions() == [] or not any(line["type"] == "user" for line in here.lines())
        terminal.send("\x7f\r")
        terminal.wait_for("ctx")
    finally:
        terminal.close()
    prompts = [line["message"]["content"] for line in here.lines() if line["type"] == "user"]
    assert len(prompts) == 1
    return prompts[0], busy


@pytest.mark.parametrize("name", DRAFTS)
def test_the_draft_is_what_was_meant(world: MakeWorld, cases: Path, name: str) -> None:
    data = (cases / name / "stdin.bin").read_bytes()
    prompt, _ = type_and_send(world("hello"), [data], 10)
    assert prompt == DRAFTS[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", DRAFTS)
def test_split_at_every_byte_it_is_the_same(world: MakeWorld, cases: Path, name: str) -> None:
    data = (cases / name / "stdin.bin").read_bytes()
    pieces = [data[at : at + 1] for at in range(len(data))]
    prompt, _ = type_and_send(world("hello"), pieces, 10)
    assert prompt == DRAFTS[name]


def test_control_characters_in_a_paste(world: MakeWorld, cases: Path) -> None:
    data = (cases / "F201-paste-control" / "stdin.bin").read_bytes()
    prompt, busy = type_and_send(world("hello"), [data], 10)
    assert all(word in prompt for word in ("ok", "red", "end"))
    assert not any(char < " " and char != "\n" for char in prompt)
    assert busy < 5  # one second on a quiet machine


def test_a_megabyte_is_pasted_and_sent_whole(world: MakeWorld, cases: Path) -> None:
    data = (cases / "F202-paste-1mb-200k" / "stdin.bin").read_bytes()
    prompt, busy = type_and_send(world("hello"), [data], 20)
    pasted = data.removeprefix(b"\x1b[200~").removesuffix(b"\x1b[201~").decode()
    assert prompt.rstrip("\n") == pasted.rstrip("\n")
    assert busy < 5
