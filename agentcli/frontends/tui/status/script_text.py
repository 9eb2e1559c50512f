"""What a status script printed, as lines of the screen: colours stay, all else is taken out."""

import re
from collections.abc import Sequence

from rich.style import Style
from textual.strip import Strip

from agentcli.base.text import clean_surrogates, strip_controls
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.rows import Run, fit, make_row

_COLOUR = re.compile(r"(\x1b\[[0-9;]{0,60}m)")
_LONGEST_LINE = 2000
_MOST_LINES = 20


def script_strips(
    output: str, padding: int, width: int, look: Look, failed: bool = False
) -> list[Strip]:
    """One strip for each line that is not empty, *width* cells wide. Never raises.

    *failed*: *output* are the words for a failure, not what the script printed.
    """
    indent = " " * max(0, min(padding + 1, width))
    if failed:
        words = fit(strip_controls(output).replace("\n", " "), max(0, width - len(indent)))
        lines: Sequence[list[Run]] = [[(words, look.dim)]]
    else:
        lines = [runs for runs in _coloured_lines(output, look) if _says_something(runs)]
    strips = [make_row([(indent, look.text), *runs]).strip for runs in lines]
    return [strip.crop(0, width).adjust_cell_length(width, look.text) for strip in strips]


def keep_colours(text: str) -> str:
    """*text* with no escape sequence but colours and other looks (SGR), no control but newline
    and tab. Pure."""
    parts = _COLOUR.split(clean_surrogates(text.replace("\r\n", "\n")))
    return "".join(part if at % 2 else strip_controls(part) for at, part in enumerate(parts))


def _coloured_lines(output: str, look: Look) -> list[list[Run]]:
    from rich.ansi import AnsiDecoder

    decoder = AnsiDecoder()  # a colour goes on in the next line, as in a terminal
    lines: list[list[Run]] = []
    for line in keep_colours(output).split("\n")[:_MOST_LINES]:
        text = decoder.decode_line(line[:_LONGEST_LINE].expandtabs(4))
        plain, runs, at = text.plain, list[Run](), 0
        for span in text.spans:
            runs.append((plain[at : span.start], look.dim))
            style = span.style if isinstance(span.style, Style) else Style()
            runs.append((plain[span.start : span.end], look.dim + style))
            at = span.end
        lines.append([*runs, (plain[at:], look.dim)])
    return lines


def _says_something(runs: Sequence[Run]) -> bool:
    return any(text.strip() for text, _ in runs)
