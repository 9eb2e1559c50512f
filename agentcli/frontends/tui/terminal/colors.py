"""The terminal's background colour: how to ask for it, and how the answer reads. Pure."""

import re

ASK_COLOR = "\x1b]11;?\x1b\\"
COLOR = re.compile(
    rb"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})[^\x07\x1b]*"
    rb"(?:\x07|\x1b\\)"
)


def read_color(data: bytes) -> str | None:
    """The colour in an answer as ``#rrggbb``."""
    found = COLOR.search(data)
    if found is None:
        return None
    # one to four hexadecimal digits per channel; the first two are what counts
    channels = (int(part, 16) * 255 // (16 ** len(part) - 1) for part in found.groups())
    return "#" + "".join(f"{channel:02x}" for channel in channels)
