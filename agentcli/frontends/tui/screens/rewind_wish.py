"""What can be wished for on the rewind sheet: plain values, and which of them a prompt offers."""

from dataclasses import dataclass
from typing import Literal

from agentcli.protocol.history import PromptPoint, RestorePlan

WishKind = Literal["previous", "undo", "both", "conversation", "code", "from", "up_to"]


@dataclass(frozen=True, slots=True)
class Wish:
    """``entry_id`` is that of the prompt ("" for the first two kinds); ``focus`` says what a
    summary should be about."""

    kind: WishKind
    entry_id: str = ""
    focus: str = ""


@dataclass(frozen=True, slots=True)
class Extra:
    """A row above the prompts: a way back that is not to a prompt."""

    kind: Literal["previous", "undo"]
    text: str


Stop = PromptPoint | Extra
"""A row of the list."""


@dataclass(frozen=True, slots=True)
class Option:
    """A row of the second step; ``kind`` is None for the one that changes nothing."""

    kind: WishKind | None
    label: str
    about: str

    @property
    def takes_focus(self) -> bool:
        """Can something be said about the summary?"""
        return self.kind in ("from", "up_to")


def options_for(plan: RestorePlan | None) -> tuple[Option, ...]:
    """What can be done at a prompt whose files are as *plan* says; the code is offered only where
    something of it can be restored. None: it is not known, and the code stays. Pure."""
    count = sum(not change.problem for change in plan.changes) if plan is not None else 0
    files = "1 file" if count == 1 else f"{count} files"
    found: list[Option] = []
    if count:
        found.append(Option("both", "conversation and code", f"{files} and the conversation"))
    found.append(Option("conversation", "conversation", "files stay as they are"))
    if count:
        found.append(Option("code", "code", f"{files}; the conversation stays"))
    return (
        *found,
        Option("from", "summarize from here", "this prompt and what follows, in short"),
        Option("up_to", "summarize up to here", "what came before, in short"),
        Option(None, "never mind", "nothing changes"),
    )
