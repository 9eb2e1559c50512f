"""Bash runs one command, says how it ended, and gives clean, bounded output."""

import asyncio
import os
import shutil
import time
from pathlib import Path

import pytest

from agentcli.protocol.blocks import content_text
from agentcli.tools.shell_env import find_shell
from agentcli.tools.shell_output import ShellOutput
from tests.tools.helpers import Bench


async def both(bench: Bench, command: str, **more: object) -> tuple[bool, str]:
    result = await bench.run("Bash", command=command, **more)
    return result.is_error, content_text(result.content)


@pytest.mark.parametrize(
    ("command", "is_error", "text"),
    [
        ("echo a; echo b >&2", False, "a\nb"),
        ("true", False, "(no output)"),
        ("echo out; exit 3", True, "out\nExit code 3"),
        ("false", True, "Exit code 1"),
        ("kill -9 $$", True, "Command was killed by signal 9 (SIGKILL)"),
        ("exit 143", True, "Exit code 143 (128 + 15: killed by SIGTERM)"),
        ("exit 255", True, "Exit code 255"),
        ("grep x /dev/null", False, "Exit code 1"),
        ("/bin/grep x /dev/null", False, "Exit code 1"),
        ("cd . && test -e nothing", False, "Exit code 1"),
        ("echo a | grep b", False, "Exit code 1"),
        ("[ 1 = 2 ]", False, "Exit code 1"),
        ("git diff --no-index /dev/null /etc/hostname >/dev/null", False, "Exit code 1"),
        ("grep x /dev/null; false", True, "Exit code 1"),
        ("testing() { return 1; }; testing", True, "Exit code 1"),
        ("grep", True, None),
        ("set -e; false; echo no", True, "Exit code 1"),
        ("echo $# $0", False, "0 /bin/bash"),
        ("printf 'no newline'", False, "no newline"),
        ("echo a # comment", False, "a"),
        ("cat <<E\nx\nE", False, "x"),
        ("(exit 5)", True, "Exit code 5"),
        ("trap 'echo bye' EXIT; exit 2", True, "bye\nExit code 2"),
    ],
)
async def test_outcomes(bench: Bench, command: str, is_error: bool, text: str | None) -> None:
    bench.env["CLAUDE_CODE_SHELL"] = "/bin/bash"
    got_error, got_text = await both(bench, command)
    assert got_error == is_error, got_text
    if text is not None:
        assert got_text == text


async def test_syntax_error_is_told(bench: Bench) -> None:
    is_error, text = await both(bench, "echo 'open")
    assert is_error and "unexpected EOF" in text and "Exit code" in text


async def test_details(bench: Bench) -> None:
    result = await bench.run("Bash", command="echo hi; exit 2", description="d")
    duration = result.details.pop("durationMs")
    assert 0 <= duration < 5_000
    assert result.details == {"stdout": "hi", "stderr": "", "interrupted": False, "exitCode": 2}


async def test_directory_carries_over_inside_the_roots(bench: Bench) -> None:
    (bench.root / "sub").mkdir()
    (bench.root / "odd\nname").mkdir()
    await bench.text("Bash", command="cd sub")
    assert bench.ctx.cwd == bench.root / "sub"
    assert await bench.text("Bash", command="pwd") == str(bench.root / "sub")
    await both(bench, "cd ..; exit 7")
    assert bench.ctx.cwd == bench.root
    await bench.text("Bash", command="cd odd*")
    assert bench.ctx.cwd == bench.root / "odd\nname"
    await bench.text("Bash", command="cd ..; (cd sub); trap : EXIT")
    assert bench.ctx.cwd == bench.root
    text = await bench.text("Bash", command="cd /; pwd")
    assert text == f"/\n[Shell cwd was reset to {bench.root}]" and bench.ctx.cwd == bench.root


async def test_directory_in_an_added_root(bench: Bench, tmp_path: Path) -> None:
    added = tmp_path / "added"
    added.mkdir()
    (bench.root / "out").symlink_to("/etc")
    bench.ctx.roots = (bench.root, added)
    await bench.text("Bash", command=f"cd {added}")
    assert bench.ctx.cwd == added
    await bench.text("Bash", command=f"cd {bench.root}/out")
    assert bench.ctx.cwd == bench.root


async def test_directory_carry_over_can_be_off(bench: Bench) -> None:
    bench.env["CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR"] = "1"
    (bench.root / "sub").mkdir()
    assert "was reset" in await bench.text("Bash", command="cd sub")
    assert bench.ctx.cwd == bench.root


