"""Write replaces a file that the model knows, and keeps its kind."""

import asyncio
import os
from pathlib import Path

import pytest

from agentcli.tools.registry import load_tool, parse_input
from tests.tools.helpers import Bench


async def overwrite(bench: Bench, data: bytes, content: str) -> tuple[bytes, str]:
    path = bench.root / "f"
    path.write_bytes(data)
    await bench.run("Read", file_path="f")
    text = await bench.text("Write", file_path="f", content=content)
    return path.read_bytes(), text


async def test_new_file_has_exactly_the_content(bench: Bench) -> None:
    result = await bench.run("Write", file_path="a/b/c.txt", content="ü\r\nx")
    path = bench.root / "a/b/c.txt"
    assert path.read_bytes() == "ü\r\nx".encode()
    assert result.details == {
        "type": "create",
        "filePath": str(path),
        "content": "ü\r\nx",
        "structuredPatch": [],
        "added": 2,
        "removed": 0,
    }


async def test_write_then_edit_needs_no_read(bench: Bench) -> None:
    await bench.text("Write", file_path="f", content="a\n")
    await bench.text("Edit", file_path="f", old_string="a", new_string="b")
    await bench.text("Write", file_path="f", content="c\n")
    assert (bench.root / "f").read_text() == "c\n"


async def test_existing_file_must_be_known_as_it_is(bench: Bench) -> None:
    path = bench.root / "f"
    path.write_text("old")
    assert "not been read" in await bench.fails("Write", file_path="f", content="new")
    await bench.run("Read", file_path="f")
    path.write_text("changed")
    assert "changed on disk" in await bench.fails("Write", file_path="f", content="new")
    assert path.read_text() == "changed"
    await bench.run("Read", file_path="f")
    await bench.text("Write", file_path="f", content="new")
    assert path.read_text() == "new"


@pytest.mark.parametrize(
    ("data", "content", "result", "note"),
    [
        (b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n", "CRLF"),
        (b"a\r\nb\n", "x\ny\n", b"x\ny\n", ""),
        (b"a\nb\n", "x\r\ny\n", b"x\r\ny\n", ""),
        (b"\xef\xbb\xbfa\n", "b\n", b"\xef\xbb\xbfb\n", "BOM"),
        (b"\xef\xbb\xbfa\n", "\ufeffb\n", b"\xef\xbb\xbfb\n", "BOM"),
        ("a\n".encode("utf-16"), "ü\n", "ü\n".encode("utf-16"), "utf-16"),
        (b"caf\xe9\n", "thé\n", b"th\xe9\n", "cp1252"),
        (b"caf\xe9\n", "中\n", "中\n".encode(), "not UTF-8 before"),
    ],
)
async def test_line_ends_and_encoding_are_kept_and_said(
    bench: Bench, data: bytes, content: str, result: bytes, note: str
) -> None:
    written, text = await overwrite(bench, data, content)
    assert written == result and note in text


async def test_same_content_is_not_written_again(bench: Bench) -> None:
    path = bench.root / "f"
    path.write_text("a")
    os.utime(path, (1, 1))
    await bench.run("Read", file_path="f")
    assert "nothing was written" in await bench.text("Write", file_path="f", content="a")
    assert path.stat().st_mtime == 1


async def test_what_is_no_file_is_refused(bench: Bench) -> None:
    os.mkfifo(bench.root / "fifo")
    assert "FIFO" in await bench.fails("Write", file_path="fifo", content="x")
    assert "directory" in await bench.fails("Write", file_path=".", content="x")
    assert "directory" in await bench.fails("Write", file_path="new/", content="x")
    assert "surrogates" in await bench.fails("Write", file_path="s", content="\ud800")
    (bench.root / "plain").write_text("x")
    assert "directory" in (await bench.fails("Write", file_path="plain/x", content="y")).lower()
    assert sorted(os.listdir(bench.root)) == ["fifo", "plain"]


async def test_full_disk_is_an_error_for_the_model(bench: Bench) -> None:
    message = await bench.fails("Write", file_path="/dev/full", content="x")
    assert "device" in message


async def test_update_details(bench: Bench) -> None:
    path = bench.root / "f"
    path.write_text("a\nb\n")
    await bench.run("Read", file_path="f")
    result = await bench.run("Write", file_path="f", content="a\nc\nd\n")
    assert result.details["type"] == "update"
    assert (result.details["added"], result.details["removed"]) == (2, 1)
    assert result.details["structuredPatch"][0]["lines"] == [" a", "-b", "+c", "+d"]


async def test_preview(bench: Bench, tmp_path: Path) -> None:
    tool = load_tool("Write")
    (bench.root / "f").write_text("a\n")

    def preview(path: str):
        return tool.preview(parse_input(tool, {"file_path": path, "content": "b\n"}), bench.ctx)

    unread = preview("f")
    assert unread and unread.kind == "text" and "not been read" in unread.text
    await bench.run("Read", file_path="f")
    known = preview("f")
    assert known and known.kind == "diff" and known.hunks[0].lines == ("-a", "+b")
    new = preview("new")
    assert new and new.kind == "diff" and new.hunks[0].lines == ("+b",)
    assert new.hunks[0].old_lines == 0 and new.added == 1
    assert os.listdir(bench.root) == ["f"]


async def test_a_cancelled_write_is_over_when_the_call_is(bench: Bench) -> None:
    for number in range(30):
        task = asyncio.create_task(
            bench.run("Write", file_path=f"f{number}", content="x" * 100_000)
        )
        for _ in range(number % 4):
            await asyncio.sleep(0)
        await asyncio.sleep(number * 0.0001)
        task.cancel()
        await asyncio.wait([task])
        before = sorted(os.listdir(bench.root))
        assert not [name for name in before if name.endswith(".tmp")]
        await asyncio.sleep(0.01)
        assert sorted(os.listdir(bench.root)) == before
