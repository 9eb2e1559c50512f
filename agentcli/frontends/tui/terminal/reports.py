"""What the terminal tells of itself while the window is open: its colours, and their change."""

import re

from textual.message import Message

from agentcli.frontends.tui.terminal.colors import COLOR, read_color

_SCHEME = re.compile(r"\x1b\[\?997;([12])n")


class SchemeChanged(Message):
    """The terminal went over to dark or light colours (its mode 2031)."""

    def __init__(self, dark: bool) -> None:
        super().__init__()
        self.dark = dark


class BackgroundTold(Message):
    """The answer to a question for the background colour, as ``#rrggbb``."""

    def __init__(self, color: str) -> None:
        super().__init__()
        self.color = color


def read_report(sequence: str) -> Message | None:
    """The message for *sequence*, None if it is no such report. Never raises."""
    if found := _SCHEME.fullmatch(sequence):
        return SchemeChanged(found[1] == "1")
    if COLOR.fullmatch(sequence.encode("utf-8", "replace")):
        color = read_color(sequence.encode("utf-8", "replace"))
        return BackgroundTold(color) if color is not None else None
    return None
