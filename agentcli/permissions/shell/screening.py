"""What must be asked about before any parser looks: texts that a person or a parser may take for
something else than bash does. Line continuations are joined here, as bash does before it splits.

Measured differences between bash and tree-sitter-bash: CR, VT and FF, a continuation inside a word,
NUL; and what is drawn as nothing or turns the direction of the text deceives the person.
"""

import re
import unicodedata

MAX_LENGTH = 10_000
"""Longer texts always ask, as documented; it bounds the time of the parser too."""

MAX_DEPTH = 50
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# Looks empty, or is drawn as nothing, although it is a letter for Unicode.
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f\u17b4\u17b5")
_OPENERS = re.compile(r"[({`]|\b(?:if|for|while|until|case|select)\b")
_UNJOINABLE = ("<<", "`", "$'", '$"')
_BEFORE_COMMENT = " \t\n;&|("


def screen(text: str) -> str | None:
    """Why *text* must be asked about unread, in words for the person; None if it may be. Pure."""
    if len(text) > MAX_LENGTH:
        return f"It is longer than {MAX_LENGTH} characters"
    if _CONTROLS.search(text) or not (text.isascii() or _is_visible(text)):
        return "It holds control or invisible characters"
    if len(_OPENERS.findall(text)) > 10 * MAX_DEPTH:
        return "It is nested too deeply"
    return None


def join_lines(text: str) -> str | None:
    r"""*text* without its line continuations (``\`` at the end of a line); None where it is not
    plain which of them stand inside quotes. Pure."""
    if "\\\n" not in text:
        return text
    if any(mark in text for mark in _UNJOINABLE):
        return None
    return _Joiner(text).run()


def _is_visible(text: str) -> bool:
    return not any(
        unicodedata.category(char)[0] in "CZ" or char in _BLANK_LETTERS
        for char in set(text)
        if not char.isascii()
    )


class _Joiner:
    """Walks code, double quotes and ``$( )``; in single quotes and comments nothing is joined."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.out: list[str] = []
        self.stack = ["code"]

    def run(self) -> str | None:
        text, at = self.text, 0
        while at < len(text):
            in_quotes = self.stack[-1] == "quotes"
            pair = text[at : at + 2]
            if pair == "\\\n":
                at += 2
                continue
            if pair == "${":
                return None
            if pair[0] == "\\":
                end = at + 2
            elif pair == "$(":
                self.stack.append("code")
                end = at + 2
            elif pair[0] == '"':
                self._quote(in_quotes)
                end = at + 1
            else:
                end = at + 1 if in_quotes else self._code(at)
            self.out.append(text[at:end])
            at = end
        return "".join(self.out) if self.stack == ["code"] else None

    def _quote(self, in_quotes: bool) -> None:
        if in_quotes:
            self.stack.pop()
        else:
            self.stack.append("quotes")

    def _code(self, at: int) -> int:
        """The end of what stands at *at* outside quotes."""
        text, char = self.text, self.text[at]
        if char == "'":
            end = text.find("'", at + 1)
            return len(text) if end < 0 else end + 1
        if char == "#" and (at == 0 or self._before() in _BEFORE_COMMENT):
            end = text.find("\n", at)
            return len(text) if end < 0 else end
        if char == "(":
            self.stack.append("code")
        elif char == ")" and len(self.stack) > 1:
            self.stack.pop()
        return at + 1

    def _before(self) -> str:
        return self.out[-1][-1] if self.out else "\n"
