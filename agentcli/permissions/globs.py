"""Wildcard matching in bounded time: no rule and no hostile input may make it hang."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeVar


@dataclass(frozen=True, slots=True)
class _Star:
    """Any run of items, also none."""


@dataclass(frozen=True, slots=True)
class _One:
    """Exactly one item."""


@dataclass(frozen=True, slots=True)
class _Class:
    """One character in (or, negated, not in) the ranges."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool


STAR: Final = _Star()
_ONE: Final = _One()
_Token = str | _Star | _One | _Class
_T = TypeVar("_T")
_Item = TypeVar("_Item")


def text_matches(pattern: str, text: str) -> bool:
    """True if *text* as a whole fits *pattern*, in which only ``*`` is special. Pure."""
    return _matches(_star_tokens(pattern), text, _token_fits)


def segments_match(pattern: Sequence[str], segments: Sequence[str]) -> bool:
    """True if path *segments* fit the gitignore-like *pattern*; ``**`` crosses segments. Pure."""
    tokens = [STAR if part == "**" else part for part in pattern]
    return _matches(tokens, segments, _segment_fits)


def segment_matches(pattern: str, name: str) -> bool:
    """True if one path component fits *pattern* (``*``, ``?``, ``[…]``, escapes). Pure."""
    return _matches(_segment_tokens(pattern), name, _token_fits)


def escape(segment: str) -> str:
    """The segment with its wildcard characters escaped, for rules that are saved. Pure."""
    return "".join(f"\\{char}" if char in "\\*?[]" else char for char in segment)


def _matches(
    tokens: Sequence[_T], items: Sequence[_Item], fits: Callable[[_T, _Item], bool]
) -> bool:
    at_token = at_item = 0
    star, resume = -1, 0
    while at_item < len(items):
        if at_token < len(tokens) and tokens[at_token] is STAR:
            star, resume = at_token, at_item
            at_token += 1
        elif at_token < len(tokens) and fits(tokens[at_token], items[at_item]):
            at_token += 1
            at_item += 1
        elif star >= 0:
            resume += 1
            at_token, at_item = star + 1, resume
        else:
            return False
    return all(token is STAR for token in tokens[at_token:])


@lru_cache(maxsize=512)
def _star_tokens(pattern: str) -> tuple[_Token, ...]:
    return tuple(STAR if char == "*" else char for char in pattern)


def _segment_fits(pattern: str | _Star, segment: str) -> bool:
    if isinstance(pattern, _Star):
        return True
    return _matches(_segment_tokens(pattern), segment, _token_fits)


def _token_fits(token: _Token, char: str) -> bool:
    match token:
        case str():
            return token == char
        case _Class():
            return token.negated != any(low <= char <= high for low, high in token.ranges)
        case _Star() | _One():
            return True


@lru_cache(maxsize=512)
def _segment_tokens(pattern: str) -> tuple[_Token, ...]:
    tokens: list[_Token] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\" and at + 1 < len(pattern):
            tokens.append(pattern[at + 1])
            at += 2
        elif char == "[" and (end := pattern.find("]", at + 2)) > 0:
            tokens.append(_char_class(pattern[at + 1 : end]))
            at = end + 1
        else:
            tokens.append(STAR if char == "*" else _ONE if char == "?" else char)
            at += 1
    return tuple(tokens)


def _char_class(body: str) -> _Class:
    negated = body[:1] in ("!", "^")
    body = body[1:] if negated else body
    ranges: list[tuple[str, str]] = []
    at = 0
    while at < len(body):
        if body[at + 1 : at + 2] == "-" and at + 2 < len(body):
            ranges.append((body[at], body[at + 2]))
            at += 3
        else:
            ranges.append((body[at], body[at]))
            at += 1
    return _Class(tuple(ranges), negated)
