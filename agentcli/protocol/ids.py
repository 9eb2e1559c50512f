"""Identifiers."""

import os

_HEX = "0123456789abcdef"


def new_uuid() -> str:
    """A random version-4 UUID as text (made here: ``import uuid`` costs every start 5 CPU-ms)."""
    raw = bytearray(os.urandom(16))
    raw[6] = (raw[6] & 0x0F) | 0x40
    raw[8] = (raw[8] & 0x3F) | 0x80
    text = raw.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def is_uuid(text: str) -> bool:
    """True for the 8-4-4-4-12 lower-case or upper-case hexadecimal form. Pure."""
    groups = text.split("-")
    if [len(group) for group in groups] != [8, 4, 4, 4, 12]:
        return False
    return all(char in _HEX for group in groups for char in group.lower())
