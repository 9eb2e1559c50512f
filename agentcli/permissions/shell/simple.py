"""Is a command text exactly one plain command? If so its words, exactly as the shell would see."""

import re
import unicodedata

MAX_LENGTH = 10_000

_RESERVED = frozenset(
    {"if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac"}
    | {"in", "select", "function", "coproc", "[[", "]]", "{", "}", "!"}
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[.*\])?\+?=", re.DOTALL)
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+%@^")
# Only literal behind a letter or digit; at the start of a word they are home, comment, history.
_BARE_INSIDE = frozenset("~#")
_NEVER_IN_DOUBLE = frozenset("$`\\")
_BLANKS = " \t"
# Looks empty, or is drawn as nothing, although it is a letter for Unicode.
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f\u17b4\u17b5")


def split_simple(text: str) -> tuple[str, ...] | None:
    """The decoded words of *text*, or None if it is anything but one simple command.

    None for every operator, expansion, glob, brace, escape, comment, assignment, reserved word,
    control or invisible character, and for overlong text. Pure.
    """
    text = text.strip(" \t\n")
    if not text or len(text) > MAX_LENGTH or any(map(_is_deceptive, text)):
        return None
    words = _split(text)
    if not words:
        return None
    name = words[0]
    if not name or name in _RESERVED or name[0] in "%=" or _ASSIGNMENT.match(name):
        return None
    return tuple(words)


def quote(words: tuple[str, ...]) -> str:
    """One canonical text for decoded words: plain words bare, all others in quotes. Pure."""
    return " ".join(word if word and _BARE.issuperset(word) else _quoted(word) for word in words)


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\"'\"'") + "'"


def _is_deceptive(char: str) -> bool:
    if char.isascii():
        return char not in "\t\n" and not " " <= char <= "~"
    category = unicodedata.category(char)
    return category[0] in "CZ" or char in _BLANK_LETTERS


def _split(text: str) -> list[str] | None:
    words: list[str] = []
    word: list[str] | None = None
    at = 0
    while at < len(text):
        char = text[at]
        if char in _BLANKS:
            if word is not None:
                words.append("".join(word))
            word = None
            at += 1
            continue
        if char in "'\"":
            end = text.find(char, at + 1)
            inner = text[at + 1 : end]
            if end < 0 or (char == '"' and not _NEVER_IN_DOUBLE.isdisjoint(inner)):
                return None
            word = [] if word is None else word
            word.append(inner)
            at = end + 1
            continue
        if not _is_bare(char, text[at - 1] if word else ""):
            return None
        word = [] if word is None else word
        word.append(char)
        at += 1
    if word is not None:
        words.append("".join(word))
    return None if any(word.startswith("=") for word in words) else words


def _is_bare(char: str, before: str) -> bool:
    if char in _BARE_INSIDE:
        return before.isascii() and before.isalnum()
    return char in _BARE or not char.isascii()
