"""Edit changes what was asked for and no other byte."""

import os
import random
import stat
import time
from pathlib import Path

import pytest

from agentcli.tools.diff import diff_texts
from agentcli.tools.edit_match import FoldedText, fold
from agentcli.tools.registry import load_tool, parse_input
from tests.tools.helpers import Bench


async def edit(bench: Bench, data: bytes, old: str, new: str, **more: bool) -> bytes:
    path = bench.root / "f"
    path.write_bytes(data)
    await bench.run("Read", file_path="f")
    await bench.text("Edit", file_path="f", old_string=old, new_string=new, **more)
    return path.read_bytes()


async def refused(bench: Bench, data: bytes, old: str, new: str = "new", **more: bool) -> str:
    path = bench.root / "f"
    path.write_bytes(data)
    await bench.run("Read", file_path="f")
    message = await bench.fails("Edit", file_path="f", old_string=old, new_string=new, **more)
    assert path.read_bytes() == data
    return message


@pytest.mark.parametrize(
    ("data", "old", "new", "result"),
    [
        (b"a\r\nb\r\nc\r\n", "b", "x\ny", b"a\r\nx\r\ny\r\nc\r\n"),
        (b"a\r\nb\r\nc\r\n", "a\nb", "a\nB", b"a\r\nB\r\nc\r\n"),
        (b"a\r\nb\nc\r\n", "a\nb\nc", "a\nB\nc", b"a\r\nB\nc\r\n"),
        (b"a\r\nb\nc\r\n", "a\nb\nc", "A\nb\nC", b"A\r\nb\nC\r\n"),
        (b"a\r\nb", "b", "b\nc", b"a\r\nb\r\nc"),
        (b"a\nb", "b", "b\nc\n", b"a\nb\nc\n"),
        (b"a", "a", "a\nb", b"a\nb"),
        (b"a\r\n\r\nb\r\n", "a\n\nb", "a\nb", b"a\r\nb\r\n"),
        (b"a\r\nb\r\n", "a\r\nb", "a\r\nc", b"a\r\nc\r\n"),
        (b"a\r\nb\r\n", "\nb\n", "\n", b"a\r\n"),
        (b"one \x85\xe9\r\ntwo\r\n", "two", "2", b"one \x85\xe9\r\n2\r\n"),
        ("a\u2028b\x0cc\n".encode(), "b", "B", "a\u2028B\x0cc\n".encode()),
        ("x\n".encode("utf-16"), "x", "ü\ny", "ü\ny\n".encode("utf-16")),
        (b"aaaa", "aa", "b", b"bb"),
    ],
)
async def test_only_the_match_changes(
    bench: Bench, data: bytes, old: str, new: str, result: bytes
) -> None:
    assert await edit(bench, data, old, new, replace_all=data == b"aaaa") == result


async def test_replace_all_keeps_each_line_end(bench: Bench) -> None:
    data = b"a\nb\nx\r\na\r\nb\r\n"
    assert await edit(bench, data, "a\nb", "1\n2\n3", replace_all=True) == (
        b"1\n2\n3\nx\r\n1\r\n2\r\n3\r\n"
    )


def test_folded_positions_match_a_slow_reading_of_random_texts() -> None:
    rng = random.Random(3)
    for _ in range(3_000):
        text = "".join(rng.choice(["a", "b", "\n", "\r\n", "\r"]) for _ in range(rng.randrange(12)))
        folded = FoldedText(text)
        for position in range(len(folded.view) + 1):
            assert fold(text[: folded.offset(position)]) == folded.view[:position]


def test_random_edits_leave_all_else_alone() -> None:
    rng = random.Random(5)
    for _ in range(3_000):
        text = "".join(rng.choice(["a", "b", "\n", "\r\n"]) for _ in range(rng.randrange(1, 12)))
        folded = FoldedText(text)
        start = rng.randrange(len(folded.view))
        end = rng.randrange(start, len(folded.view)) + 1
        old = folded.view[start:end]
        new = "".join(rng.choice("ab\n") for _ in range(rng.randrange(4)))
        result = folded.replace_at([start], old, new)
        assert fold(result) == folded.view[:start] + new + folded.view[end:]
        assert result.startswith(text[: folded.offset(start)])
        assert result.endswith(text[folded.offset(end) :])


async def test_unread_file_is_refused(bench: Bench) -> None:
    (bench.root / "f").write_text("a")
    message = await bench.fails("Edit", file_path="f", old_string="a", new_string="b")
    assert "has not been read" in message and (bench.root / "f").read_text() == "a"


