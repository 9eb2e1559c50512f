"""A long session file as real use makes it: tool loops, rewinds, compactions, progress lines."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_OUTPUT = "a line of output that a tool printed, as long as such lines are\n" * 6


def write_long_session(file: Path, session_id: str, cwd: str, lines: int, compact_each: int) -> int:
    """Write *lines* lines with a compaction after each *compact_each* of them (0: none); the size
    in bytes."""
    file.parent.mkdir(parents=True, exist_ok=True)
    base = {
        "isSidechain": False,
        "userType": "external",
        "entrypoint": "cli",
        "cwd": cwd,
        "sessionId": session_id,
        "version": "2.1.0",
        "gitBranch": "main",
    }
    with file.open("w") as out:
        for data in _entries(lines, compact_each):
            out.write(json.dumps(base | data, separators=(",", ":")) + "\n")
    return file.stat().st_size


def _entries(lines: int, compact_each: int) -> Iterator[dict[str, Any]]:
    leaf: str | None = None
    for number in range(lines):
        uuid = f"{number:08x}-0000-4000-8000-000000000000"
        entry: dict[str, Any] = {"parentUuid": leaf, "uuid": uuid}
        entry["timestamp"] = f"2026-11-{1 + number * 28 // lines:02}T12:00:00.000Z"
        if compact_each and number % compact_each < 2 and number > 1:
            yield entry | _compaction(number % compact_each, leaf)
            leaf = uuid
            continue
        match number % 8:
            case 0:
                yield entry | _user(f"prompt {number}: make the next part better")
            case 1 | 3 | 5:
                yield entry | _assistant(
                    number, {"type": "thinking", "thinking": "Let me see. " * 10}
                )
            case 2 | 6:
                block = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash"}
                yield entry | _assistant(number - 1, block | {"input": {"command": "npm test"}})
            case _:
                call = f"toolu_{number - 2 if number % 8 == 4 else number - 1}"
                result = {"type": "tool_result", "tool_use_id": call, "content": _OUTPUT}
                yield entry | _user([result])
        leaf = uuid


def _compaction(step: int, leaf: str | None) -> dict[str, Any]:
    if step == 0:
        metadata = {"trigger": "auto", "preTokens": 160_000, "postTokens": 6_000}
        boundary = {"type": "system", "subtype": "compact_boundary", "compactMetadata": metadata}
        return boundary | {"parentUuid": None, "logicalParentUuid": leaf, "content": "Compacted"}
    return _user("The conversation so far, in short: " + "it went well. " * 300) | {
        "isCompactSummary": True
    }


def _user(content: object) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}}


def _assistant(number: int, block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] == "thinking":
        block = block | {"signature": "c2lnbmF0dXJl" * 10}
    message = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": [block],
        "stop_reason": None,
        "usage": {"input_tokens": 10, "output_tokens": 100, "cache_read_input_tokens": 90_000},
    }
    return {"type": "assistant", "message": message, "requestId": f"req_{number}"}
