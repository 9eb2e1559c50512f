"""Reading never blocks, decoding keeps every byte, writing is all or nothing."""

import os
import random
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agentcli.base.files import (
    FileTooLarge,
    NotRegularFile,
    decode_text,
    encoding_name,
    is_special,
    read_limited,
)
from agentcli.base.writing import atomic_write


def test_read_limited_takes_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert read_limited(path, 5) == b"12345"
    with pytest.raises(FileTooLarge) as caught:
        read_limited(path, 4)
    assert caught.value.size == 5


def test_read_limited_refuses_what_is_no_file(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with pytest.raises(NotRegularFile):
        read_limited(fifo, 10)
    with pytest.raises(NotRegularFile):
        read_limited(Path("/dev/zero"), 10)
    with pytest.raises(IsADirectoryError):
        read_limited(tmp_path, 10)
    with pytest.raises(FileNotFoundError):
        read_limited(tmp_path / "none", 10)


def test_read_limited_of_a_file_that_claims_to_be_empty() -> None:
    assert Path("/proc/self/stat").stat().st_size == 0
    assert read_limited(Path("/proc/self/stat"), 10_000)
    with pytest.raises(FileTooLarge):
        read_limited(Path("/proc/self/stat"), 5)


def test_is_special(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    link = tmp_path / "link"
    link.symlink_to(fifo)
    assert is_special(fifo) and is_special(link) and is_special(Path("/dev/null"))
    assert not is_special(tmp_path) and not is_special(tmp_path / "none")


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        ("grün\n".encode(), "grün\n", "utf-8"),
        (b"\xef\xbb\xbfa", "a", "utf-8"),
        (b"\xff\xfea\0\xfc\0", "a\xfc", "utf-16-le"),
        (b"\xfe\xff\0a\0\xfc", "a\xfc", "utf-16-be"),
        (b"caf\xe9 \x80", "caf\xe9 \u20ac", "cp1252"),
        (b"caf\xe9 \x81", "caf\xe9 \x81", "latin-1"),
    ],
)
def test_decode_text_keeps_every_byte(data: bytes, text: str, encoding: str) -> None:
    decoded = decode_text(data)
    assert decoded is not None
    assert (decoded.text, decoded.encoding) == (text, encoding)
    assert decoded.guessed == (encoding in ("cp1252", "latin-1"))
    assert decoded.encode(decoded.text) == data


def test_decode_text_of_random_bytes_is_exact_or_none() -> None:
    rng = random.Random(7)
    for _ in range(2_000):
        data = bytes(rng.choice(b"ab\r\n\xe9\xff\xfe\x81\xc3\xa4") for _ in range(rng.randrange(9)))
        decoded = decode_text(data)
        assert decoded is not None and decoded.encode(decoded.text) == data


@pytest.mark.parametrize(
    "data", [b"a\0b", b"\x7fELF\x02\x01\x01\0", b"\xff\xfe\0\0a\0\0\0", bytes(range(1, 256))]
)
def test_decode_text_refuses_binary(data: bytes) -> None:
    assert decode_text(data) is None


def test_encoding_name_says_what_it_is() -> None:
    names = [encoding_name(d) for d in map(decode_text, (b"\xff\xfea\0", b"\xe9", b"a")) if d]
    assert names == ["UTF-16LE with BOM", "not UTF-8, taken as windows-1252", "UTF-8"]


def test_write_new_file_follows_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        atomic_write(tmp_path / "a", b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["a"]


def test_write_private_file(tmp_path: Path) -> None:
    atomic_write(tmp_path / "a", b"x", mode=0o600)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", [0o755, 0o664, 0o4750])
def test_write_keeps_the_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(mode)
    atomic_write(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_write_replaces_the_inode_of_a_single_name(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with path.open("rb") as reader:
        atomic_write(path, b"new")
        assert reader.read() == b"old"


def test_write_through_links(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real/a")
    (tmp_path / "second").symlink_to("link")
    real = tmp_path / "real" / "a"
    assert atomic_write(tmp_path / "second", b"1") == real
    assert real.read_bytes() == b"1"
    assert os.readlink(tmp_path / "link") == "real/a" and os.readlink(tmp_path / "second") == "link"


def test_write_refuses_loops_folders_and_fifos(tmp_path: Path) -> None:
    (tmp_path / "x").symlink_to("y")
    (tmp_path / "y").symlink_to("x")
    os.mkfifo(tmp_path / "fifo")
    for name in ("x", "fifo"):
        with pytest.raises(OSError):
            atomic_write(tmp_path / name, b"1")
    with pytest.raises(IsADirectoryError):
        atomic_write(tmp_path, b"1")
    assert stat.S_ISFIFO((tmp_path / "fifo").stat().st_mode)


@pytest.mark.parametrize("new", [b"", b"short", b"longer than before"])
def test_write_keeps_hard_links(tmp_path: Path, new: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old content")
    os.link(path, tmp_path / "b")
    atomic_write(path, new)
    assert (tmp_path / "b").read_bytes() == new
    assert path.stat().st_ino == (tmp_path / "b").stat().st_ino


def test_write_keeps_extended_attributes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    try:
        os.setxattr(path, "user.note", b"mine")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    atomic_write(path, b"new")
    assert os.getxattr(path, "user.note") == b"mine"


def test_write_into_missing_folder_fails(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        atomic_write(tmp_path / "none" / "a", b"x")


FULL_DISK = """
import sys
from pathlib import Path
from agentcli.base.writing import atomic_write
try:
    atomic_write(Path(sys.argv[1]), b"n" * 500_000)
except OSError as error:
    print("refused", error.errno)
"""


@pytest.mark.parametrize("hard_linked", [False, True])
def test_full_disk_leaves_the_old_file_whole(tmp_path: Path, hard_linked: bool) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"o" * 1_000)
    path.chmod(0o640)
    if hard_linked:
        os.link(path, tmp_path / "b")

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    done = subprocess.run(
        [sys.executable, "-B", "-c", FULL_DISK, str(path)],
        capture_output=True,
        text=True,
        preexec_fn=limit,
    )
    assert done.stdout.startswith("refused"), done.stderr
    assert path.read_bytes() == b"o" * 1_000
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == (["a", "b"] if hard_linked else ["a"])