async def test_partial_view_does_not_count_but_a_chosen_range_does(bench: Bench) -> None:
    path = bench.root / "f"
    path.write_text("".join(f"line {n}\n" for n in range(1, 2_502)))
    assert "PARTIAL" in await bench.text("Read", file_path="f")
    await bench.fails("Edit", file_path="f", old_string="line 7\n", new_string="x\n")
    await bench.text("Read", file_path="f", offset=1, limit=10)
    await bench.text("Edit", file_path="f", old_string="line 7\n", new_string="x\n")
    assert path.read_text().splitlines()[6] == "x"
    message = await bench.fails("Write", file_path="f", content="")
    assert "only been read in part" in message


async def test_file_changed_since_the_read(bench: Bench) -> None:
    path = bench.root / "f"
    path.write_text("a\nb\n")
    await bench.run("Read", file_path="f")
    path.write_text("a\nb\nc\n")
    text = await bench.text("Edit", file_path="f", old_string="a", new_string="A")
    assert "had changed on disk" in text and path.read_text() == "A\nb\nc\n"
    path.write_text("x\nx\n")
    message = await bench.fails(
        "Edit", file_path="f", old_string="x", new_string="y", replace_all=True
    )
    assert "changed on disk" in message and path.read_text() == "x\nx\n"


async def test_an_edit_that_is_done_is_not_an_error(bench: Bench) -> None:
    await edit(bench, b"a = 1\n", "a = 1", "a = 2")
    path = bench.root / "f"
    text = await bench.text("Edit", file_path="f", old_string="a = 1", new_string="a = 2")
    assert "already made" in text and path.read_text() == "a = 2\n"
    path.write_text("other\n")
    await bench.fails("Edit", file_path="f", old_string="a = 1", new_string="a = 2")


async def test_refusals_help(bench: Bench) -> None:
    message = await refused(bench, b"x\ny\nx\nx\n", "x")
    assert "3 times (lines 1, 3, 4)" in message and "replace_all" in message
    assert "identical" in await refused(bench, b"x", "x", "x")
    assert "line endings" in await refused(bench, b"x\r\n", "x\r\n", "x\n")
    assert "not empty" in await refused(bench, b"x", "", "y")
    assert "differs only in whitespace (the file has tabs, old_string spaces)" in await refused(
        bench, b"if a:\n\tb\n", "if a:\n    b"
    )
    assert "Line 2" in await refused(bench, "x\nsay “hi”\n".encode(), 'say "hi"')
    assert "U+201C" in await refused(bench, "say “hi”\n".encode(), 'say "hi"')
    assert "U+200B ZERO WIDTH SPACE" in await refused(
        bench, "pass\u200bword\n".encode(), "password"
    )
    assert "U+00A0" in await refused(bench, "a\u00a0b\n".encode(), "a b")
    assert "line numbers" in await refused(bench, b"one\ntwo\n", "1\tone\n2\ttwo")
    assert "first line is at line 2" in await refused(bench, b"a\nstart\nend\n", "start\nother")


async def test_encoding_that_cannot_hold_the_text(bench: Bench) -> None:
    assert "cp1252" in await refused(bench, b"caf\xe9 x\n", "x", "\u4e2d")
    assert await edit(bench, b"caf\xe9 x\n", "x", "é") == b"caf\xe9 \xe9\n"


async def test_special_files_are_refused_at_once(bench: Bench) -> None:
    os.mkfifo(bench.root / "fifo")
    started = time.monotonic()
    message = await bench.fails("Edit", file_path="fifo", old_string="a", new_string="b")
    assert "FIFO" in message and time.monotonic() - started < 1
    assert "directory" in await bench.fails("Edit", file_path=".", old_string="a", new_string="b")
    (bench.root / "bin").write_bytes(b"\0a")
    assert "binary" in await bench.fails("Edit", file_path="bin", old_string="a", new_string="b")


async def test_empty_old_string_creates(bench: Bench) -> None:
    await bench.text("Edit", file_path="new/dir/f", old_string="", new_string="x\n")
    assert (bench.root / "new/dir/f").read_text() == "x\n"
    await bench.text("Edit", file_path="new/dir/f", old_string="x", new_string="y")
    assert (bench.root / "new/dir/f").read_text() == "y\n"


async def test_missing_file_names_its_neighbour(bench: Bench) -> None:
    (bench.root / "Main.py").touch()
    message = await bench.fails("Edit", file_path="main.py", old_string="a", new_string="b")
    assert "Did you mean" in message and "Main.py" in message


