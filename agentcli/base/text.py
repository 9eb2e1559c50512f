"""Making text of unknown origin safe to show, and cutting it without breaking characters."""

import re

# C0 (but tab and newline), DEL, C1, bidi controls, zero-width and tag characters: all of them can
# make a terminal or a reader see something else than what is there.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_].*?(?:\x07|\x1b\\|$)|[ -/]*[0-~])", re.DOTALL
)


def reveal(text: str) -> str:
    """Show what would be hidden: controls, bidi and zero-width characters as ``\\x1b`` escapes.

    For everything a person decides on (commands, paths, diffs). Tabs and newlines stay. Pure.
    """
    return _HIDDEN.sub(_escape, text)


def strip_controls(text: str) -> str:
    """Remove escape sequences and control characters; tabs and newlines stay. Pure.

    For output that is only read (answers, tool output). ZWJ and variation selectors stay, since
    emoji and several scripts need them.
    """
    return _CONTROL.sub("", _ESCAPES.sub("", text.replace("\r\n", "\n")))


def clean_surrogates(text: str) -> str:
    """Lone surrogates become U+FFFD: they can be neither written as UTF-8 nor sent. Pure."""
    return _SURROGATE.sub("\ufffd", text)


def one_line(text: str, limit: int = 200) -> str:
    """First line of *text*, revealed, cut to *limit* characters with an ellipsis. Pure."""
    first, _, rest = text.strip().partition("\n")
    cut = len(first) > limit
    return reveal(first[:limit]).replace("\t", " ") + (" …" if cut or rest.strip() else "")


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
