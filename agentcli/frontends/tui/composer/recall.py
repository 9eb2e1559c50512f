"""Walking through earlier prompts: the draft below the newest, changes kept on the way."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from agentcli.frontends.tui.composer.chips import Content


class PastPrompt(Protocol):
    """A prompt of another session: as it was typed, and what was pasted into it by number."""

    @property
    def display(self) -> str: ...

    @property
    def pasted(self) -> Mapping[int, str | None] | None: ...


PromptSource = Callable[[], Iterator[PastPrompt]]
"""Begins a walk through earlier prompts, newest first, read as they are asked for."""


class Recalled(NamedTuple):
    """A text to be shown. ``contents``: it is of another session and stands for these; None: its
    chips are known."""

    text: str
    contents: Mapping[int, Content] | None = None


class Recall:
    """One walk at a time, through the prompts of this window and then those of *source*. Each text
    comes once."""

    def __init__(self) -> None:
        self.own: list[str] = []
        """The prompts of this window, oldest first."""
        self.source: PromptSource | None = None
        self.reset()

    @property
    def walking(self) -> bool:
        """Is an earlier prompt shown?"""
        return self._at >= 0

    def shows(self, text: str) -> bool:
        """Is *text* the earlier prompt that was brought back, unchanged?"""
        return self.walking and self._items[self._at].text == text

    def reset(self) -> None:
        """What is shown now is the draft."""
        self._at = -1
        self._ahead: Iterator[Recalled] | None = None
        self._items: list[Recalled] = []
        self._shown: dict[int, str] = {}

    def add(self, text: str) -> None:
        """A prompt was sent or put away."""
        if text.strip() and (not self.own or self.own[-1] != text):
            self.own.append(text)

    def older(self, current: str) -> Recalled | None:
        """The prompt before the one that is shown, which is *current* by now; None at the end."""
        if self._ahead is None:
            self._ahead = self._begin(tuple(self.own), current)
        if self._at + 1 == len(self._items):
            item = next(self._ahead, None)
            if item is None:
                return None
            self._items.append(item)
        self._shown[self._at] = current
        self._at += 1
        return self._item()

    def newer(self, current: str) -> Recalled | None:
        """The prompt behind the one that is shown, at last the draft; None below that."""
        if not self.walking:
            return None
        self._shown[self._at] = current
        self._at -= 1
        item = self._item()
        if not self.walking:
            self.reset()
        return item

    def _item(self) -> Recalled:
        if self._at in self._shown:
            return Recalled(self._shown[self._at])
        return self._items[self._at]

    def _begin(self, own: Sequence[str], draft: str) -> Iterator[Recalled]:
        seen = {draft}
        for text in reversed(own):
            if text not in seen:
                seen.add(text)
                yield Recalled(text)
        for past in self.source() if self.source is not None else ():
            if past.display not in seen:
                seen.add(past.display)
                yield Recalled(past.display, past.pasted or {})
