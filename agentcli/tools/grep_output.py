"""Takes the output of a content search apart and puts it together for the model."""

from dataclasses import dataclass
from pathlib import Path

from agentcli.tools.paths import show_path


@dataclass(frozen=True, slots=True)
class Hit:
    """A file, or a line of one. ``apart``: there is a gap before this line."""

    path: bytes
    text: str = ""
    apart: bool = False


def parse_hits(data: bytes, mode: str) -> list[Hit]:
    """The records of *data* (see ``SearchOutput``); names may hold anything but NUL. Pure."""
    hits: list[Hit] = []
    position = 0
    while (nul := data.find(b"\0", position)) >= 0:
        path = data[position:nul]
        apart = path.startswith(b"--\n")
        path = path.removeprefix(b"--\n").removeprefix(b"./")
        position = nul + 1
        if mode == "files_with_matches":
            hits.append(Hit(path))
            continue
        end = data.find(b"\n", position)
        end = len(data) if end < 0 else end
        text = data[position:end].decode("utf-8", "replace").removesuffix("\r")
        hits.append(Hit(path, text, apart))
        position = end + 1
    return hits


def render_lines(hits: list[Hit], names: dict[bytes, str], numbered: bool) -> str:
    """``name:12:text`` per match, ``name-11-text`` per context line, ``--`` between groups.

    Pure.
    """
    lines: list[str] = []
    for hit in hits:
        if hit.apart and lines:
            lines.append("--")
        lines.append(f"{names[hit.path]}{_mark(hit.text, numbered)}{hit.text}")
    return "\n".join(lines)


def shown_name(path: Path, cwd: Path) -> str:
    """*path* from *cwd* where it is below it, which saves tokens; absolute otherwise. Pure."""
    return show_path(path.relative_to(cwd) if path.is_relative_to(cwd) else path)


def _mark(text: str, numbered: bool) -> str:
    """The separator after the name is the one after the line number: ``:`` or ``-``."""
    if not numbered:
        return ":"
    digits = len(text) - len(text.lstrip("0123456789"))
    return text[digits : digits + 1] or ":"
