"""One line that is typed into on a sheet: a query, a name. Plain values, no widget."""

from typing import NamedTuple

from agentcli.frontends.tui.composer.graphemes import cluster_end, cluster_start
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.screens.history_match import end_of
from agentcli.frontends.tui.transcript.rows import Run, fit

_NAMES = {"ctrl+a": "home", "ctrl+e": "end", "ctrl+h": "backspace"}


class Field(NamedTuple):
    """A text and where the caret stands in it."""

    text: str = ""
    caret: int = 0

    def press(self, key: str, character: str | None) -> "Field | None":
        """The field after *key*; None where the key means nothing to it. Pure."""
        text, at = self
        match _NAMES.get(key, key):
            case "left":
                return Field(text, cluster_start(text, at - 1) if at else 0)
            case "right":
                return Field(text, cluster_end(text, at) if at < len(text) else at)
            case "home":
                return Field(text, 0)
            case "end":
                return Field(text, len(text))
            case "backspace":
                start = cluster_start(text, at - 1) if at else 0
                return Field(text[:start] + text[at:], start)
            case "delete":
                return Field(text[:at] + text[cluster_end(text, at) :], at) if text[at:] else self
            case "ctrl+w":
                kept = text[:at].rstrip().rpartition(" ")
                start = len(kept[0] + kept[1])
                return Field(text[:start] + text[at:], start)
            case "ctrl+u":
                return Field(text[at:], 0)
            case "ctrl+k":
                return Field(text[:at], at)
            case _:
                printable = character is not None and character.isprintable()
                return self.insert(character or "") if printable else None

    def insert(self, text: str) -> "Field":
        """With *text* put in at the caret, its line breaks turned into spaces. Pure."""
        line = " ".join(text.split()) if "\n" in text or "\r" in text else text
        at = self.caret
        return Field(self.text[:at] + line + self.text[at:], at + len(line))

    def runs(self, width: int, look: Look, empty: str = "") -> list[Run]:
        """The text around its caret in *width* cells; *empty* is said where there is none. Pure."""
        if not self.text:
            return [("▏", look.accent), (fit(empty, max(1, width - 1)), look.dim)]
        behind = fit(self.text[self.caret :].replace("\t", " "), max(1, width // 2))
        room = max(1, width - len(behind) - 1)
        before = end_of(self.text[: self.caret], room)
        return [(before, look.text), ("▏", look.accent), (behind, look.text)]


def field_of(text: str) -> Field:
    """A field that begins with *text*, the caret at its end. Pure."""
    return Field(text, len(text))
