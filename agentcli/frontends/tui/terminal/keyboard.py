"""Textual's reading of the terminal, mended: every encoding of a key, whole pastes, no junk.

Textual alone takes escape sequences inside a paste for keys (pasted text could send a prompt or
approve a call), ends with an error at some key reports of the kitty protocol, and turns what it
does not know into text.
"""

from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Generator, Iterable
from functools import partial
from typing import Any, cast

from textual import constants, events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._time import get_time
from textual._xterm_parser import XTermParser
from textual.drivers import linux_driver
from textual.message import Message

from agentcli.frontends.tui.terminal.encodings import clean_paste, normal_key
from agentcli.frontends.tui.terminal.reports import read_report
from agentcli.frontends.tui.terminal.sequences import ESC, PASTE_END, Pasted, Splitter, Text, Token

_LONGEST_KEY = 32
_STRINGS = "]P_"

recent: deque[tuple[str, str]] = deque(maxlen=24)
"""The last things that came: what the terminal sent and the key it was taken for ("": none)."""


def mend_keyboard() -> None:
    """Change how Textual reads; to be called before the app runs. Idempotent."""
    driver = cast("Any", linux_driver)
    driver.XTermParser = TerminalParser
    # one byte in another encoding would end Textual's input thread, and with it the app
    driver.getincrementaldecoder = _forgiving_decoder


def _forgiving_decoder(encoding: str) -> Any:
    return partial(_Decoder, encoding)


class _Decoder:
    """UTF-8 in any pieces. Raises EOFError at the end of the input, which Textual would read
    again and again, with all the CPU there is."""

    def __init__(self, encoding: str) -> None:
        self._decoder = getincrementaldecoder(encoding)(errors="replace")

    def decode(self, data: bytes, final: bool = False) -> str:
        if not data and not final:
            raise EOFError("it was closed")
        return self._decoder.decode(data, final)


class TerminalParser(XTermParser):
    """Hands whole sequences to Textual only, and reads itself what Textual gets wrong."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._splitter = Splitter(constants.ESCAPE_DELAY)

    def feed(self, data: str) -> Iterable[Message]:
        if not data:
            yield from super().feed(data)
            return
        for token in self._splitter.feed(data, get_time()):
            yield from self._read(token)

    def tick(self) -> Iterable[Message]:
        for token in self._splitter.expire(get_time()):
            yield from self._read(token)

    def _read(self, token: Token) -> Generator[Message]:
        match token:
            case Text(text):
                yield from self._noted("", super().feed(text))
            case Pasted(text):
                if cleaned := clean_paste(text):
                    yield events.Paste(cleaned)
            case _:
                yield from self._noted(token.text, self._sequence(token.text))

    def _noted(self, raw: str, messages: Iterable[Message]) -> Generator[Message]:
        key = ""
        for message in messages:
            if isinstance(message, events.Key):
                key = message.key
                recent.append((raw[:_LONGEST_KEY] or message.character or "", key))
            yield message
        if raw and not key and not raw.startswith("\x1b[<"):  # the mouse would push out the rest
            recent.append((raw[:_LONGEST_KEY], ""))

    def _sequence(self, raw: str) -> Iterable[Message]:
        if raw == ESC:
            return [events.Key("escape", ESC)]
        if raw == PASTE_END:
            return []
        if (report := read_report(raw)) is not None:
            return [report]
        if (normal := normal_key(raw)) is not None:
            keys = self._parse_extended_key(normal) if normal else None
            return [key.copy() for key in keys or ()]
        if len(raw) == 2 and raw not in ANSI_SEQUENCES_KEYS:
            return self._with_alt(raw[1])
        return self._ask_textual(raw)

    def _with_alt(self, character: str) -> Iterable[Message]:
        if character in "\r\n":
            return [events.Key("alt+enter", None)]
        # without a character: it is a key, not text
        keys = self._sequence_to_key_events(character, alt=True)
        return [events.Key(f"alt+{key.key.removeprefix('alt+')}", None) for key in keys]

    def _ask_textual(self, raw: str) -> Generator[Message]:
        if len(raw) <= _LONGEST_KEY and raw[1] not in _STRINGS:
            yield from super().feed(raw)
        if self._timeout_time is not None:
            # it waits for more of what is whole: not known, and not to become text
            self._timeout_time = None
            self._gen = cast("Any", self).parse(self._tokens.append)
            self._awaiting = next(self._gen)
