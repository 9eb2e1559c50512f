"""Grep with ripgrep and with its Python stand-in: the same questions, the same answers."""

import asyncio
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentcli.tools import grep
from agentcli.tools.ripgrep import Search, find_ripgrep, ripgrep_argv
from tests.tools.helpers import Bench


@pytest.fixture(params=["ripgrep", "python"], autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "python":
        monkeypatch.setattr(grep, "find_ripgrep", lambda: None)
    return request.param


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


async def files(bench: Bench, pattern: str, **more: object) -> list[str]:
    result = await bench.run("Grep", pattern=pattern, **more)
    return sorted(result.details["filenames"])


async def content(bench: Bench, pattern: str, **more: object) -> str:
    return await bench.text("Grep", pattern=pattern, output_mode="content", **more)


async def test_modes(bench: Bench) -> None:
    write(bench.root, a_txt="foo\nbar\nfoo foo\n", sub__b_txt="foo\n", c_txt="none\n")
    os.utime(bench.root / "a.txt", (1, 1))
    assert await bench.text("Grep", pattern="foo") == "sub/b.txt\na.txt"
    assert await content(bench, "foo") == "a.txt:1:foo\na.txt:3:foo foo\nsub/b.txt:1:foo"
    result = await bench.run("Grep", pattern="foo", output_mode="count")
    assert result.content == "a.txt:2\nsub/b.txt:1\n3 matching lines in 2 files"
    assert result.details["numMatches"] == 3 and result.details["mode"] == "count"
    assert await bench.text("Grep", pattern="zzz") == "No matches found"


async def test_flags(bench: Bench) -> None:
    write(bench.root, a_txt="one Foo 12\ntwo\nthree\nfour foo 7\nfive\n")
    assert await content(bench, "FOO", **{"-i": True, "-n": False}) == (
        "a.txt:one Foo 12\na.txt:four foo 7"
    )
    assert await content(bench, "[0-9]+", **{"-o": True}) == "a.txt:1:12\na.txt:4:7"
    assert await content(bench, "two", **{"-A": 1}) == "a.txt:2:two\na.txt-3-three"
    assert await content(bench, "two", **{"-B": 1}) == "a.txt-1-one Foo 12\na.txt:2:two"
    assert await content(bench, "two", context=1) == await content(bench, "two", **{"-C": 1})
    write(bench.root, a_txt="x\n1\n2\n3\nx\n")
    assert (
        await content(bench, "x", **{"-C": 1}) == "a.txt:1:x\na.txt-2-1\n--\na.txt-4-3\na.txt:5:x"
    )


async def test_multiline(bench: Bench) -> None:
    write(bench.root, a_txt="foo\nbar\nbaz\n")
    assert await content(bench, r"foo\nbar", multiline=True) == "a.txt:1:foo\na.txt:2:bar"
    assert (
        await content(bench, "foo.*baz", multiline=True) == "a.txt:1:foo\na.txt:2:bar\na.txt:3:baz"
    )
    assert "multiline" in await bench.fails("Grep", pattern=r"foo\nbar")
    assert "multiline" in await bench.fails("Grep", pattern="foo\nbar")


async def test_globs_and_types(bench: Bench) -> None:
    write(bench.root, a_py="x", b_js="x", sub__c_py="x", sub__d_tsx="x")
    assert await files(bench, "x", glob="*.py") == ["a.py", "sub/c.py"]
    assert await files(bench, "x", glob="*.{js,tsx}") == ["b.js", "sub/d.tsx"]
    assert await files(bench, "x", glob="*.js, *.tsx") == ["b.js", "sub/d.tsx"]
    assert await files(bench, "x", glob="!*.py") == ["b.js", "sub/d.tsx"]
    assert await files(bench, "x", glob="!sub") == ["a.py", "b.js"]
    assert await files(bench, "x", glob="sub/**") == ["sub/c.py", "sub/d.tsx"]
    assert await files(bench, "x", type="py") == ["a.py", "sub/c.py"]
    assert "unrecognized file type: nope" in await bench.fails("Grep", pattern="x", type="nope")


def git_files(root: Path) -> list[str]:
    """What git itself takes for not ignored, in a new repository."""
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    argv = ["git", "ls-files", "-co", "--exclude-standard"]
    return subprocess.run(argv, cwd=root, capture_output=True, text=True).stdout.split()


async def test_ignored_files_like_git(bench: Bench) -> None:
    root = bench.root
    write(root, a_txt="x", drop_log="x", sub__keep_log="x", sub__drop_log="x", build__o="x",
          sub__build__o="x", deep__a__b__x_tmp="x", _github__w="x", dir_txt__f="x")  # fmt: skip
    (root / ".gitignore").write_text("# c\n*.log\n/build/\ndeep/**/*.tmp\n\n*.txt/\n\\#x\n")
    (root / "sub" / ".gitignore").write_text("!keep.log\n")
    everything = await files(bench, "x")
    assert "drop.log" in everything and "build/o" in everything, "outside a repository"
    listed = git_files(root)
    expected = sorted(name for name in listed if "x" in (root / name).read_text())
    assert await files(bench, "x") == expected
    assert "sub/keep.log" in expected and ".github/w" in expected and "sub/build/o" in expected
    assert await files(bench, "x", path="sub") == ["sub/build/o", "sub/keep.log"]
    assert await files(bench, "x", path="sub/drop.log") == ["sub/drop.log"]


async def test_binary_is_skipped_and_utf16_is_found(bench: Bench) -> None:
    (bench.root / "bin").write_bytes(b"\0needle")
    (bench.root / "wide").write_bytes("a\nneedle ü\n".encode("utf-16"))
    (bench.root / "latin").write_bytes(b"needle \xe9\n")
    assert await files(bench, "needle") == ["latin", "wide"]
    assert "wide:2:needle ü" in await content(bench, "needle")


async def test_links_are_not_followed(bench: Bench) -> None:
    write(bench.root, a__x="needle")
    (bench.root / "a" / "self").symlink_to(".")
    (bench.root / "b").symlink_to("a")
    os.mkfifo(bench.root / "fifo")
    assert await files(bench, "needle") == ["a/x"]
    assert "FIFO" in await bench.fails("Grep", pattern="x", path="fifo")


async def test_patterns_that_are_refused(bench: Bench) -> None:
    write(bench.root, a="foo(\n")
    for pattern in ("foo(", "*a", "[", r"\d+["):
        message = await bench.fails("Grep", pattern=pattern)
        assert message.startswith(f"Invalid regular expression `{pattern}`: ")
        assert "\n" not in message and "Traceback" not in message
    assert "empty" in await bench.fails("Grep", pattern="")
    assert "null" in await bench.fails("Grep", pattern="\0")
    assert "does not exist" in await bench.fails("Grep", pattern="x", path="none")
    assert await content(bench, "foo(".replace("(", r"\(")) == "a:1:foo("


async def test_nothing_is_taken_as_a_flag(bench: Bench) -> None:
    write(bench.root, a="-e --pre=x\n")
    (bench.root / "--files").write_text("-e --pre=x\n")
    assert await files(bench, "--pre=x") == ["--files", "a"]
    assert await files(bench, "-e", path="--files") == ["--files"]
    assert await files(bench, "-e", glob="--files") == ["--files"]


async def test_configuration_files_are_not_read(bench: Bench, tmp_path: Path) -> None:
    config = tmp_path / "rc"
    config.write_text("--invert-match\n")
    bench.env["RIPGREP_CONFIG_PATH"] = str(config)
    write(bench.root, a="foo\n", b="bar\n")
    assert await files(bench, "foo") == ["a"]


async def test_paging(bench: Bench) -> None:
    write(bench.root, a="x\n" * 300)
    result = await bench.run("Grep", pattern="x", output_mode="content")
    assert result.details["numLines"] == 250 and result.details["appliedLimit"] == 250
    assert "(Results 1-250 of 300; use offset for more.)" in str(result.content)
    text = await content(bench, "x", head_limit=2, offset=298)
    assert text.startswith("a:299:x\na:300:x\n(Results 299-300 of 300")
    assert (await content(bench, "x", head_limit=0)).count("a:") == 300
    assert "No results at offset 300: there are only 300." in await content(bench, "x", offset=300)
    count = await bench.run("Grep", pattern="x", output_mode="count", head_limit=1)
    assert count.details["numMatches"] == 300


async def test_long_lines_are_cut(bench: Bench) -> None:
    write(bench.root, a="needle" + "y" * 100_000)
    assert len(await content(bench, "needle")) < 700


async def test_control_characters_do_not_reach_the_result(bench: Bench) -> None:
    (bench.root / "a").write_bytes(b"needle \x1b[31mred\x07\n")
    assert await content(bench, "needle") == "a:1:needle red"


async def test_what_may_not_be_read_is_left_out(bench: Bench) -> None:
    write(bench.root, a="x", secret="x")
    bench.hidden.add("secret")
    for mode in ("content", "files_with_matches", "count"):
        assert "secret" not in await bench.text("Grep", pattern="x", output_mode=mode)


async def test_odd_names(bench: Bench) -> None:
    for name in (b"new\nline", b"--\nx", b"c:1:x", b"bad\xff"):
        (bench.root / os.fsdecode(name)).write_text("needle\n")
    names = await files(bench, "needle")
    assert names == sorted(["new\\nline", "--\\nx", "c:1:x", "bad\\xff"])
    assert (await content(bench, "needle")).count(":1:needle") == 4


async def test_result_outside_the_working_directory_is_absolute(
    bench: Bench, tmp_path: Path
) -> None:
    (tmp_path / "other").write_text("x")
    assert await files(bench, "x", path="../other") == [str(tmp_path / "other")]


async def test_a_search_that_never_ends_is_killed_on_cancel(bench: Bench, engine: str) -> None:
    if engine == "ripgrep":
        pytest.skip("ripgrep has no slow pattern")
    write(bench.root, a="a" * 40 + "!\n")
    task = asyncio.create_task(bench.run("Grep", pattern="(a+)+$"))
    await asyncio.sleep(0.5)
    started = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - started < 2
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    assert not [pid for pid in children if "grep" in Path(f"/proc/{pid}/cmdline").read_text()]


async def test_time_limit(bench: Bench, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if engine == "ripgrep":
        pytest.skip("ripgrep has no slow pattern")
    monkeypatch.setattr("agentcli.tools.ripgrep.SECONDS", 0.5)
    write(bench.root, a="a" * 40 + "!\n")
    text = await bench.text("Grep", pattern="(a+)+$")
    assert "No matches" in text and "stopped" in text


async def test_very_much_output_is_bounded(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentcli.tools.ripgrep.MAX_BYTES", 50_000)
    write(bench.root, a="x\n" * 200_000)
    result = await bench.run("Grep", pattern="x", output_mode="content", head_limit=0)
    assert "The search was stopped" in str(result.content)
    assert len(str(result.content)) < 5_000


def test_ripgrep_is_the_one_of_this_installation() -> None:
    program = find_ripgrep()
    assert program is not None
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    assert version.startswith("ripgrep")


def test_ripgrep_is_found_on_path_last(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "rg"
    shutil.copy("/bin/true", fake)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_ripgrep() != str(fake)
    monkeypatch.setattr("sysconfig.get_path", lambda name: "/nowhere")
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert find_ripgrep() == str(fake)


def test_argv_is_fixed() -> None:
    argv = ripgrep_argv("rg", Search("-x", target="./y"))
    assert argv[:2] == ["rg", "--no-config"] and argv[-4:] == ["-e", "-x", "--", "./y"]