async def test_directory_that_is_gone(bench: Bench) -> None:
    (bench.root / "sub").mkdir()
    await bench.text("Bash", command="cd sub")
    (bench.root / "sub").rmdir()
    text = await bench.text("Bash", command="pwd")
    assert text.startswith(f"{bench.root}\n") and "no longer exists" in text
    assert bench.ctx.cwd == bench.root
    shutil.rmtree(bench.root)
    assert str(bench.root.parent) in await bench.text("Bash", command="pwd")


async def test_environment(bench: Bench) -> None:
    bench.env |= {
        "ANTHROPIC_API_KEY": "k",
        "ANTHROPIC_AUTH_TOKEN": "t",
        "CLAUDE_CODE_OAUTH_TOKEN": "t",
        "BASH_ENV": "/nonexistent/rc",
        "OTHER": "kept",
        "PAGER": "less",
    }
    text = await bench.text("Bash", command="env")
    for name in ("ANTHROPIC", "OAUTH", "BASH_ENV"):
        assert name not in text
    for line in ("OTHER=kept", "CLAUDECODE=1", "GIT_TERMINAL_PROMPT=0", "PAGER=cat"):
        assert line in text.splitlines()
    bench.ctx.env = {}
    assert await bench.text("Bash", command="echo $CLAUDECODE; ls /dev/null") == "1\n/dev/null"


async def test_no_rc_files_are_read(bench: Bench, tmp_path: Path) -> None:
    for name in (".bashrc", ".bash_profile", ".profile", ".zshenv"):
        (tmp_path / name).write_text("echo from-rc; alias ls=false\n")
    bench.env["HOME"] = str(tmp_path)
    assert await bench.text("Bash", command="echo x") == "x"


def test_shell_choice(tmp_path: Path) -> None:
    zsh = tmp_path / "zsh"
    zsh.touch(mode=0o755)
    fish = tmp_path / "fish"
    fish.touch(mode=0o755)
    path = os.environ["PATH"]
    assert find_shell({"SHELL": str(zsh), "PATH": path}) == shutil.which("bash")
    assert find_shell({"CLAUDE_CODE_SHELL": str(fish), "PATH": path}) == shutil.which("bash")
    assert find_shell({"CLAUDE_CODE_SHELL": "/no/zsh", "PATH": path}) == shutil.which("bash")
    assert find_shell({"CLAUDE_CODE_SHELL": str(zsh), "SHELL": "/bin/bash"}) == str(zsh)
    assert find_shell({"PATH": str(tmp_path)}) == "/bin/sh"


async def test_plain_sh_works_too(bench: Bench, tmp_path: Path) -> None:
    (bench.root / "sub").mkdir()
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    bench.ctx.env = {"PATH": str(bin_folder)}
    result = await bench.run("Bash", command="cd sub; echo hi; exit 4")
    assert result.content == "hi\nExit code 4" and bench.ctx.cwd == bench.root / "sub"


async def test_timeout(bench: Bench) -> None:
    started = time.monotonic()
    result = await bench.run("Bash", command="echo A; sleep 60; echo B", timeout=400)
    assert time.monotonic() - started < 5
    assert result.is_error and result.details["timedOutAfterMs"] == 400
    assert result.content == "A\nCommand timed out after 0.4 s and was killed with its children."
    assert result.details["interrupted"] is True


@pytest.mark.parametrize(
    ("asked", "env", "used"),
    [
        (None, {}, 120_000),
        (5_000_000, {}, 600_000),
        (0, {}, 120_000),
        (-5, {}, 120_000),
        (float("nan"), {}, 120_000),
        (None, {"BASH_DEFAULT_TIMEOUT_MS": "7000"}, 7_000),
        (9_000, {"BASH_MAX_TIMEOUT_MS": "8000"}, 9_000),
        (900_000, {"BASH_MAX_TIMEOUT_MS": "700000"}, 700_000),
        (900_000, {"BASH_DEFAULT_TIMEOUT_MS": "800000"}, 800_000),
        (None, {"BASH_DEFAULT_TIMEOUT_MS": "soon"}, 120_000),
    ],
)
def test_timeout_is_clamped(
    bench: Bench, asked: float | None, env: dict[str, str], used: float
) -> None:
    from agentcli.tools.bash import _timeout_ms

    bench.ctx.env = env
    assert _timeout_ms(asked, bench.ctx) == used


async def test_cancel_keeps_the_output_in_progress(bench: Bench) -> None:
    task = asyncio.create_task(bench.run("Bash", command="echo $$; echo first; sleep 300"))
    while not bench.progress:
        await asyncio.sleep(0.01)
    pid = int(bench.progress[0].split()[0])
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert "first" in "".join(bench.progress)
    assert not Path(f"/proc/{pid}").exists()


