"""``agentcli sessions tree``: every branch of a session."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, BinaryIO

from agentcli.base.text import one_line
from agentcli.cli.sessions.args import SessionArgs
from agentcli.cli.sessions.columns import cells, fit
from agentcli.cli.sessions.place import Place, read_entries
from agentcli.frontends.oneshot.streams import tell
from agentcli.protocol.history import TreeNode
from agentcli.session.codec import encode_line
from agentcli.session.outline import outline
from agentcli.session.tree_lines import tree_lines

_MARKS = {"prompt": "", "compact": "◇ ", "fork": "⑂ "}
_HERE = "  ← here"
_LEAST_TEXT = 10


def tree(args: SessionArgs, place: Place, out: BinaryIO) -> int:
    """Print the tree. Raises SessionError, OSError."""
    nodes = outline(read_entries(place.find(args.session)))
    if args.json:
        for node in nodes:
            out.write(encode_line(_facts(node)))
        return 0
    if not nodes:
        tell("nothing was said in this session")
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    for line in drawn(nodes, width):
        out.write(line.encode("utf-8", "replace") + b"\n")
    return 0


def drawn(nodes: Sequence[TreeNode], width: int = 0) -> Iterator[str]:
    """The tree as text, cut to *width* cells where it is not 0. Pure but for the time zone."""
    for line in tree_lines(nodes):
        node = nodes[line.at]
        head = f"{_when(node.at)}  {line.prefix}{_MARKS[node.kind]}"
        tail = _HERE if node.here else ""
        text = one_line(node.text) or "(empty)"
        if width:
            room = max(_LEAST_TEXT, width - cells(head) - cells(tail))
            text = fit(text, room).rstrip() if cells(text) > room else text
        yield head + text + tail


def _when(at: float) -> str:
    """Day and time, for a session can be days long."""
    try:
        return datetime.fromtimestamp(at).strftime("%m-%d %H:%M") if at > 0 else " " * 11
    except (OverflowError, ValueError, OSError):
        return " " * 11


def _facts(node: TreeNode) -> dict[str, Any]:
    return {
        "id": node.entry_id,
        "kind": node.kind,
        "text": node.text,
        "at": node.at,
        "parent": node.parent,
        "leaf": node.leaf,
        "onPath": node.on_path,
        "here": node.here,
        "answer": node.answer,
        "files": list(node.files),
    }
