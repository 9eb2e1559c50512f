"""Numbered lines, as the model reads files."""

from agentcli.tools.diff import FileDiff

_MAX_LINES = 40
_MAX_COLUMNS = 400


def number_lines(lines: list[str], first: int) -> str:
    """``n<TAB>text`` per line. Pure."""
    return "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, first))


def changed_snippet(diff: FileDiff) -> str:
    """The first changed place of the new text with some lines around it. Pure."""
    hunk = diff.hunks[0]
    lines = [line[1:] for line in hunk.lines if line[:1] != "-"]
    note = ""
    if len(lines) > _MAX_LINES:
        note = f"\n… [{len(lines) - _MAX_LINES} more lines of this change]"
        lines = lines[:_MAX_LINES]
    if len(diff.hunks) > 1:
        note += f"\n… [{len(diff.hunks) - 1} more places changed]"
    cut = [line if len(line) <= _MAX_COLUMNS else line[:_MAX_COLUMNS] + "…" for line in lines]
    return number_lines(cut, max(hunk.new_start, 1)) + note
