"""The programs that reach the clipboard of the machine we run on, and how they are run."""

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import IO, cast

from agentcli.frontends.tui.terminal.kind import is_remote
from agentcli.tools.shell_env import command_env, fixed_path

IMAGE_TYPES = ("image/png", "image/jpeg", "image/webp", "image/gif")

_POWERSHELL = ("powershell.exe", "-NoProfile", "-NonInteractive", "-STA", "-Command")
_UTF8 = "[Console]::OutputEncoding=[Text.Encoding]::UTF8;"
_SAVE_PNG = (
    "Add-Type -AssemblyName System.Windows.Forms,System.Drawing;"
    "$i=[Windows.Forms.Clipboard]::GetImage();if($i){$m=New-Object IO.MemoryStream;"
    "$i.Save($m,[Drawing.Imaging.ImageFormat]::Png);[Convert]::ToBase64String($m.ToArray())}"
)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to a clipboard: the command for each job, () where it has none.

    ``list_types`` prints the kinds of what is there; ``image`` is then ended by the chosen kind.
    ``image_as`` says how a picture comes: as it is, as base64, or as AppleScript's hexadecimal.
    """

    copy: tuple[str, ...] = ()
    paste: tuple[str, ...] = ()
    image: tuple[str, ...] = ()
    list_types: tuple[str, ...] = ()
    image_as: str = "raw"
    copy_encoding: str = "utf-8"


def local_ways(env: Mapping[str, str], platform: str = sys.platform) -> list[Way]:
    """What to try, best first; nothing over ssh, where the clipboard is on the other side. Pure."""
    if is_remote(env):
        return []
    ways: list[Way] = []
    if platform == "darwin":
        ways.append(Way(("pbcopy",), ("pbpaste",), ("pngpaste", "-")))
        script = ("osascript", "-e", "get the clipboard as «class PNGf»")
        ways.append(Way(image=script, image_as="applescript"))
    if env.get("WSL_DISTRO_NAME") or env.get("WSL_INTEROP"):
        paste = (*_POWERSHELL, _UTF8 + "Get-Clipboard -Raw")
        save = (*_POWERSHELL, _SAVE_PNG)
        ways.append(Way(("clip.exe",), paste, save, (), "base64", "utf-16"))
    if env.get("WAYLAND_DISPLAY"):
        paste = ("wl-paste", "--no-newline")
        ways.append(Way(("wl-copy",), paste, (*paste, "--type"), ("wl-paste", "--list-types")))
    if env.get("DISPLAY"):
        xclip = ("xclip", "-selection", "clipboard")
        out = (*xclip, "-o")
        ways.append(Way((*xclip, "-in"), out, (*out, "-t"), (*out, "-t", "TARGETS")))
        xsel = ("xsel", "--clipboard")
        ways.append(Way((*xsel, "--input"), (*xsel, "--output")))
    return ways


def run_tool(
    argv: Sequence[str],
    env: Mapping[str, str],
    given: bytes = b"",
    limit: int = 0,
    seconds: float = 2.0,
) -> bytes | None:
    """Run a program that the PATH has (never from the current folder), *given* on its input.

    What it prints, at most *limit* bytes and one more; None if it is not there, fails, or is not
    done in time, after which it is dead. Blocks; never raises. With *limit* 0 nothing is read, so
    that a program which stays behind to serve the clipboard does not hold us.
    """
    search = fixed_path(env.get("PATH", os.defpath), (_here(),))
    program = shutil.which(argv[0], path=search)
    if program is None:
        return None
    # pbcopy reads in the encoding of the locale
    child_env = {**command_env(env), "PATH": search} | (
        {} if "LANG" in env else {"LANG": "C.UTF-8"}
    )
    try:
        process = subprocess.Popen(
            [program, *argv[1:]],
            stdin=subprocess.PIPE if given else subprocess.DEVNULL,
            stdout=subprocess.PIPE if limit else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=child_env,
            cwd="/",
            start_new_session=True,
        )
    except OSError:
        return None
    deadline = monotonic() + seconds
    try:
        printed = _exchange(process, given, limit, deadline)
        if len(printed) > limit > 0:
            return printed
        code = process.wait(max(0.01, deadline - monotonic()))
    except (OSError, subprocess.TimeoutExpired):
        _end(process)
        return None
    return printed if code == 0 else None


def _exchange(
    process: "subprocess.Popen[bytes]", given: bytes, limit: int, deadline: float
) -> bytes:
    """Feed and read. Raises TimeoutExpired, or OSError where the program closed its input."""
    printed = bytearray()
    with selectors.DefaultSelector() as selector:
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
            selector.register(process.stdin, selectors.EVENT_WRITE)
        if process.stdout is not None:
            selector.register(process.stdout, selectors.EVENT_READ)
        while selector.get_map():
            left = deadline - monotonic()
            if left <= 0:
                raise subprocess.TimeoutExpired(process.args, 0)
            for key, _ in selector.select(left):
                if key.fileobj is process.stdin:
                    given = given[os.write(key.fd, given[:65536]) :]
                    done = not given
                else:
                    printed += (piece := os.read(key.fd, 65536))
                    done = not piece
                    if len(printed) > limit:
                        _end(process)
                        return bytes(printed)
                if done:
                    selector.unregister(key.fileobj)
                    cast("IO[bytes]", key.fileobj).close()
    return bytes(printed)


def _end(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError:
        return Path("/nonexistent")
