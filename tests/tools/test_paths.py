"""Paths survive the way to the model and back."""

import os
import unicodedata
from pathlib import Path

import pytest

from agentcli.protocol.errors import ToolError
from agentcli.tools.limits import clip, head_and_tail, spill
from agentcli.tools.paths import inside, missing_text, resolve_path, show_path
from tests.tools.helpers import Bench

ODD_NAMES = [
    b"plain.txt",
    b"new\nline",
    b"tab\t",
    b"back\\slash",
    b"back\\slash\n",
    b"bad\xff\xed\xa0\x80",
    "\u202egnp.txt".encode(),
    b"\x1b[31m",
    "größe \U0001f600".encode(),
    b"-n",
    b" lead",
    b"\\x41",
]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_shown_path_finds_its_file(tmp_path: Path, name: bytes) -> None:
    path = tmp_path / os.fsdecode(name)
    path.write_text("x")
    shown = show_path(path)
    shown.encode("utf-8")
    assert shown.isprintable()
    assert resolve_path(shown, Path("/")) == path


def test_relative_home_and_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/x")
    assert resolve_path("a/b", tmp_path) == tmp_path / "a" / "b"
    assert resolve_path("~/a", tmp_path) == Path("/home/x/a")
    (tmp_path / "far" / "deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to("far/deep")
    # The parent of the link's target, as the kernel sees it, not the folder of the link.
    assert resolve_path("link/../a", tmp_path) == tmp_path / "far" / "a"


@pytest.mark.parametrize("text", ["", "a\0b", "a\ud800"])
def test_impossible_paths(text: str) -> None:
    with pytest.raises(ToolError):
        resolve_path(text, Path("/"))


def test_inside_follows_links(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "out").symlink_to("/etc")
    assert inside(tmp_path / "root" / "new" / "x", (tmp_path / "root",))
    assert not inside(tmp_path / "root" / "out", (tmp_path / "root",))
    assert not inside(tmp_path / "root2", (tmp_path / "root",))


@pytest.mark.parametrize(
    ("there", "asked"),
    [
        ("ReadMe.md", "README.md"),
        ("Shot 1\u202fAM.png", "Shot 1 AM.png"),
        ("a\u00a0b", "a b"),
        (unicodedata.normalize("NFD", "Schätzung"), "Schätzung"),
        ("settings.json", "setings.json"),
    ],
)
def test_similar_names_are_suggested(tmp_path: Path, there: str, asked: str) -> None:
    (tmp_path / there).touch()
    (tmp_path / "quite different").touch()
    text = missing_text(tmp_path / asked)
    assert f"Did you mean {show_path(tmp_path / there)}" in text
    assert "quite different" not in text


def test_what_cannot_be_seen_is_named(tmp_path: Path) -> None:
    (tmp_path / "a\u00a0b").touch()
    assert "U+00A0 NO-BREAK SPACE" in missing_text(tmp_path / "a b")


def test_missing_folder_is_said(tmp_path: Path) -> None:
    assert f"no directory {tmp_path / 'no'}" in missing_text(tmp_path / "no" / "file")


def test_cutting_keeps_characters_whole() -> None:
    text = "\U0001f600" * 10
    assert clip(text, 4).startswith("\U0001f600" * 4 + "\n… [6 more")
    assert clip(text, 10) == text
    both = head_and_tail("a" * 10 + "b" * 80 + "c" * 10, 30)
    assert both.startswith("a" * 10) and both.endswith("c" * 10) and "[70 characters" in both


def test_spill_saves_what_is_too_long(bench: Bench) -> None:
    assert spill("short", bench.ctx) == ("short", None)
    text, path = spill("x\ud800" * 20_000, bench.ctx)
    assert path is not None and path == bench.ctx.spill_dir / "call.txt"
    assert str(path) in text and len(text) < 3_000
    assert path.read_text() == "x\ufffd" * 20_000
    assert path.stat().st_mode & 0o777 == 0o600
    assert bench.ctx.spill_dir.stat().st_mode & 0o777 == 0o700


def test_spill_without_a_place_still_answers(bench: Bench) -> None:
    bench.ctx.spill_dir = Path("/dev/null/x")
    text, path = spill("x" * 40_000, bench.ctx)
    assert path is None and "could not be saved" in text
