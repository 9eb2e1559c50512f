"""Here-documents: their text, where it is certain that bash takes it literally."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

PARTS = frozenset({"heredoc_start", "heredoc_body", "heredoc_end", "file_descriptor"})
_DELIMITER = re.compile(r"(?P<open>['\"]?)(?P<name>[\w.-]+)(?P=open)", re.ASCII)
_EXPANDED = frozenset("$`\\")


def body_of(node: "Node", data: bytes) -> str | None:
    """The literal text of the here-document at *node*; None if it is expanded or doubtful.

    Where it ends is worked out from the text again: the parser is not trusted with it. Pure.
    """
    parts = {child.type: child for child in node.children}
    start, end = parts.get("heredoc_start"), parts.get("heredoc_end")
    if start is None or end is None:
        return None
    delimiter = _DELIMITER.fullmatch(data[start.start_byte : start.end_byte].decode())
    line_end = data.find(b"\n", start.end_byte)
    if delimiter is None or line_end < 0 or b"<<" in data[start.end_byte : line_end]:
        return None
    tabs = "<<-" in parts
    begin = at = line_end + 1
    name = delimiter["name"].encode()
    while at < len(data):
        stop = data.find(b"\n", at)
        stop = len(data) if stop < 0 else stop
        line = data[at:stop].lstrip(b"\t") if tabs else data[at:stop]
        if line == name:
            break
        at = stop + 1
    else:
        return None
    if end.end_byte != min(stop, len(data)) or not end.start_byte >= at:
        return None
    body = data[begin:at].decode()
    return body if delimiter["open"] or _EXPANDED.isdisjoint(body) else None
