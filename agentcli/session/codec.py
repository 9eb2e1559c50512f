"""Entries ↔ bytes: compact JSON that every known reader of the format can take apart."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple, cast

import msgspec

from agentcli.base.text import clean_surrogates
from agentcli.session.entries import Entry

# Some readers split lines at these characters even inside a JSON string, so the file holds their
# escapes. As UTF-8 sequences they can stand nowhere but inside strings.
_ESCAPED = (
    (b"\xe2\x80\xa8", b"\\u2028"),
    (b"\xe2\x80\xa9", b"\\u2029"),
    (b"\xc2\x85", b"\\u0085"),
    (b"\x7f", b"\\u007f"),
)
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()
_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_BLANK = b" \t\r\n\x00"
_NULS = re.compile(rb"\x00+")
_OBJECT_START = re.compile(rb'\{"(?:parentUuid|type|uuid|sessionId|leafUuid|isSidechain|message)":')
_STARTS_TRIED = 20
"""Each start costs a parse of the rest of the line."""
_MOST_GLUED = 8
_ENTRY_NAMES = frozenset({"uuid", "sessionId", "leafUuid", "messageId"})
"""One of them stands in each entry, and in no block that a torn line may end with."""
_REPEATED = ("uuid", "parentUuid", "sessionId", "cwd", "version", "gitBranch", "entrypoint", "type")
_REPEATED_IN_MESSAGE = ("role", "model", "type", "stop_reason")


def encode_line(data: dict[str, Any]) -> bytes:
    """One line with its LF. Lone surrogates become U+FFFD (they are no UTF-8). Pure."""
    try:
        line = _encoder.encode(data)
    except UnicodeEncodeError:
        line = _encoder.encode(cleaned(data))
    for raw, escape in _ESCAPED:
        if raw in line:
            line = line.replace(raw, escape)
    return line + b"\n"


def cleaned(value: Any) -> Any:
    """*value* with lone surrogates replaced in every string, keys included. Pure."""
    if isinstance(value, str):
        return clean_surrogates(value)
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return {cleaned(key): cleaned(item) for key, item in items}
    if isinstance(value, list):
        return [cleaned(item) for item in cast("list[Any]", value)]
    return value


class Decoded(NamedTuple):
    """What one line holds: mostly one object. ``bad``: something of it cannot be read."""

    objects: list[dict[str, Any]]
    bad: bool


def decode_own_line(line: bytes) -> dict[str, Any]:
    """The object of a line that ``encode_line`` made. Pure."""
    return cast("dict[str, Any]", _decoder.decode(line))


def decode_line(line: bytes) -> Decoded:
    """The objects of any line: what is torn, glued or run through by NULs is salvaged where a
    whole object stands in it, and wrong UTF-8 is replaced. Pure; never raises."""
    text = line.strip(_BLANK)
    if not text:
        return Decoded([], False)
    if (found := _object(text)) is not None:
        return Decoded([found], False)
    pieces = _NULS.split(text) if b"\x00" in text else [text]
    return Decoded([found for piece in pieces for found in _salvage(piece)], True)


def _object(text: bytes) -> dict[str, Any] | None:
    try:
        value: Any = _decoder.decode(text)
    except _ERRORS:
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _salvage(text: bytes) -> list[dict[str, Any]]:
    """The whole objects at the end of a damaged line; half a one before them is lost."""
    if (found := _object(text)) is not None:
        return [found]
    rest = text.decode("utf-8", "replace").encode()
    whole: list[dict[str, Any]] = []
    for _ in range(_MOST_GLUED):
        found = _object(rest) or _with_lone_surrogates(rest)
        if found is not None:
            return [found, *whole]
        start, last = _last_object(rest)
        if last is None:
            break
        whole.insert(0, last)
        rest = rest[:start]
    return whole


def _last_object(text: bytes) -> tuple[int, dict[str, Any] | None]:
    """The object that *text* ends with, and where it begins; there is more before it."""
    starts = [match.start() for match in _OBJECT_START.finditer(text, 1)]
    for start in starts[:_STARTS_TRIED]:
        found = _object(text[start:])
        if found is not None and not _ENTRY_NAMES.isdisjoint(found):
            return start, found
    return 0, None


def _with_lone_surrogates(text: bytes) -> dict[str, Any] | None:
    """An object with escapes of half a character in it, which others write; they read as U+FFFD."""
    if b"\\ud" not in text and b"\\uD" not in text:
        return None
    import json

    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", cleaned(value)) if isinstance(value, dict) else None


def share(data: dict[str, Any], seen: dict[str, str]) -> dict[str, Any]:
    """Let equal strings of many entries be one in memory; a quarter of a session is such."""
    message = data.get("message")
    for part, names in ((data, _REPEATED), (message, _REPEATED_IN_MESSAGE)):
        if isinstance(part, dict):
            fields = cast("dict[str, Any]", part)
            for name in names:
                value = fields.get(name)
                if type(value) is str:
                    fields[name] = seen.setdefault(value, value)
    return data


def decode_lines(lines: Iterable[bytes]) -> tuple[list[Entry], int]:
    """Entries in file order and the count of lines that are damaged. Never raises."""
    entries: list[Entry] = []
    seen: dict[str, str] = {}
    bad = 0
    for line in map(decode_line, lines):
        bad += line.bad
        entries += [Entry(share(data, seen)) for data in line.objects]
    return without_doubles(entries), bad


def without_doubles(entries: Iterable[Entry]) -> list[Entry]:
    """A uuid that stands twice keeps its first position and takes the later value. Pure."""
    kept: list[Entry] = []
    position: dict[str, int] = {}
    for entry in entries:
        uuid = entry.uuid
        if uuid and uuid in position:
            kept[position[uuid]] = entry
            continue
        if uuid:
            position[uuid] = len(kept)
        kept.append(entry)
    return kept
