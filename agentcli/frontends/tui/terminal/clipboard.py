"""The clipboard: text out to it, text and pictures in from it, and honest words about it."""

import asyncio
import base64
import binascii
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from textual.app import App

from agentcli.frontends.tui.terminal.clip_tools import IMAGE_TYPES, Way, local_ways, run_tool
from agentcli.frontends.tui.terminal.driver import tell_terminal
from agentcli.frontends.tui.terminal.kind import is_remote, multiplexer, terminal_name, through

_TERMINAL_LIMIT = 75_000
IMAGE_LIMIT = 5 * 1024 * 1024
_TEXT_LIMIT = 10 * 1024 * 1024
_READ_SECONDS = 5.0
_APPLESCRIPT = re.compile(rb"\xabdata \w{4}([0-9A-F]+)\xbb|data \w{4}([0-9A-F]+)")


@dataclass(frozen=True, slots=True)
class Copied:
    """What to tell the person, and what is still to be written to the terminal ("": nothing).

    ``certain``: a program said that it has the text.
    """

    message: str
    sequence: str = ""
    certain: bool = False


@dataclass(frozen=True, slots=True)
class Image:
    """A picture as the model takes it."""

    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Problem:
    """Why there is nothing, in one line for the person."""

    text: str


async def copy(app: App[Any], text: str, env: Mapping[str, str]) -> Copied:
    """Copy *text*; the result says what is known about it. Never raises but when cancelled."""
    result = await asyncio.to_thread(copy_text, text, env)
    if result.sequence and not tell_terminal(app, result.sequence):
        return Copied("not copied: there is no terminal to send it to")
    return result


def copy_text(text: str, env: Mapping[str, str], platform: str = sys.platform) -> Copied:
    """The part of `copy` that blocks (at most some seconds): local programs, tmux, else what the
    terminal is to be sent. Never raises."""
    if not text:
        return Copied("nothing to copy")
    amount = f"{len(text):,} character{'' if len(text) == 1 else 's'}"
    for way in local_ways(env, platform):
        if way.copy:
            data = text.encode(way.copy_encoding, "replace")
            if run_tool(way.copy, env, data) is not None:
                return Copied(f"copied {amount} ({way.copy[0]})", certain=True)
    data = text.encode("utf-8", "replace")
    if multiplexer(env) == "tmux":
        # -w: tmux also hands it to the terminal around it
        for command in (("tmux", "load-buffer", "-w", "-"), ("tmux", "load-buffer", "-")):
            if run_tool(command, env, data) is not None:
                return Copied(f"copied {amount} (tmux buffer)", certain=True)
    return _for_terminal(data, amount, env)


def _for_terminal(data: bytes, amount: str, env: Mapping[str, str]) -> Copied:
    if terminal_name(env) == "apple":
        return Copied("not copied: Terminal.app takes no text over ssh; select with the mouse")
    if len(data) > _TERMINAL_LIMIT:
        size = f"{len(data) // 1000} kB"
        return Copied(f"not copied: {size} is more than terminals take (75 kB)")
    sequence = f"\x1b]52;c;{base64.b64encode(data).decode()}\x07"
    wrapped = through(env, sequence)
    # tmux may be set up to take either
    both = wrapped + sequence if multiplexer(env) == "tmux" else wrapped
    told = f"sent {amount} to the terminal (OSC 52); if paste is empty it does not support it"
    return Copied(told, both)


def read_text(env: Mapping[str, str], platform: str = sys.platform) -> str | Problem:
    """The text in the clipboard. Blocks for some seconds at most; never raises."""
    commands = [way.paste for way in local_ways(env, platform) if way.paste]
    if multiplexer(env) == "tmux":
        commands.append(("tmux", "save-buffer", "-"))
    for command in commands:
        data = run_tool(command, env, limit=_TEXT_LIMIT, seconds=_READ_SECONDS)
        if data is not None and len(data) > _TEXT_LIMIT:
            return Problem("the clipboard holds more than 10 MB")
        if data:
            return data.decode("utf-8", "replace").replace("\r\n", "\n")
    return Problem(_nothing("text", env, platform))


def read_image(env: Mapping[str, str], platform: str = sys.platform) -> Image | Problem:
    """The picture in the clipboard. Blocks for some seconds at most; never raises."""
    for way in local_ways(env, platform):
        data = _image_bytes(way, env)
        if not data:
            continue
        if len(data) > IMAGE_LIMIT:
            return Problem("the picture in the clipboard is larger than 5 MB")
        if media_type := image_type(data):
            return Image(media_type, data)
    return Problem(_nothing("picture", env, platform))


def image_type(data: bytes) -> str | None:
    """PNG, JPEG, GIF or WebP by its first bytes, else None. Pure."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def _image_bytes(way: Way, env: Mapping[str, str]) -> bytes | None:
    command = way.image
    if not command:
        return None
    if way.list_types:
        listed = run_tool(way.list_types, env, limit=65_536) or b""
        there = listed.decode("utf-8", "replace").split()
        kind = next((kind for kind in IMAGE_TYPES if kind in there), None)
        if kind is None:
            return None
        command = (*command, kind)
    room = IMAGE_LIMIT * (1 if way.image_as == "raw" else 2) + 100
    data = run_tool(command, env, limit=room, seconds=_READ_SECONDS)
    if data is None or way.image_as == "raw":
        return data
    try:
        if way.image_as == "base64":
            return base64.b64decode(data.strip())
        found = _APPLESCRIPT.search(data)
        return binascii.unhexlify(found[1] or found[2]) if found else None
    except (binascii.Error, ValueError):
        return None


def _nothing(what: str, env: Mapping[str, str], platform: str) -> str:
    if is_remote(env):
        return f"no {what}: over ssh the clipboard of the other machine cannot be read"
    if not local_ways(env, platform) and multiplexer(env) != "tmux":
        return f"no {what}: no clipboard is known here (no display)"
    return f"there is no {what} in the clipboard"
