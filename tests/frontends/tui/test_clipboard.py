"""The clipboard against real little programs in a PATH of their own."""

import base64
import os
from pathlib import Path
from time import monotonic

import pytest
from textual.app import App

from agentcli.frontends.tui.terminal.clip_tools import local_ways, run_tool
from agentcli.frontends.tui.terminal.clipboard import (
    IMAGE_LIMIT,
    Copied,
    Image,
    Problem,
    copy,
    copy_text,
    image_type,
    read_image,
    read_text,
)

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
LOGS = 'cat >"$LOG"; env >"$LOG.env"; echo "$0 $*" | sed "s|.*/||" >"$LOG.argv"'


class Machine:
    """Programs to be found, and what they were given."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.bin = base / "bin"
        self.bin.mkdir()
        self.log = base / "log"
        self.env = {
            "PATH": f"{self.bin}{os.pathsep}/usr/bin{os.pathsep}/bin",
            "LOG": str(self.log),
            "ANTHROPIC_API_KEY": "secret",
            "TERM": "xterm-256color",
        }

    def has(self, name: str, script: str = LOGS, **env: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        self.env |= env

    @property
    def argv(self) -> str:
        return Path(f"{self.log}.argv").read_text().strip()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize(
    ("tool", "env", "platform", "argv", "encoding"),
    [
        ("pbcopy", {}, "darwin", "pbcopy", "utf-8"),
        ("wl-copy", {"WAYLAND_DISPLAY": "wayland-0"}, "linux", "wl-copy", "utf-8"),
        ("xclip", {"DISPLAY": ":0"}, "linux", "xclip -selection clipboard -in", "utf-8"),
        ("xsel", {"DISPLAY": ":0"}, "linux", "xsel --clipboard --input", "utf-8"),
        ("clip.exe", {"WSL_DISTRO_NAME": "d"}, "linux", "clip.exe", "utf-16"),
    ],
)
def test_a_local_program_gets_the_text(
    machine: Machine, tool: str, env: dict[str, str], platform: str, argv: str, encoding: str
):
    machine.has(tool, **env)
    result = copy_text("grüße 漢\nx", machine.env, platform)
    assert result == Copied(f"copied 9 characters ({tool})", certain=True)
    assert machine.log.read_bytes().decode(encoding) == "grüße 漢\nx"
    assert machine.argv == argv
    assert "secret" not in Path(f"{machine.log}.env").read_text()


def test_one_that_fails_is_not_believed(machine: Machine):
    machine.has("wl-copy", "cat >/dev/null; exit 1", WAYLAND_DISPLAY="wayland-0")
    machine.has("xclip", DISPLAY=":0")
    assert copy_text("a", machine.env, "linux").message == "copied 1 character (xclip)"
    machine.has("xclip", "exit 1")
    result = copy_text("a", machine.env, "linux")
    assert not result.certain
    assert result.sequence == "\x1b]52;c;YQ==\x07"
    assert result.message.startswith("sent 1 character to the terminal (OSC 52); if paste is empty")


def test_one_that_stays_behind_to_serve_does_not_hold_us(machine: Machine):
    machine.has("xclip", 'cat >"$LOG"; sleep 4 & exit 0', DISPLAY=":0")
    began = monotonic()
    assert copy_text("a", machine.env, "linux").certain
    assert monotonic() - began < 1.5


def test_one_that_hangs_is_ended(machine: Machine):
    machine.has("xclip", 'echo $$ >"$LOG"; exec sleep 30')
    began = monotonic()
    assert run_tool(("xclip",), machine.env, b"x" * 1_000_000, seconds=0.3) is None
    assert monotonic() - began < 2
    with pytest.raises(ProcessLookupError):
        os.kill(int(machine.log.read_text()), 0)


def test_a_long_text_goes_through_a_pipe_that_is_read_slowly(machine: Machine):
    machine.has("xclip", 'sleep 0.1; cat >"$LOG"', DISPLAY=":0")
    text = "x" * 1_000_000
    assert copy_text(text, machine.env, "linux").message == "copied 1,000,000 characters (xclip)"
    assert machine.log.read_text() == text


def test_no_program_of_the_current_folder(machine: Machine, monkeypatch: pytest.MonkeyPatch):
    machine.has("xclip", DISPLAY=":0")
    monkeypatch.chdir(machine.base)
    for path in (".", "bin", str(machine.bin), ""):
        env = {**machine.env, "PATH": f"{path}{os.pathsep}/usr/bin{os.pathsep}/bin"}
        assert not copy_text("a", env, "linux").certain
        assert not machine.log.exists()


def test_over_ssh_the_terminal_has_the_clipboard(machine: Machine):
    machine.has("xclip", DISPLAY=":0", SSH_CONNECTION="1 2 3 4")
    result = copy_text("hello", machine.env, "linux")
    assert not machine.log.exists()
    assert result.sequence == f"\x1b]52;c;{base64.b64encode(b'hello').decode()}\x07"


def test_tmux_keeps_it_in_its_buffer(machine: Machine):
    machine.has("tmux", LOGS, TMUX="/tmp/t,1,0")
    assert copy_text("a", machine.env, "linux").message == "copied 1 character (tmux buffer)"
    assert machine.argv == "tmux load-buffer -w -"
    machine.has("tmux", f'[ "$2" = -w ] && exit 1; {LOGS}')
    assert copy_text("a", machine.env, "linux").certain
    assert machine.argv == "tmux load-buffer -"
    machine.has("tmux", "exit 1")
    result = copy_text("a", machine.env, "linux")
    assert not result.certain
    assert result.sequence == "\x1bPtmux;\x1b\x1b]52;c;YQ==\x07\x1b\\\x1b]52;c;YQ==\x07"


def test_screen_gets_it_in_pieces(machine: Machine):
    env = {**machine.env, "STY": "1", "TERM": "screen"}
    sequence = copy_text("x" * 5000, env, "linux").sequence
    pieces = [piece.removeprefix("\x1bP") for piece in sequence.split("\x1b\\")]
    assert max(map(len, pieces)) <= 768
    assert "".join(pieces) == f"\x1b]52;c;{base64.b64encode(b'x' * 5000).decode()}\x07"


def test_what_no_terminal_takes_is_not_sent(machine: Machine):
    result = copy_text("x" * 80_000, machine.env, "linux")
    assert result == Copied("not copied: 80 kB is more than terminals take (75 kB)")
    apple = {**machine.env, "TERM_PROGRAM": "Apple_Terminal", "SSH_TTY": "/dev/pts/1"}
    assert copy_text("x", apple, "darwin").message.startswith("not copied: Terminal.app")
    assert copy_text("", machine.env, "linux") == Copied("nothing to copy")


async def test_without_a_terminal_nothing_is_said_to_be_sent(machine: Machine):
    app = App[None]()
    async with app.run_test():
        result = await copy(app, "a", {**machine.env, "SSH_TTY": "x"})
        assert result.message == "not copied: there is no terminal to send it to"
        assert (await copy(app, "", machine.env)).message == "nothing to copy"


# reading


def picture(machine: Machine, data: bytes) -> Path:
    path = machine.base / "picture"
    path.write_bytes(data)
    return path


def test_a_picture_under_x11(machine: Machine):
    path = picture(machine, PNG)
    machine.has(
        "xclip",
        f'case "$*" in *TARGETS*) printf "TARGETS\\nimage/png\\nimage/bmp\\n";;'
        f' *"-t image/png") cat {path};; *) exit 1;; esac',
        DISPLAY=":0",
    )
    assert read_image(machine.env, "linux") == Image("image/png", PNG)


def test_a_picture_under_wayland_takes_what_is_there(machine: Machine):
    jpeg = b"\xff\xd8\xff\xe0" + b"x" * 100
    path = picture(machine, jpeg)
    machine.has(
        "wl-paste",
        f'case "$*" in --list-types) echo image/jpeg;;'
        f' "--no-newline --type image/jpeg") cat {path};; *) exit 1;; esac',
        WAYLAND_DISPLAY="w",
    )
    assert read_image(machine.env, "linux") == Image("image/jpeg", jpeg)


def test_a_picture_on_a_mac(machine: Machine):
    path = picture(machine, PNG)
    machine.has("pngpaste", f"cat {path}")
    assert read_image(machine.env, "darwin") == Image("image/png", PNG)
    machine.has("pngpaste", "exit 1")
    script = f"«data PNGf{PNG.hex().upper()}»"
    machine.has("osascript", f"echo '{script}'")
    assert read_image(machine.env, "darwin") == Image("image/png", PNG)


def test_a_picture_under_wsl(machine: Machine):
    machine.has("powershell.exe", f"echo '{base64.b64encode(PNG).decode()}'", WSL_DISTRO_NAME="d")
    assert read_image(machine.env, "linux") == Image("image/png", PNG)
    machine.has("powershell.exe", "echo '!'")
    assert isinstance(read_image(machine.env, "linux"), Problem)


def test_no_picture_or_too_large_a_one(machine: Machine):
    assert read_image(machine.env, "linux") == Problem(
        "no picture: no clipboard is known here (no display)"
    )
    path = picture(machine, PNG + bytes(IMAGE_LIMIT))
    machine.has("pngpaste", f"cat {path}")
    machine.has("osascript", "exit 1")
    assert read_image(machine.env, "darwin") == Problem(
        "the picture in the clipboard is larger than 5 MB"
    )
    machine.has("pngpaste", "echo no picture at all")
    assert read_image(machine.env, "darwin") == Problem("there is no picture in the clipboard")
    remote = {**machine.env, "SSH_TTY": "x"}
    assert "over ssh" in repr(read_image(remote, "darwin"))


def test_text(machine: Machine):
    machine.has("wl-paste", "printf 'one\\r\\ntwo 漢'", WAYLAND_DISPLAY="w")
    assert read_text(machine.env, "linux") == "one\ntwo 漢"
    machine.has("wl-paste", "exit 1")
    assert read_text(machine.env, "linux") == Problem("there is no text in the clipboard")
    machine.has("tmux", 'echo "$@"', TMUX="t")
    assert read_text(machine.env, "linux") == "save-buffer -\n"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe1", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\0\0\0\0WAVE", None),
        (b"<svg>", None),
        (b"", None),
    ],
)
def test_pictures_by_their_first_bytes(data: bytes, kind: str | None):
    assert image_type(data) == kind


def test_nothing_local_over_ssh():
    assert local_ways({"DISPLAY": ":0", "SSH_CONNECTION": "x"}, "linux") == []
    assert local_ways({}, "linux") == []
