"""The part of a text that one Read shows."""

from dataclasses import dataclass
from pathlib import Path

from agentcli.base.files import open_regular
from agentcli.protocol.errors import ToolError
from agentcli.tools.diff import split_lines
from agentcli.tools.snippet import number_lines

DEFAULT_LINES = 2_000


@dataclass(frozen=True, slots=True)
class Page:
    """``text`` is numbered; ``whole`` if it is all of the file; ``total`` None if not counted."""

    text: str
    first: int
    lines: int
    total: int | None
    whole: bool = False
    note: str = ""


def take_page(
    text: str, offset: int | None, limit: int | None, cap: int, explicit: bool, name: str
) -> Page:
    """Lines of *text* from *offset*, at most *cap* characters. Pure.

    Too much is cut with a PARTIAL notice where the whole file was asked for, and is a
    ``ToolError`` where the model chose the range itself.
    """
    lines = [line.removesuffix("\n") for line in split_lines(text)]
    first, count = _range(offset, limit)
    if first > len(lines):
        note = f"[{name} has only {len(lines)} lines; offset {first} is past its end.]"
        return Page("", first, 0, len(lines), note=note)
    chosen = lines[first - 1 : first - 1 + count]
    size = sum(map(len, chosen)) + 7 * len(chosen)
    if size > cap:
        if explicit:
            raise ToolError(_too_much(chosen, first, size, cap))
        return _first_page(chosen, lines, cap)
    end = first - 1 + len(chosen)
    whole = first == 1 and end == len(lines)
    note = ""
    if not explicit and not whole:
        note = _partial(first, end, len(lines))
    elif end < len(lines):
        note = f"[Lines {first}-{end} of {len(lines)}]"
    return Page(number_lines(chosen, first), first, len(chosen), len(lines), whole, note)


def read_big_page(
    path: Path, offset: int | None, limit: int | None, cap: int, explicit: bool
) -> Page:
    """The same for a file that is not loaded whole. Raises ``ToolError`` and ``OSError``."""
    first, count = _range(offset, limit)
    chosen: list[str] = []
    size = 0
    with open(open_regular(path, resolved=True), "rb") as file:
        number = 1
        while number < first and (piece := file.readline(1 << 20)):
            if b"\0" in piece:
                raise ToolError("It is a binary file and cannot be shown as text.")
            number += piece.endswith(b"\n")
        while len(chosen) < count and size <= cap and (piece := file.readline(cap + 1)):
            if b"\0" in piece:
                raise ToolError("It is a binary file and cannot be shown as text.")
            line = piece.decode("utf-8", "replace")
            chosen.append(line.removesuffix("\n").removesuffix("\r"))
            size += len(line) + 7
    if size > cap:
        if explicit:
            raise ToolError(_too_much(chosen, first, size, cap))
        chosen[-1] = chosen[-1][: max(cap - (size - len(chosen[-1])), 0)]
    note = f"PARTIAL view: lines {first}-{first + len(chosen) - 1}; use offset and limit for others"
    return Page(number_lines(chosen, first), first, len(chosen), None, note=note)


def _range(offset: int | None, limit: int | None) -> tuple[int, int]:
    """First line and number of lines; 0 counts as 1, as many callers think it does."""
    if limit is not None and limit <= 0:
        raise ToolError(f"limit must be at least 1, not {limit}.")
    if offset is not None and offset < 0:
        raise ToolError(f"offset must be at least 1, not {offset}.")
    return max(offset or 1, 1), limit or DEFAULT_LINES


def _first_page(chosen: list[str], lines: list[str], cap: int) -> Page:
    taken: list[str] = []
    size = 0
    for line in chosen:
        size += len(line) + 7
        if size > cap:
            break
        taken.append(line)
    if not taken:
        cut = chosen[0][:cap]
        note = (
            f"[PARTIAL view: line 1 alone has {len(chosen[0])} characters; "
            f"the first {cap} are shown. Use Grep or Bash for the rest.]"
        )
        return Page(number_lines([cut], 1), 1, 1, len(lines), note=note)
    note = _partial(1, len(taken), len(lines))
    return Page(number_lines(taken, 1), 1, len(taken), len(lines), note=note)


def _partial(first: int, end: int, total: int) -> str:
    return (
        f"[PARTIAL view: lines {first}-{end} of {total}. Read the rest with offset and limit, "
        "or search with Grep. A partial view does not count as having read the file.]"
    )


def _too_much(chosen: list[str], first: int, size: int, cap: int) -> str:
    longest = max(range(len(chosen)), key=lambda index: len(chosen[index]))
    if len(chosen[longest]) > cap:
        return (
            f"Line {first + longest} is longer than the limit of {cap} characters for one read. "
            "Look at it with Grep (-o) or Bash (cut -c)."
        )
    return (
        f"Lines {first}-{first + len(chosen) - 1} have {size} characters; one read gives at most "
        f"{cap}. Use a smaller limit."
    )
