"""A tolerant view of any shell text, for forbidding only: it finds too many commands, not too few.

What it yields may never allow anything. It lets deny rules, ask rules and the check for critical
removals see through lists, pipes, substitutions, subshells and redirects.
"""

import re
from dataclasses import dataclass, field

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[[^]]*\])?\+?=")
_KEYWORDS = frozenset(
    {"if", "then", "elif", "else", "while", "until", "do", "!", "{", "}", "time", "coproc", "in"}
)
_ANSI = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|.)", re.S)
_ANSI_NAMES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f"}
_REDIRECT = re.compile(r"&?[<>][<>&|]*-?")
_DESCRIPTOR = re.compile(r"\d+|\{\w+\}")
_BLANKS = " \t\r\v\f"
_ENDS = ";\n&|"


@dataclass(slots=True)
class Word:
    """One word without its quotes; ``dynamic`` if part of it is only known when it runs."""

    text: str
    dynamic: bool = False


@dataclass(slots=True)
class Segment:
    """One command as far as it was understood, and its redirects (operator, target)."""

    words: list[Word] = field(default_factory=list[Word])
    redirects: list[tuple[str, Word]] = field(default_factory=list[tuple[str, Word]])

    def command(self) -> list[Word]:
        """The words without leading keywords and assignments."""
        words = self.words
        start = 0
        while start < len(words) and (
            words[start].text in _KEYWORDS or _ASSIGNMENT.match(words[start].text)
        ):
            start += 1
        return words[start:]


def segments(text: str) -> list[Segment]:
    """Everything in *text* that may be a command, nested ones too. Never raises. Pure."""
    text = text.replace("\\\n", "")
    found = _Scanner(text).run()
    if "<<" in text:
        # A quote inside a here-document would swallow the lines behind it.
        for line in text.split("\n"):
            found += _Scanner(line).run()
    return [segment for segment in found if segment.words or segment.redirects]


@dataclass(slots=True)
class _Frame:
    """One nesting level: the command being read, and what closes the level."""

    close: str
    segment: Segment = field(default_factory=Segment)
    chars: list[str] | None = None
    dynamic: bool = False
    in_double: bool = False
    redirect: str = ""


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at: int = 0
        self.found: list[Segment] = []
        self.stack = [_Frame("")]

    def run(self) -> list[Segment]:
        while self.at < len(self.text):
            frame = self.stack[-1]
            if not self._substitution(frame):
                if frame.in_double:
                    self._step_in_double(frame)
                else:
                    self._step(frame)
        while self.stack:
            self._end_segment(self.stack.pop())
        return self.found

    def _substitution(self, frame: _Frame) -> bool:
        """Enter or leave ``$( )`` and backquotes, which work inside double quotes as well."""
        two = self.text[self.at : self.at + 2]
        if two == "$(" or (two in ("<(", ">(") and not frame.in_double):
            self._open(frame, ")", 2)
        elif two[0] != "`":
            return False
        elif any(outer.close == "`" for outer in self.stack):
            while self.stack[-1].close != "`":
                self._end_segment(self.stack.pop())
            self._end_segment(self.stack.pop())
            self.at += 1
        else:
            self._open(frame, "`", 1)
        return True

    def _open(self, frame: _Frame, close: str, length: int) -> None:
        self._add(frame, "", dynamic=True)
        self.stack.append(_Frame(close))
        self.at += length

    def _step_in_double(self, frame: _Frame) -> None:
        char = self.text[self.at]
        if char == '"':
            frame.in_double = False
        elif char == "\\" and self.text[self.at + 1 : self.at + 2] in tuple('$`"\\'):
            self.at += 1
            self._add(frame, self.text[self.at])
        else:
            self._add(frame, char, dynamic=char == "$")
        self.at += 1

    def _step(self, frame: _Frame) -> None:
        text, char = self.text, self.text[self.at]
        redirect = _REDIRECT.match(text, self.at)
        if redirect:
            self._begin_redirect(frame, redirect.group())
            self.at = redirect.end()
            return
        if char == "'":
            end = text.find("'", self.at + 1)
            end = len(text) if end < 0 else end
            self._add(frame, text[self.at + 1 : end])
            self.at = end
        elif text.startswith("$'", self.at):
            self._ansi_string(frame)
        elif char == '"' or text.startswith('$"', self.at):
            self.at += char == "$"
            self._add(frame, "")
            frame.in_double = True
        elif char == "\\":
            self.at += 1
            self._add(frame, text[self.at : self.at + 1])
        elif char == "#" and frame.chars is None:
            end = text.find("\n", self.at)
            self.at = (len(text) if end < 0 else end) - 1
        else:
            self._plain(frame, char)
        self.at += 1

    def _plain(self, frame: _Frame, char: str) -> None:
        if char in _BLANKS:
            self._end_word(frame)
        elif char in _ENDS:
            self._end_segment(frame)
        elif char == "(":
            self._end_segment(frame)
            self.stack.append(_Frame(")"))
        elif char == ")":
            self._end_segment(frame)
            if frame.close == ")":
                self.stack.pop()
        else:
            self._add(frame, char, dynamic=char in "$*?[{")

    def _ansi_string(self, frame: _Frame) -> None:
        end = self.at + 2
        while end < len(self.text) and self.text[end] != "'":
            end += 2 if self.text[end] == "\\" else 1
        self._add(frame, _ANSI.sub(_ansi_char, self.text[self.at + 2 : end]))
        self.at = end

    def _begin_redirect(self, frame: _Frame, operator: str) -> None:
        if frame.chars is not None and _DESCRIPTOR.fullmatch("".join(frame.chars)):
            frame.chars = None
        self._end_word(frame)
        frame.redirect = operator

    def _add(self, frame: _Frame, text: str, *, dynamic: bool = False) -> None:
        if frame.chars is None:
            frame.chars = []
        frame.chars.append(text)
        frame.dynamic = frame.dynamic or dynamic

    def _end_word(self, frame: _Frame) -> None:
        if frame.chars is None:
            return
        word = Word("".join(frame.chars), frame.dynamic)
        if frame.redirect:
            frame.segment.redirects.append((frame.redirect, word))
        else:
            frame.segment.words.append(word)
        frame.chars, frame.dynamic, frame.redirect = None, False, ""

    def _end_segment(self, frame: _Frame) -> None:
        self._end_word(frame)
        self.found.append(frame.segment)
        frame.segment, frame.redirect, frame.in_double = Segment(), "", False


def _ansi_char(match: re.Match[str]) -> str:
    code = match.group(1)
    if code in ("x", "u", "U"):
        return f"\\{code}"  # without digits bash leaves it as it is
    if code[0] in "xuU":
        value = int(code[1:], 16)
        return chr(value) if value < 0x110000 else ""
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return _ANSI_NAMES.get(code, code)
