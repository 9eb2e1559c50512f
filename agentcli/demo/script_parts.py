"""What the scenes share: live pacing, paths of the workspace, reading of results. Pure."""

import re
from collections.abc import Sequence
from importlib import resources
from typing import Any

from agentcli.demo.conversation import find_line
from agentcli.demo.reply import DoneCall, ModelRequest, Reply, text
from agentcli.protocol.blocks import Block

CHUNK = 12
SECONDS_PER_DELTA = 0.02

_NOT_RUN = re.compile(
    r"^not run\b|did not allow|not allowed|denied|declin|reject|refuse|doesn't want", re.IGNORECASE
)


def live(*blocks: Block, seconds_per_delta: float = SECONDS_PER_DELTA) -> Reply:
    """A reply at the speed of a model: 12 characters every 20 ms."""
    return Reply(list(blocks), chunk=CHUNK, seconds_per_delta=seconds_per_delta)


def say(words: str) -> Reply:
    """A reply of text only."""
    return live(text(words.strip()))


def in_workspace(request: ModelRequest, path: str) -> str:
    """Absolute where the request tells the working directory, else relative as it is."""
    cwd = workspace_of(request)
    return path if cwd == "." else f"{cwd.rstrip('/')}/{path}"


def workspace_of(request: ModelRequest) -> str:
    """The working directory that the request tells, else ``.``."""
    return find_line(request.body, "Working directory") or "."


def grep_lines(pattern: str, request: ModelRequest) -> dict[str, Any]:
    """The input of a Grep for the matching lines of the workspace."""
    return {"pattern": pattern, "path": workspace_of(request), "output_mode": "content"}


def find_call(calls: Sequence[DoneCall], name: str, ending: str = "") -> DoneCall | None:
    """The last call of that tool since the prompt whose ``file_path`` ends so, if any."""
    for call in reversed(calls):
        if call.name == name and str(call.input.get("file_path", "")).endswith(ending):
            return call
    return None


def was_not_allowed(call: DoneCall) -> bool:
    """True where a person or a rule kept the call from running."""
    return call.is_error and _NOT_RUN.search(call.output) is not None


def quoted_output(output: str, lines: int = 12) -> str:
    """The last lines of an output as a code block whose fence is longer than any in it."""
    tail = "\n".join(output.strip().splitlines()[-lines:]) or "(no output)"
    longest = max((len(run) for run in re.findall(r"`{3,}", tail)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{tail}\n{fence}"


def missing_tools(request: ModelRequest, *names: str) -> str | None:
    """A sentence about the tools that this scene needs and was not offered, None if all are."""
    missing = [name for name in names if name not in request.tools]
    if not missing:
        return None
    return f"This scene needs tools that I was not offered here: {', '.join(missing)}."


def load_text(name: str) -> str:
    """A text that is shipped beside the scripts."""
    return resources.files("agentcli.demo").joinpath("texts", name).read_text(encoding="utf-8")
