"""What is wrong with one line of a session file and with the entry in it. Pure."""

from collections.abc import Iterator
from typing import NamedTuple

from agentcli.base.text import one_line
from agentcli.base.values import as_dict
from agentcli.session.check_report import Severity
from agentcli.session.codec import Decoded
from agentcli.session.entries import TREE_TYPES, Entry

_BLANK = b" \t\r\n\x00"
_BOM = b"\xef\xbb\xbf"
_SEPARATORS = {"\u2028".encode(): "U+2028", "\u2029".encode(): "U+2029", "\x85".encode(): "U+0085"}
_SPOKEN = ("user", "assistant", "system")
_BASE = ("parentUuid", "userType", "cwd", "version", "isSidechain", "sessionId", "timestamp")
_NO_NULLS = (
    "version sessionId requestId costUSD isApiErrorMessage".split(),
    "id model".split(),
    "speed cache_read_input_tokens cache_creation_input_tokens".split(),
)
"""Fields of the line, its message and its usage that a token counter wants absent, not null."""
_KNOWN = TREE_TYPES | frozenset(
    "file-history-snapshot file-history-delta summary ai-title custom-title tag agent-name "
    "agent-color agent-setting last-prompt permission-mode mode queue-operation pr-link "
    "content-replacement bridge-session frame-link worktree-state cost-state fork-context-ref "
    "attribution-snapshot".split()
)


class Fault(NamedTuple):
    """What is wrong at one place, and what the program makes of it."""

    kind: str
    severity: Severity
    text: str
    done: str


def byte_faults(line: bytes) -> Iterator[Fault]:
    """What other readers, or ours, do not like about the bytes of a line that may be whole."""
    if line.startswith(_BOM):
        yield Fault("BOM", "warning", "a byte order mark stands before the line", "passed over")
    if line.endswith(b"\r\n"):
        yield Fault("CRLF", "info", "the line ends with CR LF; others want LF alone", "read")
    for raw, name in _SEPARATORS.items():
        if raw in line:
            text = f"a raw {name}, where some readers cut the line"
            yield Fault("separator", "warning", text, "read whole; a copy has the escape")


def line_fault(line: bytes, decoded: Decoded) -> Fault | None:
    """What is wrong with a line, given what could be read of it."""
    whole = line.endswith(b"\n")
    text = line.strip(_BLANK)
    if b"\x00" in line:
        done = "left out" if not decoded.objects else "what stands whole beside them is used"
        return Fault("NUL bytes", "warning", "the line holds NUL bytes", done)
    if not decoded.bad:
        if not text:
            return Fault("blank line", "info", "the line is empty", "passed over")
        if not whole:
            text = "the last line has no LF"
            return Fault("no line end", "info", text, "the next entry gets a line of its own")
        return None
    if decoded.objects:
        if not _is_utf8(line):
            text = "bytes that are not UTF-8; some readers refuse the whole file"
            return Fault("invalid UTF-8", "warning", text, "they read as U+FFFD")
        return _glued(text, decoded)
    if not whole:
        text = "the last line is cut"
        return Fault("torn line", "error", text, "left out; the next entry gets its own line")
    kind = "not JSON" if _is_utf8(line) else "invalid UTF-8"
    return Fault(kind, "error", "the line is no JSON object", "left out, and left in the file")


def _glued(text: bytes, decoded: Decoded) -> Fault | None:
    if text.startswith(_BOM):
        return None  # told already
    if len(decoded.objects) > 1:
        what = f"{len(decoded.objects)} entries stand on one line"
        return Fault("glued line", "warning", what, "all that is whole is used")
    if b"\\ud" in text.lower() and _is_loose_json(text):
        what = "it holds half a character (a lone surrogate)"
        return Fault("lone surrogate", "warning", what, "it reads as U+FFFD")
    what = "something stands before the entry, mostly half a line"
    return Fault("glued line", "warning", what, "the whole entry is used, the rest is lost")


def entry_faults(entry: Entry, session_id: str) -> Iterator[Fault]:
    """What is wrong with an entry that could be read."""
    if entry.type not in _KNOWN:
        name = one_line(entry.type, 40) or "none"
        yield Fault("unknown type", "info", f"an entry of a type not known here: {name}", "kept")
    own = entry.data.get("sessionId")
    if isinstance(own, str) and own != session_id and not entry.is_sidechain:
        text = f"it belongs to session {one_line(own, 40)}"
        yield Fault("other session", "warning", text, "taken as one of this session")
    if entry.type in TREE_TYPES and not entry.uuid:
        text = "an entry of the conversation without uuid"
        yield Fault("no uuid", "error", text, "left out")
    if entry.type in _SPOKEN:
        missing = [name for name in _BASE if name not in entry.data]
        if missing:
            text = f"without {', '.join(missing)}; some readers leave such lines out"
            yield Fault("missing fields", "info", text, "used")
    if entry.type in ("user", "assistant") and not entry.blocks:
        yield Fault("no content", "warning", "a message without content", "not sent")
    yield from _null_fields(entry)


def _null_fields(entry: Entry) -> Iterator[Fault]:
    usage = as_dict(entry.message.get("usage"))
    if not usage:
        return
    for holder, names in zip((entry.data, entry.message, usage), _NO_NULLS, strict=True):
        nulls = [name for name in names if name in holder and holder[name] is None]
        if nulls:
            text = f"{', '.join(nulls)} is null; a token counter leaves the line out"
            yield Fault("null field", "info", text, "used")


def _is_loose_json(text: bytes) -> bool:
    """True for JSON by the rules of a reader that lets lone surrogates pass."""
    import json

    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
