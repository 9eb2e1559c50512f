"""A tool call as the engine makes it, without the engine."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentcli.protocol.blocks import content_text
from agentcli.protocol.calls import ToolResult
from agentcli.protocol.errors import ToolError
from agentcli.tools.base import ToolContext
from agentcli.tools.file_state import FileState
from agentcli.tools.registry import load_tool, parse_input


@dataclass
class Bench:
    """One session's worth of tool context in ``root``."""

    root: Path
    env: dict[str, str] = field(default_factory=lambda: dict(os.environ))
    progress: list[str] = field(default_factory=list[str])
    hidden: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        self.calls = 0
        self.ctx = ToolContext(
            cwd=self.root,
            roots=(self.root,),
            call_id="call",
            files=FileState(),
            spill_dir=self.root.parent / f"{self.root.name}-spill",
            set_cwd=self._set_cwd,
            progress=self.progress.append,
            may_read=lambda path: path.name not in self.hidden,
            env=self.env,
        )

    def _set_cwd(self, path: Path) -> None:
        self.ctx.cwd = path

    async def run(self, name: str, /, **raw: Any) -> ToolResult:
        """The result; raises ``ToolError``."""
        self.calls += 1
        self.ctx.call_id = f"call_{self.calls}"
        tool = load_tool(name)
        return await tool.run(parse_input(tool, raw), self.ctx)

    async def text(self, name: str, /, **raw: Any) -> str:
        """The text of a result that is no error."""
        result = await self.run(name, **raw)
        assert not result.is_error, content_text(result.content)
        return content_text(result.content)

    async def fails(self, name: str, /, **raw: Any) -> str:
        """The message of a call that must fail."""
        try:
            result = await self.run(name, **raw)
        except ToolError as error:
            return error.message
        assert result.is_error, f"no error: {content_text(result.content)}"
        return content_text(result.content)
