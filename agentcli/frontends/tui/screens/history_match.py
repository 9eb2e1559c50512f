"""Which earlier prompts fit a query, where, and how they are told on one line."""

from collections.abc import Sequence
from itertools import pairwise
from time import perf_counter

from rich.cells import cell_len

from agentcli.base.text import reveal
from agentcli.frontends.shared.prompt_history import PastPrompt
from agentcli.frontends.tui.complete.fuzzy import align

_STEP = 50
_FUZZY_LENGTH = 400
_FUZZY_GAPS = 2


class Matcher:
    """Goes through *prompts* (newest first) in steps. Prompts that hold every word of *query* come
    first, then those that hold its letters close together; each text once."""

    def __init__(self, prompts: Sequence[PastPrompt], query: str) -> None:
        self._prompts = prompts
        self._words = query.lower().split()
        self._letters = "".join(self._words)
        self._at = 0
        self._seen: set[str] = set()
        self._holding: list[PastPrompt] = []
        self._like: list[PastPrompt] = []

    def step(self, seconds: float) -> bool:
        """Go on for about so many *seconds*; True when all is matched."""
        end = perf_counter() + seconds
        while self._at < len(self._prompts):
            for past in self._prompts[self._at : self._at + _STEP]:
                self._look_at(past)
            self._at += _STEP
            if perf_counter() > end:
                break
        return self._at >= len(self._prompts)

    def found(self) -> list[PastPrompt]:
        """What fits, best class first, newest first within it."""
        return self._holding + self._like

    def _look_at(self, past: PastPrompt) -> None:
        if past.display in self._seen:
            return
        self._seen.add(past.display)
        text = past.display.lower()
        if all(word in text for word in self._words):
            self._holding.append(past)
        elif _close_letters(text, self._letters):
            self._like.append(past)


def spots(text: str, query: str) -> frozenset[int]:
    """Indexes of *text* that *query* matches: all places of its words, else its letters. Pure."""
    lower = text.lower()
    if len(lower) != len(text):
        return frozenset()
    found: set[int] = set()
    for word in query.lower().split():
        at = lower.find(word)
        while at >= 0:
            found.update(range(at, at + len(word)))
            at = lower.find(word, at + len(word))
    if not found and query.strip():
        found.update(_close_letters(lower, "".join(query.lower().split())) or ())
    return frozenset(found)


def excerpt(text: str, query: str, width: int) -> str:
    """*text* on one line, from a little before the match where that would be out of sight. Pure."""
    line = " ⏎ ".join(part for raw in text.split("\n") if (part := raw.strip()))
    line = line.replace("\t", " ")[:20_000]
    at = min(spots(line, query), default=0)
    if at < width * 3 // 4 or len(line) <= width:
        return line[: width + 1]
    start = min(at - width // 3, len(line) - width + 1)
    return "…" + line[start:][:width]


def end_of(text: str, width: int) -> str:
    """*text* on one line, cut in front to *width* cells: its end is what is typed at. Pure."""
    line = reveal(text.replace("\n", " ").replace("\t", " "))
    if cell_len(line) <= width:
        return line
    end = next((at for at in range(len(line)) if cell_len(line[at:]) < width), len(line))
    return "…" + line[end:]


def age(then: float, now: float) -> str:
    """``now``, ``5m``, ``3h``, ``2d``, ``6w``, ``1y``; empty where the time is not known. Pure."""
    if then <= 0:
        return ""
    seconds = max(0.0, now - then)
    if seconds < 60:
        return "now"
    for unit, size, limit in (("m", 60, 3_600), ("h", 3_600, 86_400), ("d", 86_400, 1_209_600)):
        if seconds < limit:
            return f"{int(seconds // size)}{unit}"
    weeks = int(seconds // 604_800)
    return f"{weeks}w" if weeks < 52 else f"{int(seconds // 31_536_000) or 1}y"


def _close_letters(text: str, letters: str) -> list[int] | None:
    """Where *letters* stand in *text*, if they stand close together."""
    if len(letters) < 3:
        return None
    found = align(letters, text[:_FUZZY_LENGTH], 0)
    if found is None or found[-1] - found[0] > 2 * len(letters):
        return None
    gaps = sum(after > before + 1 for before, after in pairwise(found))
    return found if gaps <= _FUZZY_GAPS else None
