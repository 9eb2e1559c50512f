"""The text of the search bar and what the keys do to it."""

from rich.cells import cell_len

from agentcli.base.text import strip_controls


class SearchLine:
    """One line of text with a caret."""

    def __init__(self) -> None:
        self.text = ""
        self.caret = 0

    def put(self, text: str) -> None:
        """Replace the text, the caret at its end."""
        self.text, self.caret = text, len(text)

    def insert(self, text: str) -> None:
        """Type or paste *text*; of several lines the first that is not blank."""
        lines = (line.strip("\r") for line in text.split("\n"))
        piece = strip_controls(next((line for line in lines if line.strip()), text[:1]))
        piece = piece.replace("\n", " ").replace("\t", " ")
        self.text = self.text[: self.caret] + piece + self.text[self.caret :]
        self.caret += len(piece)

    def press(self, key: str) -> bool:
        """Edit with *key*; False if it is none of the editing keys."""
        before, after = self.text[: self.caret], self.text[self.caret :]
        match key:
            case "backspace" | "ctrl+h":
                before = before[:-1]
            case "delete":
                after = after[1:]
            case "ctrl+w" | "alt+backspace" | "ctrl+backspace":
                bare = before.rstrip()
                before = bare[: bare.rfind(" ") + 1]
            case "ctrl+u":
                before = ""
            case "ctrl+k":
                after = ""
            case "left":
                before, after = before[:-1], before[-1:] + after
            case "right":
                before, after = before + after[:1], after[1:]
            case "home" | "ctrl+a":
                before, after = "", before + after
            case "end" | "ctrl+e":
                before, after = before + after, ""
            case _:
                return False
        self.text, self.caret = before + after, len(before)
        return True

    def shown(self, width: int) -> tuple[str, int]:
        """The part of the text around the caret that fits *width* cells, and the caret's place in
        it; the caret itself needs a cell too."""
        start = 0
        while start < self.caret and cell_len(self.text[start : self.caret]) > width - 1:
            start += 1
        end = len(self.text)
        while end > self.caret and cell_len(self.text[start:end]) > width - 1:
            end -= 1
        return self.text[start:end], self.caret - start
