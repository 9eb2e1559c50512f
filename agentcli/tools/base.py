"""What a tool is, and the small ports it gets to work with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import msgspec

from agentcli.protocol.asks import Preview
from agentcli.protocol.calls import ToolResult
from agentcli.tools.file_state import FileState


def _keep_nothing(path: Path, data: bytes) -> None:
    """Without checkpoints nobody wants to know."""


@dataclass(slots=True)
class ToolContext:
    """Everything a tool may touch besides the file system.

    ``cwd`` is the shell's directory now; ``roots`` are the working directories (the first is
    where the session began). ``progress`` takes the newest output lines of a long call.
    ``may_read`` says whether a path found by a search may be shown to the model.
    ``spill_dir`` receives output that is too long for the conversation; it may not exist yet.
    ``before_write`` is told, in the thread that writes, of a real file and of the bytes that are
    about to be written to it; it never raises and may block for the time of a write.
    ``target`` is the resolved file that was approved, ``identity`` its device and inode (0, 0: it
    is new, or a folder); ``instead`` is what Bash runs in place of
    its command; ``guarded``: in an environment that nothing of the project can act through.
    """

    cwd: Path
    roots: tuple[Path, ...]
    call_id: str
    files: FileState
    spill_dir: Path
    set_cwd: Callable[[Path], None]
    progress: Callable[[str], None]
    may_read: Callable[[Path], bool]
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    before_write: Callable[[Path, bytes], None] = _keep_nothing
    target: Path | None = None
    identity: tuple[int, int] = (0, 0)
    instead: str | None = None
    guarded: bool = False


class Tool(Protocol):
    """One tool. Instances hold no state of a call and are shared by all calls."""

    name: str
    input_type: type[msgspec.Struct]
    read_only: bool
    """True: may run beside other read-only calls of the same message."""

    def description(self) -> str:
        """The text that the model reads. Byte-stable."""
        ...

    async def run(self, args: Any, ctx: ToolContext) -> ToolResult:
        """Do it. ``args`` is an instance of ``input_type``. Raises ``ToolError`` for failures
        that the model should read; anything else it raises is turned into an error result too.
        Cancel-safe: a cancelled call leaves no process behind."""
        ...

    def preview(self, args: Any, ctx: ToolContext) -> Preview | None:
        """What the call would change, for the question to the person. Never raises; None where
        the input itself says it all (Bash)."""
        ...