async def test_result_and_details(bench: Bench) -> None:
    path = bench.root / "f"
    path.write_text("".join(f"{n}\n" for n in range(1, 31)))
    path.chmod(0o755)
    await bench.run("Read", file_path="f")
    result = await bench.run("Edit", file_path="f", old_string="15\n", new_string="a\nb\n")
    assert result.content == (
        f"Updated {path}. (+2 -1 lines)\n"
        "12\t12\n13\t13\n14\t14\n15\ta\n16\tb\n17\t16\n18\t17\n19\t18"
    )
    assert result.details == {
        "filePath": str(path),
        "oldString": "15\n",
        "newString": "a\nb\n",
        "replaceAll": False,
        "added": 2,
        "removed": 1,
        "structuredPatch": [
            {
                "oldStart": 12,
                "oldLines": 7,
                "newStart": 12,
                "newLines": 8,
                "lines": [" 12", " 13", " 14", "-15", "+a", "+b", " 16", " 17", " 18"],
            }
        ],
    }
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


async def test_details_hold_no_copy_of_the_file(bench: Bench) -> None:
    path = bench.root / "f"
    path.write_text("".join(f"line {n}\n" for n in range(1_900)))
    await bench.run("Read", file_path="f")
    result = await bench.run("Edit", file_path="f", old_string="line 7\n", new_string="x\n")
    assert len(str(result.details)) < 2_000


async def test_preview_shows_the_change_and_changes_nothing(bench: Bench) -> None:
    path = bench.root / "f"
    path.write_text("a\nb\n")
    await bench.run("Read", file_path="f")
    tool = load_tool("Edit")

    def preview(**raw: str):
        return tool.preview(parse_input(tool, raw), bench.ctx)

    shown = preview(file_path="f", old_string="b", new_string="c")
    assert shown and shown.kind == "diff" and shown.path == str(path)
    assert shown.hunks[0].lines == (" a", "-b", "+c") and (shown.added, shown.removed) == (1, 1)
    assert path.read_text() == "a\nb\n"
    for raw in (
        {"file_path": "f", "old_string": "zzz", "new_string": "c"},
        {"file_path": "none", "old_string": "b", "new_string": "c"},
        {"file_path": "", "old_string": "b", "new_string": "c"},
        {"file_path": "a\0", "old_string": "b", "new_string": "c"},
    ):
        text = preview(**raw)
        assert text and text.kind == "text" and text.text


def test_diff_agrees_with_the_texts() -> None:
    rng = random.Random(11)
    for _ in range(500):
        old = "".join(rng.choice(["a\n", "b\n", "c\r\n", "d"]) for _ in range(rng.randrange(20)))
        new = "".join(rng.choice(["a\n", "b\n", "c\r\n", "d"]) for _ in range(rng.randrange(20)))
        diff = diff_texts(old, new)
        lines = [line for hunk in diff.hunks for line in hunk.lines]
        assert sum(line[0] == "+" for line in lines) == diff.added
        assert sum(line[0] == "-" for line in lines) == diff.removed
        assert bool(diff.hunks) == (old != new)
        position = 0
        before = [line.rstrip("\r") for line in old.split("\n")]
        after: list[str] = []
        for hunk in diff.hunks:
            start = hunk.old_start - 1 if hunk.old_lines else hunk.old_start
            after += before[position:start]
            assert len(after) == (hunk.new_start - 1 if hunk.new_lines else hunk.new_start)
            taken = [line[1:] for line in hunk.lines if line[0] != "+"]
            assert taken == before[start : start + hunk.old_lines]
            put = [line[1:] for line in hunk.lines if line[0] != "-"]
            assert len(put) == hunk.new_lines
            after += put
            position = start + hunk.old_lines
        after += before[position:]
        assert [x for x in after if x] == [x.rstrip("\r") for x in new.split("\n") if x]


def test_diff_has_a_time_bound() -> None:
    rng = random.Random(1)
    old = "".join(f"{rng.randrange(40)}\n" for _ in range(9_000))
    new = "".join(f"{rng.randrange(40)}\n" for _ in range(9_000))
    started = time.monotonic()
    diff = diff_texts(old, new, seconds=0.2)
    assert time.monotonic() - started < 3
    assert diff.hunks and diff.added and diff.removed


async def test_disk_paths_in_details_are_the_real_ones(bench: Bench, tmp_path: Path) -> None:
    real = tmp_path / "elsewhere"
    real.write_text("a\n")
    (bench.root / "link").symlink_to(real)
    await bench.run("Read", file_path="link")
    result = await bench.run("Edit", file_path="link", old_string="a", new_string="b")
    assert result.details["filePath"] == str(real) and real.read_text() == "b\n"
    assert (bench.root / "link").is_symlink()
