"""Paths of any bytes as one line of plain text, and back."""

import os
import re
from pathlib import Path

from agentcli.base.text import reveal

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([nrt\\]))")
_SIMPLE = {"n": b"\n", "r": b"\r", "t": b"\t", "\\": b"\\"}


def show_path(path: Path | str) -> str:
    """*path* on one line, valid Unicode, nothing hidden; ``unescape_path`` takes it back. Pure."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    plain = reveal(text) == text == str(path) and "\n" not in text and "\t" not in text
    if plain:
        return text
    doubled = os.fsencode(str(path).replace("\\", "\\\\")).decode("utf-8", "backslashreplace")
    return reveal(doubled).replace("\n", "\\n").replace("\t", "\\t")


def unescape_path(text: str) -> str:
    """The path that ``show_path`` wrote as *text*. Pure; raises ``UnicodeEncodeError``."""
    raw = bytearray()
    position = 0
    for match in _ESCAPE.finditer(text):
        raw += os.fsencode(text[position : match.start()])
        byte, code, simple = match.groups()
        if byte:
            raw.append(int(byte, 16))
        elif code:
            raw += chr(int(code, 16)).encode("utf-8", "surrogatepass")
        else:
            raw += _SIMPLE[simple]
        position = match.end()
    raw += os.fsencode(text[position:])
    return os.fsdecode(bytes(raw))
