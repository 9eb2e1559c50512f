"""What a call would change, as the person is shown it."""

from collections.abc import Callable
from pathlib import Path

from agentcli.protocol.asks import Preview
from agentcli.protocol.errors import ToolError
from agentcli.tools.diff import FileDiff


def diff_preview(shown: str, change: Callable[[], tuple[Path, FileDiff]]) -> Preview:
    """The diff of *change*, or as text why it cannot be made. Never raises."""
    try:
        target, diff = change()
    except ToolError as error:
        return Preview("text", path=shown, text=error.message)
    except Exception as error:  # shown to the person; the call itself then fails the same way
        return Preview("text", path=shown, text=str(error) or type(error).__name__)
    return Preview("diff", str(target), diff.hunks, added=diff.added, removed=diff.removed)
