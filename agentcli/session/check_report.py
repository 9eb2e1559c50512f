"""The report on a session file, as values and in words. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from agentcli.session.compact_entries import is_boundary
from agentcli.session.entries import Entry
from agentcli.session.prompts import is_prompt

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault: ``line`` counts from 1, ``offset`` is that of the line in bytes. ``text`` says
    what is wrong, ``done`` what the program makes of it."""

    line: int
    offset: int
    kind: str
    severity: Severity
    text: str
    done: str


@dataclass(slots=True)
class Report:
    """``reachable`` and ``unreachable`` count messages, results and notes in the conversation that
    a resume would find, and outside of it (other branches, what was compacted, what is lost).
    ``resume`` says in words what a resume would send."""

    problems: list[Problem] = field(default_factory=list[Problem])
    lines: int = 0
    entries: int = 0
    prompts: int = 0
    branches: int = 0
    reachable: int = 0
    unreachable: int = 0
    resume: str = ""

    @property
    def is_clean(self) -> bool:
        """True where nothing is worse than an information."""
        return all(problem.severity == "info" for problem in self.problems)


def tell_resume(path: Sequence[Entry], lines: Sequence[int], prompts: int) -> str:
    """What a resume would send: *path* is the conversation, *lines* where its entries stand."""
    if not path:
        return "Nothing: there is no conversation, or it was cleared."
    own = sum(is_prompt(entry) for entry in path)
    what = f"{len(path):,} {'entry' if len(path) == 1 else 'entries'} with {own:,} of "
    what += f"{prompts:,} {'prompt' if prompts == 1 else 'prompts'}"
    where = f", lines {min(lines):,} to {max(lines):,}"
    begin = ", from a compaction on" if is_boundary(path[0]) else ""
    return f"{what}{where}{begin}."
