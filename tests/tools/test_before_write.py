"""Edit and Write say which real file they are about to write, and with what, before they do."""

import os
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agentcli.session.checkpoints import Checkpoints
from agentcli.session.entries import Entry
from tests.tools.helpers import Bench


@dataclass
class Watch:
    """What was told, and what the file held at that moment (None: it was not there)."""

    told: list[tuple[Path, bytes, bytes | None]] = field(
        default_factory=list[tuple[Path, bytes, bytes | None]]
    )
    threads: set[int] = field(default_factory=set[int])

    def __call__(self, path: Path, data: bytes) -> None:
        self.told.append((path, data, path.read_bytes() if path.exists() else None))
        self.threads.add(threading.get_ident())


@pytest.fixture
def watch(bench: Bench) -> Watch:
    bench.ctx.before_write = watch = Watch()
    return watch


async def test_write_tells_of_a_new_file_and_of_an_overwritten_one(
    bench: Bench, watch: Watch
) -> None:
    await bench.run("Write", file_path="sub/a", content="one\n")
    await bench.run("Write", file_path="sub/a", content="two\n")
    path = bench.root / "sub/a"
    assert watch.told == [(path, b"one\n", None), (path, b"two\n", b"one\n")]


async def test_edit_tells_the_whole_new_content(bench: Bench, watch: Watch) -> None:
    path = bench.root / "a"
    path.write_bytes(b"x\r\ny\r\n")
    await bench.run("Read", file_path="a")
    await bench.run("Edit", file_path="a", old_string="y", new_string="z")
    await bench.run("Edit", file_path="new", old_string="", new_string="made")
    assert watch.told == [
        (path, b"x\r\nz\r\n", b"x\r\ny\r\n"),
        (bench.root / "new", b"made", None),
    ]


async def test_the_real_file_is_told_and_not_the_link(bench: Bench, watch: Watch) -> None:
    (bench.root / "real").write_bytes(b"x")
    (bench.root / "link").symlink_to("real")
    await bench.run("Read", file_path="link")
    await bench.run("Edit", file_path="link", old_string="x", new_string="y")
    assert [told[0] for told in watch.told] == [Path(os.path.realpath(bench.root / "real"))]


async def test_it_is_told_in_the_thread_that_writes(bench: Bench, watch: Watch) -> None:
    await bench.run("Write", file_path="a", content="x")
    assert watch.threads and threading.get_ident() not in watch.threads


async def test_nothing_is_told_where_nothing_is_written(bench: Bench, watch: Watch) -> None:
    (bench.root / "a").write_bytes(b"x")
    await bench.fails("Write", file_path="a", content="not read before")
    await bench.run("Read", file_path="a")
    await bench.run("Write", file_path="a", content="x")
    await bench.fails("Edit", file_path="a", old_string="no such text", new_string="y")
    bench.ctx.target = bench.root / "other"
    await bench.fails("Edit", file_path="a", old_string="x", new_string="y")
    await bench.fails("Write", file_path="a", content="y")
    assert watch.told == []


async def test_with_checkpoints_what_the_tools_did_is_taken_back(
    bench: Bench, tmp_path: Path
) -> None:
    lines: list[Entry] = []
    points = Checkpoints(tmp_path / "kept", lambda line: lines.append(Entry(line)), pytest.fail)
    bench.ctx.before_write = points.before_write
    old = bench.root / "old"
    old.write_bytes(b"caf\xe9\r\n")
    points.begin("prompt")
    await bench.run("Read", file_path="old")
    await bench.run("Edit", file_path="old", old_string="caf", new_string="th")
    await bench.run("Edit", file_path="old", old_string="th", new_string="b")
    await bench.run("Write", file_path="sub/new", content="x")
    report = points.restore(lines, points.plan(lines, "prompt"))
    assert old.read_bytes() == b"caf\xe9\r\n" and not (bench.root / "sub/new").exists()
    points.restore(lines, points.plan(lines, report.undo))
    assert old.read_bytes() == b"b\xe9\r\n" and (bench.root / "sub/new").read_bytes() == b"x"
