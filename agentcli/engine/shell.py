"""The person's own shell command (``!``): run as Bash runs one, but with nobody to ask."""

import asyncio
import time
from collections.abc import Callable

from agentcli.base.clock import elapsed_ms
from agentcli.engine.tool_call import ToolDeps
from agentcli.protocol.calls import ToolCall, ToolResult
from agentcli.protocol.errors import AgentCliError
from agentcli.protocol.events import ToolFinished, ToolProgress, ToolStarted
from agentcli.protocol.prompts import SHELL_CALL
from agentcli.session.entries import shell_input_draft, shell_output_draft
from agentcli.tools.registry import load_tool, parse_input

_KEPT = 20_000
_LONGEST_MS = 86_400_000
"""Lowered to the longest time that a command may take; the person can stop it sooner."""


async def run_shell(deps: ToolDeps, command: str, begins: Callable[[str], None]) -> None:
    """Run *command* and log it with its output; told as a call named ``!``. *begins* hears of its
    entry, and blocks.

    Raises only CancelledError, after the output so far is in the log.
    """
    entry = deps.log.append(shell_input_draft(command))
    call = ToolCall(entry.uuid, SHELL_CALL, {"command": command})
    deps.bus.emit(ToolStarted(call))
    began = time.monotonic()
    heard: list[str] = []

    def progress(text: str) -> None:
        heard.append(text)
        deps.bus.emit(ToolProgress(call.id, text))

    def finish(result: ToolResult) -> None:
        written = deps.log.append(shell_output_draft(result))
        deps.bus.emit(ToolFinished(call, result, written.uuid, elapsed_ms(began)))

    tool = load_tool("Bash")
    context = deps.context(call, progress)
    try:
        await asyncio.to_thread(begins, entry.uuid)
        given = {"command": command, "timeout": _LONGEST_MS}
        result = await tool.run(parse_input(tool, given), context)
    except asyncio.CancelledError:
        so_far = "".join(heard)[-_KEPT:]
        text = f"{so_far}\n[Interrupted by the user]".strip()
        finish(ToolResult(text, is_error=True, details={"stdout": so_far, "interrupted": True}))
        raise
    except AgentCliError as error:
        result = ToolResult(error.message, is_error=True)
    except Exception as error:  # a bug in the tool must not end the session
        result = ToolResult(f"The command failed: {type(error).__name__}: {error}", is_error=True)
    finish(result)
