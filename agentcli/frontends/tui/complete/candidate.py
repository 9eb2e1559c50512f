"""What a completion is: a text that may be put in, and how it is shown until then."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["file", "folder", "ignored", "command", "choice", "shell"]


@dataclass(frozen=True, slots=True)
class Edit:
    """Put ``insert`` in place of ``start`` to ``end`` of the text, the cursor at ``cursor``.

    ``submit``: Enter took a command that needs nothing more, so the prompt is to be sent.
    """

    start: int
    end: int
    insert: str
    cursor: int
    submit: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """One row of the menu. ``value`` replaces ``start`` to ``end`` of the text.

    ``marks`` are the indexes of ``label`` that the query matched. ``stays``: it can be completed
    further, so no space follows. ``runs``: a command that Enter may send at once.
    """

    value: str
    label: str
    about: str = ""
    marks: tuple[int, ...] = ()
    kind: Kind = "file"
    start: int = 0
    end: int = 0
    stays: bool = False
    runs: bool = False

    def edit(self, text: str, enter: bool = False) -> Edit:
        """What taking it does to *text*, by Enter or by Tab. Pure."""
        submit = self.runs and enter
        at = self.start + len(self.value)
        if self.stays:
            # inside the quotes, where the next part of the name is typed
            return Edit(self.start, self.end, self.value, at - self.value.endswith('"'))
        behind = text[self.end : self.end + 1]
        if submit or (behind.isspace() and behind != "\n"):
            return Edit(self.start, self.end, self.value, at if submit else at + 1, submit)
        # a line range stays at its name
        space = "" if behind == "#" else " "
        return Edit(self.start, self.end, self.value + space, at + len(space))