async def test_progress_comes_early_and_seldom(bench: Bench) -> None:
    await bench.text("Bash", command="for i in $(seq 1 30); do echo $i; sleep 0.02; done")
    assert 2 <= len(bench.progress) <= 8
    assert "".join(bench.progress) == "".join(f"{n}\n" for n in range(1, 31))


async def test_background_child(bench: Bench) -> None:
    started = time.monotonic()
    text = await bench.text("Bash", command="sleep 30 & echo $!")
    assert time.monotonic() - started < 2 and "still running" in text
    os.kill(int(text.split()[0]), 9)


async def test_long_output_of_a_success_is_saved(bench: Bench) -> None:
    result = await bench.run("Bash", command="seq 1 20000")
    text = content_text(result.content)
    path = Path(result.details["persistedOutputPath"])
    assert path.parent == bench.ctx.spill_dir and str(path) in text and len(text) < 3_000
    assert path.read_text() == "".join(f"{n}\n" for n in range(1, 20_001))
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(result.details["stdout"]) < 3_000
    assert not Path(f"{path}x").exists()


async def test_output_up_to_the_limit_is_inline(bench: Bench) -> None:
    text = await bench.text("Bash", command="head -c 30000 /dev/zero | tr '\\0' x")
    assert text == "x" * 30_000 and not bench.ctx.spill_dir.exists()


async def test_long_output_of_a_failure_is_head_and_tail(bench: Bench) -> None:
    is_error, text = await both(bench, "seq 1 20000; exit 9")
    assert is_error and len(text) < 11_000
    assert text.startswith("1\n2\n") and "20000\n" in text and text.endswith("Exit code 9")
    is_error, text = await both(bench, "seq 1 4000; exit 9")
    assert len(text) < 11_000 and "4000\n" in text and text.startswith("1\n2\n")


async def test_output_that_cannot_be_saved(bench: Bench) -> None:
    bench.ctx.spill_dir = Path("/dev/null/x")
    text = await bench.text("Bash", command="seq 1 20000")
    assert "could not be saved" in text and text.startswith("1\n") and "20000" in text


async def test_refusals(bench: Bench) -> None:
    assert "run_in_background" in await bench.fails(
        "Bash", command="touch made", run_in_background=True
    )
    assert "empty" in await bench.fails("Bash", command="  ")
    assert "null byte" in await bench.fails("Bash", command="echo \0")
    assert "surrogates" in await bench.fails("Bash", command="echo \ud800")
    assert "too long" in await bench.fails("Bash", command="x" * 200_000)
    assert not (bench.root / "made").exists()
    text = await bench.text(
        "Bash", command="echo x", run_in_background=False, dangerouslyDisableSandbox=True
    )
    assert text == "x"


def clean(*chunks: bytes) -> str:
    def no_file() -> tuple[int, Path]:
        raise OSError("none")

    output = ShellOutput(no_file, lambda text: None)
    for chunk in chunks:
        output.feed(chunk)
    output.finish()
    return output.whole() or ""


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"\r10%\r20%\r\n\rdone\n", "20%\ndone\n"),
        (b"a\r\nb\r\n", "a\nb\n"),
        (b"10%\r", "10%"),
        (b"a\x1b[2K\x1b[1Gb\n", "b\n"),
        (b"\x1b[31mred\x1b[0m \x1b]0;title\x07x\n", "red x\n"),
        (b"\x1b]0;never closed\nnext\n", "\nnext\n"),
        (b"N\x08NA\x08A\n", "NA\n"),
        (b"a\0b\x07c\n", "abc\n"),
        (b"\xed\xa0\x80\xff\n", "\ufffd\ufffd\ufffd\ufffd\n"),
        ("ü\u200d\U0001f600".encode(), "ü\u200d\U0001f600"),
    ],
)
def test_cleaning_whatever_the_chunks(raw: bytes, text: str) -> None:
    assert clean(raw) == text
    assert clean(*(raw[n : n + 1] for n in range(len(raw)))) == text


def test_a_redrawn_line_stays_small() -> None:
    output = ShellOutput(lambda: (_ for _ in ()).throw(OSError()), lambda text: None)
    for number in range(20_000):
        output.feed(f"\rprogress {number}".encode())
    output.finish()
    assert output.whole() == "progress 19999"


def test_memory_is_bounded_for_one_endless_line(tmp_path: Path) -> None:
    path = tmp_path / "o"

    def open_file() -> tuple[int, Path]:
        return os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), path

    sent: list[str] = []
    output = ShellOutput(open_file, sent.append)
    for _ in range(200):
        output.feed(b"y" * 65_536)
    output.finish()
    assert output.total == 200 * 65_536 == path.stat().st_size
    assert output.whole() is None and len(output.excerpt(10_000)) < 10_100
    assert max(map(len, sent)) <= 4_000
