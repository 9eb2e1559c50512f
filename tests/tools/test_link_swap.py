"""A folder swapped for a link between the decision and the file: nothing leads elsewhere."""

import contextlib
import errno
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from agentcli.base.files import read_limited
from agentcli.base.no_links import open_folder
from agentcli.base.writing import atomic_write
from tests.tools.helpers import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    (tmp_path / "work/src").mkdir(parents=True)
    (tmp_path / "work/src/app.py").write_text("inside\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/app.py").write_text("outside\n")
    return Bench(tmp_path / "work")


def approve(bench: Bench, path: Path) -> None:
    """What the engine hands over: the judged path, and the file that stood there."""
    info = path.stat()
    bench.ctx.target, bench.ctx.identity = path, (info.st_dev, info.st_ino)


def swap_folder(bench: Bench) -> None:
    (bench.root / "src").rename(bench.root / "src-before")
    (bench.root / "src").symlink_to(bench.root.parent / "out")


def swap_file(bench: Bench) -> None:
    (bench.root / "src/app.py").unlink()
    (bench.root / "src/app.py").symlink_to(bench.root.parent / "out/app.py")


def swap_name(bench: Bench) -> None:
    (bench.root / "src/app.py").unlink()
    os.link(bench.root.parent / "out/app.py", bench.root / "src/app.py")


@pytest.mark.parametrize("swap", [swap_folder, swap_file, swap_name])
@pytest.mark.parametrize("tool", ["Read", "Edit", "Write"])
async def test_cve_2026_88968_a_swap_after_the_decision(
    bench: Bench, swap: Callable[[Bench], None], tool: str
) -> None:
    """Claude Code: the Edit tool was raced by a link swap; here also by a hard link."""
    path = bench.root / "src/app.py"
    await bench.text("Read", file_path=str(path))
    approve(bench, path)
    swap(bench)
    given = {"Edit": {"old_string": "side", "new_string": "x"}, "Write": {"content": "x"}}.get(
        tool, {}
    )
    error = await bench.fails(tool, file_path=str(path), **given)
    assert "outside" not in error
    assert (bench.root.parent / "out/app.py").read_text() == "outside\n"


def test_cve_2026_34452_a_link_on_the_way_is_an_error(bench: Bench) -> None:
    """Memory tool of an SDK: the resolved path was checked, then another one was used."""
    (bench.root / "link").symlink_to(bench.root.parent / "out")
    for path in (bench.root / "link/app.py", bench.root / "link/deep/new.txt"):
        with pytest.raises(OSError) as caught:
            atomic_write(path, b"x", resolved=True)
        assert caught.value.errno in (errno.ELOOP, errno.ENOTDIR)
        with pytest.raises(OSError):
            read_limited(path, 100, resolved=True)
    assert sorted(os.listdir(bench.root.parent / "out")) == ["app.py"]
    assert atomic_write(bench.root / "a/b/c.txt", b"x", resolved=True).read_text() == "x"


def test_a_folder_that_may_be_passed_through_but_not_listed(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    with open_folder(tmp_path / "a/b") as fd:
        assert os.stat(".", dir_fd=fd).st_ino == (tmp_path / "a/b").stat().st_ino


def race(bench: Bench, rounds: int) -> None:
    """Writes and reads while a thread flips a folder and a link as fast as it can."""
    src, other, out = bench.root / "src", bench.root / "real", bench.root.parent / "out"
    over = threading.Event()

    def flip() -> None:
        # A write may have made the folder anew in between, so every step may fail.
        steps = (
            lambda: src.rename(other),
            lambda: src.symlink_to(out),
            lambda: src.unlink(),
            lambda: other.is_dir() and not src.is_symlink() and shutil.rmtree(src),
            lambda: other.rename(src),
        )
        while not over.is_set():
            for step in steps:
                with contextlib.suppress(OSError):
                    step()

    thread = threading.Thread(target=flip)
    thread.start()
    done = 0
    try:
        for _ in range(rounds):
            for act in (
                lambda: atomic_write(src / "app.py", b"written\n", resolved=True) and b"",
                lambda: read_limited(src / "app.py", 100, resolved=True),
            ):
                try:
                    assert act() != b"outside\n"
                    done += 1
                except OSError:
                    continue
    finally:
        over.set()
        thread.join()
    assert (out / "app.py").read_text() == "outside\n"
    assert sorted(os.listdir(out)) == ["app.py"]
    assert done > 0


def test_a_race_is_never_lost(bench: Bench) -> None:
    race(bench, 1_000)


@pytest.mark.slow
def test_a_long_race_is_never_lost(bench: Bench) -> None:
    race(bench, 60_000)
