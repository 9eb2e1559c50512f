"""Glob finds each file once, newest first."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from agentcli.tools.glob_match import compile_glob, expand_braces, find_files
from tests.tools.helpers import Bench


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


async def found(bench: Bench, pattern: str, path: str | None = None) -> list[str]:
    result = await bench.run("Glob", pattern=pattern, path=path)
    return sorted(os.path.relpath(name, bench.root) for name in result.details["filenames"])


TREE = (
    "a.py", "b.txt", ".hidden.py", "src/c.py", "src/deep/d.py", "src/deep/e.ts", "src/deep/x/f.py",
    "node_modules/m/g.py", ".git/h.py", ".github/i.py", "odd/[x].py", "odd/{y}.py",
)  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("b.*", ["b.txt"]),
        ("c.py", ["src/c.py"]),
        ("*.ts", ["src/deep/e.ts"]),
        ("./*.py", [".hidden.py", "a.py"]),
        ("src/*.py", ["src/c.py"]),
        ("src/**/*.py", ["src/c.py", "src/deep/d.py", "src/deep/x/f.py"]),
        ("src/**", ["src/c.py", "src/deep/d.py", "src/deep/e.ts", "src/deep/x/f.py"]),
        ("src/deep/", ["src/deep/d.py", "src/deep/e.ts", "src/deep/x/f.py"]),
        ("**/deep/**/f.py", ["src/deep/x/f.py"]),
        ("**/x/../*.py", None),
        ("src/{c,deep/d}.py", ["src/c.py", "src/deep/d.py"]),
        ("**/*.{ts,txt}", ["b.txt", "src/deep/e.ts"]),
        ("**/[d-f].py", ["src/deep/d.py", "src/deep/x/f.py"]),
        ("**/[!a-f].py", ["node_modules/m/g.py", ".github/i.py"]),
        ("?.txt", ["b.txt"]),
        ("odd/[[]x].py", ["odd/[x].py"]),
        ("nothing/**", []),
        ("A.PY", []),
    ],
)
async def test_patterns(bench: Bench, pattern: str, names: list[str] | None) -> None:
    make(bench.root, *TREE)
    if names is None:
        assert ".." in await bench.fails("Glob", pattern=pattern)
    else:
        assert await found(bench, pattern) == sorted(names)


async def test_ignored_and_hidden_files_are_found_but_not_git(bench: Bench) -> None:
    make(bench.root, *TREE)
    (bench.root / ".gitignore").write_text("node_modules\n*.py\n")
    names = await found(bench, "**/*.py")
    assert "node_modules/m/g.py" in names and ".github/i.py" in names and ".hidden.py" in names
    assert ".git/h.py" not in names


async def test_absolute_and_outside_patterns(bench: Bench, tmp_path: Path) -> None:
    make(tmp_path, "other/z.py", "other/sub/y.py")
    result = await bench.run("Glob", pattern=f"{tmp_path}/other/*.py")
    assert result.details["filenames"] == [str(tmp_path / "other/z.py")]
    result = await bench.run("Glob", pattern="../other/**/y.py")
    assert result.details["filenames"] == [str(tmp_path / "other/sub/y.py")]
    result = await bench.run("Glob", pattern="sub/*", path=str(tmp_path / "other"))
    assert result.content == str(tmp_path / "other/sub/y.py")


async def test_links(bench: Bench) -> None:
    make(bench.root, "a/x.py", "b/y.py")
    (bench.root / "a/up").symlink_to("..")
    (bench.root / "a/toward").symlink_to("../b")
    (bench.root / "b/back").symlink_to("../a")
    (bench.root / "l.py").symlink_to("a/x.py")
    (bench.root / "dead.py").symlink_to("none")
    os.mkfifo(bench.root / "fifo.py")
    assert await found(bench, "**/*.py") == ["a/x.py", "b/y.py", "l.py"]


async def test_newest_first_and_a_cap_of_100(bench: Bench) -> None:
    for number in range(120):
        make(bench.root, f"f{number:03}")
        os.utime(bench.root / f"f{number:03}", (number, number))
    result = await bench.run("Glob", pattern="f*")
    names = [Path(name).name for name in result.details["filenames"]]
    assert names == [f"f{number:03}" for number in range(119, 19, -1)]
    assert result.details["truncated"] is True and "newest 100 of 120" in str(result.content)
    few = await bench.run("Glob", pattern="f00*")
    assert few.details["truncated"] is False and few.details["numFiles"] == 10


async def test_what_may_not_be_read_is_not_listed(bench: Bench) -> None:
    make(bench.root, "a", "secret")
    bench.hidden.add("secret")
    assert await found(bench, "*") == ["a"]


async def test_refusals(bench: Bench) -> None:
    make(bench.root, "file")
    assert "null byte" in await bench.fails("Glob", pattern="a\0")
    assert "empty" in await bench.fails("Glob", pattern=" ")
    assert "does not exist" in await bench.fails("Glob", pattern="*", path="none")
    assert "is a file" in await bench.fails("Glob", pattern="*", path="file")
    assert "256" in await bench.fails("Glob", pattern="{a,b}" * 9)
    assert await bench.text("Glob", pattern="none") == "No files found"


def test_braces() -> None:
    assert expand_braces("a{b,c{d,e}}f") == ["abf", "acdf", "acef"]
    assert expand_braces("{x}") == ["{x}"]


async def test_names_of_any_bytes_are_listed_and_readable(bench: Bench) -> None:
    odd = [b"bad\xff.txt", b"new\nline.txt", b"q\"'.txt"]
    for name in odd:
        (bench.root / os.fsdecode(name)).write_text(f"content of {name!r}")
    result = await bench.run("Glob", pattern="*.txt")
    assert len(result.details["filenames"]) == 3
    texts = [await bench.text("Read", file_path=name) for name in result.details["filenames"]]
    assert sorted(texts) == sorted(f"1\tcontent of {name!r}" for name in odd)


def test_the_walk_stops_when_told(tmp_path: Path) -> None:
    for number in range(50):
        make(tmp_path, f"d{number}/f")
    calls = 0

    def stopped() -> bool:
        nonlocal calls
        calls += 1
        return calls > 5

    assert len(list(find_files(compile_glob("**/f", tmp_path), stopped))) <= 5


async def test_the_loop_is_free_meanwhile(bench: Bench) -> None:
    for number in range(80):
        make(bench.root, *(f"d{number}/f{n}" for n in range(10)))
    task = asyncio.create_task(bench.run("Glob", pattern="**/*"))
    worst = 0.0
    while not task.done():
        before = time.monotonic()
        await asyncio.sleep(0)
        worst = max(worst, time.monotonic() - before)
    assert (await task).details["numFiles"] == 100
    assert worst < 0.5
