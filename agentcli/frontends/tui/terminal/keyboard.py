"""Textual's reading of the terminal, mended: Alt+Enter, whole pastes, bytes that are no UTF-8."""

from codecs import getincrementaldecoder
from collections.abc import Generator, Iterable
from functools import partial
from typing import Any, cast

from textual import events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._xterm_parser import XTermParser
from textual.drivers import linux_driver
from textual.keys import Keys
from textual.message import Message

_START, _END = "\x1b[200~", "\x1b[201~"


def mend_keyboard() -> None:
    """Change how Textual reads; to be called before the app runs. Idempotent."""
    # without the kitty protocol Alt+Enter is Esc, Return, which Textual takes for plain Enter
    cast("dict[str, Any]", ANSI_SEQUENCES_KEYS)["\x1b\r"] = (Keys.ControlJ,)
    driver = cast("Any", linux_driver)
    driver.XTermParser = PasteParser
    # one byte in another encoding would end Textual's input thread, and with it the app
    driver.getincrementaldecoder = _forgiving_decoder


def _forgiving_decoder(encoding: str) -> Any:
    return partial(getincrementaldecoder(encoding), errors="replace")


class PasteParser(XTermParser):
    """Hands over a paste in one piece. Textual takes escape sequences inside a paste for keys, so
    that pasted text could send a prompt or approve a call."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._tail = ""
        """The last characters that came, in which a marker may have begun."""
        self._pieces: list[str] | None = None
        """What came of the paste that is on; None outside of one."""

    def feed(self, data: str) -> Iterable[Message]:
        if not data:
            yield from super().feed(data)
        while data:
            if self._pieces is None:
                data = yield from self._outside(data)
            else:
                data = yield from self._inside(data, self._pieces)

    def _outside(self, data: str) -> Generator[Message, None, str]:
        """Everything up to the begin of a paste goes to Textual; what follows is returned."""
        seen = self._tail + data
        at = seen.find(_START)
        if at < 0:
            self._tail = seen[1 - len(_START) :]
            yield from super().feed(data)
            return ""
        begin = at + len(_START) - len(self._tail)
        self._tail, self._pieces = "", []
        yield from super().feed(data[:begin])
        return data[begin:]

    def _inside(self, data: str, pieces: list[str]) -> Generator[Message, None, str]:
        """Keep what is pasted until its end has come; what follows is returned."""
        pieces.append(data)
        seen = self._tail + data
        if _END not in seen:
            self._tail = seen[1 - len(_END) :]
            return ""
        text, _, rest = "".join(pieces).partition(_END)
        self._tail, self._pieces = "", None
        for message in super().feed(_END):
            if not isinstance(message, events.Paste):  # an empty one: Textual saw no text
                yield message
        if text:
            yield events.Paste(text)
        return rest
