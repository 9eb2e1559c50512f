"""From prompt to prompt: what the person said is the table of contents of a conversation."""

from agentcli.frontends.tui.transcript.layout import Layout
from agentcli.frontends.tui.transcript.viewport import Viewport


def jump_prompt(lines: Layout, port: Viewport, direction: int) -> bool:
    """Put the previous (-1) or next (1) prompt that moves the window at its top; False if there is
    none. Upwards, the first line comes after the first prompt."""
    before = lines.spot(port.line)
    here = lines.total if port.follow and direction < 0 else port.line
    while (found := lines.prompt_beside(here, direction)) is not None:
        port.reveal((found, found.gap), 0)
        if lines.spot(port.line) != before:
            return True
        # near the end no prompt can be brought to the top, and a key that does nothing is broken
        here = lines.top(found) + found.gap
    if direction < 0:
        port.go_home()
    return direction < 0
