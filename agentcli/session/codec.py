"""Entries ↔ bytes: compact JSON that every known reader of the format can take apart."""

from collections.abc import Iterable
from typing import Any, cast

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


def decode_line(line: bytes) -> dict[str, Any]:
    """The object of a line that ``encode_line`` made. Pure."""
    return cast("dict[str, Any]", _decoder.decode(line))


def _share(data: dict[str, Any], seen: dict[str, str]) -> dict[str, Any]:
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
    """Entries in file order and the count of lines that are no JSON object. Never raises.

    A uuid that stands twice keeps its first position and takes the later value.
    """
    entries: list[Entry] = []
    position: dict[str, int] = {}
    seen: dict[str, str] = {}
    bad = 0
    for line in lines:
        text = line.strip(b" \t\r\n\x00")
        if not text:
            continue
        try:
            data: Any = _decoder.decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            bad += 1
            continue
        if not isinstance(data, dict):
            bad += 1
            continue
        entry = Entry(_share(cast("dict[str, Any]", data), seen))
        uuid = entry.uuid
        if uuid and uuid in position:
            entries[position[uuid]] = entry
            continue
        if uuid:
            position[uuid] = len(entries)
        entries.append(entry)
    return entries, bad
