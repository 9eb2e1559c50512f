"""The file under the log: refused, removed, replaced, foreign; nothing that was written suffers."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agentcli.protocol.errors import SessionBusy, SessionCorrupt
from agentcli.session.line_writer import LineWriter, is_locked

Make = Callable[[Path], LineWriter]


@pytest.fixture
def problems() -> list[str]:
    return []


@pytest.fixture
def make(problems: list[str]) -> Make:
    return lambda path: LineWriter(path, problems.append)


def test_a_removed_file_is_written_anew_with_all_that_it_held(
    tmp_path: Path, make: Make, problems: list[str]
) -> None:
    path = tmp_path / "a" / "b" / "s.jsonl"
    writer = make(path)
    writer.write(b"one\n")
    path.unlink()
    path.parent.rmdir()
    writer.write(b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(problems) == 1
    assert "was removed; it is written anew" in problems[0]
    with pytest.raises(SessionBusy):
        make(path).open_existing()
    writer.close()


def test_a_file_that_was_put_in_its_place_is_gone_on_with(
    tmp_path: Path, make: Make, problems: list[str]
) -> None:
    path = tmp_path / "s.jsonl"
    writer = make(path)
    writer.write(b"one\n")
    other = tmp_path / "rewritten"
    other.write_bytes(b"one, shorter, torn")
    other.replace(path)
    writer.write(b"two\n")
    assert path.read_bytes() == b"one, shorter, torn\ntwo\n"
    assert "replaced by another one" in problems[0]
    writer.close()


def test_a_folder_in_its_place_is_told_and_what_waits_is_written_later(
    tmp_path: Path, make: Make, problems: list[str]
) -> None:
    path = tmp_path / "p" / "s.jsonl"
    path.mkdir(parents=True)
    writer = make(path)
    writer.write(b"one\n")
    writer.write(b"two\n")
    assert writer.waiting == 2
    assert len(problems) == 1
    assert str(path) in problems[0]
    assert "Is a directory" in problems[0]
    path.rmdir()
    writer.write(b"three\n")
    assert path.read_bytes() == b"one\ntwo\nthree\n"
    assert writer.waiting == 0
    writer.close()


def test_a_file_where_the_folder_should_be(tmp_path: Path, make: Make, problems: list[str]) -> None:
    (tmp_path / "p").write_text("in the way")
    writer = make(tmp_path / "p" / "s.jsonl")
    writer.write(b"one\n")
    assert writer.waiting == 1
    assert len(problems) == 1
    assert (tmp_path / "p").read_text() == "in the way"
    writer.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_file_of_another_user_is_not_written(
    tmp_path: Path, make: Make, problems: list[str]
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"theirs\n")
    os.chown(path, 12345, 12345)
    with pytest.raises(SessionCorrupt, match="belongs to another user"):
        make(path).open_existing()
    writer = make(path)
    writer.write(b"mine\n")
    assert path.read_bytes() == b"theirs\n"
    assert writer.waiting == 1
    assert "belongs to another user" in problems[0]


@pytest.mark.parametrize("kind", ["link", "fifo"])
def test_what_is_no_plain_file_is_not_opened(tmp_path: Path, make: Make, kind: str) -> None:
    path = tmp_path / "s.jsonl"
    if kind == "link":
        (tmp_path / "target").write_bytes(b"x\n")
        path.symlink_to(tmp_path / "target")
    else:
        os.mkfifo(path)
    with pytest.raises(SessionCorrupt):
        make(path).open_existing()


def test_who_holds_the_lock_is_named(tmp_path: Path, make: Make) -> None:
    path = tmp_path / "s.jsonl"
    code = (
        "import sys, pathlib\n"
        "from agentcli.session.line_writer import LineWriter\n"
        "w = LineWriter(pathlib.Path(sys.argv[1]), print)\n"
        "w.write(b'one\\n')\n"
        "print('ready', flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        assert is_locked(path)
        with pytest.raises(SessionBusy, match="--fork-session") as caught:
            make(path).open_existing()
        other.communicate()
    if Path("/proc/locks").exists():
        assert str(other.pid) in caught.value.message
    assert not is_locked(path)
    make(path).open_existing()


def test_a_full_disk_in_mid_line_costs_nothing_of_the_lines(tmp_path: Path) -> None:
    code = (
        "import resource, sys, pathlib, signal\n"
        "from agentcli.session.line_writer import LineWriter\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "told = []\n"
        "w = LineWriter(pathlib.Path(sys.argv[1]), told.append)\n"
        "w.write(b'a' * 50 + b'\\n')\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))\n"
        "w.write(b'b' * 100 + b'\\n')\n"
        "w.write(b'c' * 100 + b'\\n')\n"
        "assert w.waiting == 2 and len(told) == 1, (w.waiting, told)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)\n"
        "w.write(b'd\\n')\n"
        "w.close()\n"
    )
    path = tmp_path / "s.jsonl"
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    lines = path.read_bytes().split(b"\n")
    assert lines[0] == b"a" * 50
    assert [line for line in lines if len(line) in (100, 1)] == [b"b" * 100, b"c" * 100, b"d"]


def test_a_line_that_another_program_left_torn_is_closed_first(tmp_path: Path, make: Make) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"whole":1}\n{"torn')
    writer = make(path)
    writer.open_existing()
    writer.write(b"mine\n")
    writer.close()
    assert path.read_bytes() == b'{"whole":1}\n{"torn\nmine\n'
