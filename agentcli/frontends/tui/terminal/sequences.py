"""Cuts what a terminal sends into text, whole escape sequences and pastes. Knows no meaning.

The pieces may come cut anywhere. What is only half there is held back for a while, so that half a
mouse report never becomes text.
"""

import re
from dataclasses import dataclass

ESC = "\x1b"
PASTE_START, PASTE_END = "\x1b[200~", "\x1b[201~"

_CSI = re.compile(r"\x1b\[(?:M[\s\S]{3}|\[[\s\S]|(?![M\[])[0-?]*[ -/]*[@-~])")
_CSI_BEGUN = re.compile(r"\x1b\[(?:M[\s\S]{0,2}|\[|[0-?]*[ -/]*)\Z")
_SS3 = re.compile(r"\x1bO\d?[@-~]")
_SS3_BEGUN = re.compile(r"\x1bO\d?\Z")
_STRING = re.compile(r"\x1b(?:\]\d|P[^A-Za-z\x1b]|_G)[^\x07\x1b]*(?:\x07|\x1b\\)")
_STRING_BEGUN = re.compile(r"\x1b(?:\]|P|_)\Z|\x1b(?:\]\d|P[^A-Za-z\x1b]|_G)[^\x07\x1b]*\x1b?\Z")
_CLEARLY_A_REST = re.compile(
    r"\[<-?\d+;-?\d+;-?\d+[Mm]|\[\??[\d;:]+\$?[A-Za-z~]|\[[A-HIOZ]|O[A-DFHP-S]"
)
_MOUSE_BEGUN = re.compile(r"\[<[-\d;]*\Z")

_PAIR_PATIENCE = 0.1
_PART_PATIENCE = 0.5
_STRING_PATIENCE = 2.0
_PASTE_PATIENCE = 1.5
_REST_PATIENCE = 1.0
_LATE_END = 10.0


@dataclass(frozen=True, slots=True)
class Text:
    """Characters that are no part of a sequence."""

    text: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """One whole escape sequence; Esc alone is the key of that name."""

    text: str


@dataclass(frozen=True, slots=True)
class Pasted:
    """What stood between the markers of a paste."""

    text: str


Token = Text | Sequence | Pasted


class Splitter:
    """Feed it what comes and call ``expire`` now and then; both return what is whole by then.

    *now* is any clock in seconds that only goes forward. Never raises.
    """

    def __init__(self, escape_delay: float = 0.025) -> None:
        self._escape_delay = escape_delay
        self._held = ""
        """A sequence whose end has not come."""
        self._held_at = 0.0
        self._given_up = ""
        """What was held too long; its rest may still come."""
        self._given_up_at = 0.0
        self._pieces: list[str] | None = None
        """What came of the paste that is on; None outside of one."""
        self._tail = ""
        """The last characters of the paste, in which its end may have begun."""
        self._pasted_at = 0.0
        self._cut_at: float | None = None
        """When a paste was taken as it was because its end did not come."""

    def feed(self, data: str, now: float) -> list[Token]:
        """What is whole with *data*."""
        tokens: list[Token] = []
        if self._cut_at is not None:
            data = self._late_end(data, now, tokens)
        if self._given_up:
            data = self._rest(data, now, tokens)
        if self._held == ESC and data[:1] not in {*"[O]P_", ESC, ""}:
            if now - self._held_at > self._escape_delay:
                tokens.append(Sequence(ESC))  # two keys, one after the other
                self._held = ""
        began = self._held_at if self._held else now
        data, self._held = self._held + data, ""
        while data:
            if self._pieces is not None:
                data = self._inside(data, now, self._pieces, tokens)
            else:
                data = self._outside(data, now, tokens)
        if len(self._held) > 2 and began < now:
            self._held_at = began  # more of it does not make it young: keys may be among it
        return tokens

    def expire(self, now: float) -> list[Token]:
        """What has to be taken as it is because nothing followed for too long."""
        if self._pieces is not None:
            if now - self._pasted_at < _PASTE_PATIENCE:
                return []
            text, self._pieces, self._tail = "".join(self._pieces), None, ""
            self._cut_at = now
            return [Pasted(text)]
        if not self._held or now - self._held_at < self._patience():
            return []
        held, self._held = self._held, ""
        self._given_up, self._given_up_at = held, now
        return [Sequence(held)] if len(held) <= 2 else []

    def _patience(self) -> float:
        if self._held == ESC:
            return self._escape_delay
        if len(self._held) == 2:
            return _PAIR_PATIENCE
        return _PART_PATIENCE if self._held[1] in "[O" else _STRING_PATIENCE

    def _outside(self, data: str, now: float, tokens: list[Token]) -> str:
        """Take one token from the begin of *data*; what follows is returned."""
        at = data.find(ESC)
        if at:
            text, rest = (data, "") if at < 0 else (data[:at], data[at:])
            tokens.append(Text(text))
            return rest
        for whole in (_CSI, _SS3, _STRING):
            if found := whole.match(data):
                sequence = found.group()
                if sequence == PASTE_START:
                    self._pieces, self._tail, self._pasted_at = [], "", now
                else:
                    tokens.append(Sequence(sequence))
                return data[len(sequence) :]
        if data == ESC or any(
            begun.match(data) for begun in (_CSI_BEGUN, _SS3_BEGUN, _STRING_BEGUN)
        ):
            self._held, self._held_at = data, now
            return ""
        if data[1] == ESC:
            tokens.append(Sequence(ESC))
            return data[1:]
        return self._broken(data, tokens)

    def _broken(self, data: str, tokens: list[Token]) -> str:
        """Alt and a character, or a sequence that something else broke off: that one is dropped."""
        for begun in (r"\x1b\[[0-?]+[ -/]*", r"\x1b(?:\]\d|P[^A-Za-z\x1b]|_G)[^\x07\x1b]*"):
            if found := re.match(begun, data):
                return data[found.end() :]
        tokens.append(Sequence(data[:2]))
        return data[2:]

    def _inside(self, data: str, now: float, pieces: list[str], tokens: list[Token]) -> str:
        """Keep what is pasted until its end has come; what follows is returned."""
        self._pasted_at = now
        pieces.append(data)
        seen = self._tail + data
        if PASTE_END not in seen:
            self._tail = seen[1 - len(PASTE_END) :]
            return ""
        text, _, rest = "".join(pieces).partition(PASTE_END)
        self._tail, self._pieces = "", None
        if text:
            tokens.append(Pasted(text))
        return rest

    def _late_end(self, data: str, now: float, tokens: list[Token]) -> str:
        """The rest of a paste that was taken for whole too early is no typing either."""
        late = now - (self._cut_at or 0.0) > _LATE_END
        if not late and PASTE_START not in data and PASTE_END in data:
            text, _, data = data.partition(PASTE_END)
            if text:
                tokens.append(Pasted(text))
            late = True
        if late:
            self._cut_at = None
        return data

    def _rest(self, data: str, now: float, tokens: list[Token]) -> str:
        """The end of a sequence whose begin was given up: it must not become text."""
        begun, self._given_up = self._given_up, ""
        if now - self._given_up_at > _REST_PATIENCE:
            return data
        joined = begun + data
        if found := _CLEARLY_A_REST.match(joined, 1):
            tokens.append(Sequence(joined[: found.end()]))
            return joined[found.end() :]
        if _MOUSE_BEGUN.match(joined, 1):
            self._held, self._held_at = joined, now
            return ""
        return data
