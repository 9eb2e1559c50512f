"""Which logged blocks the API takes: a session file may come from anywhere and be damaged. Pure."""

from typing import Any

from agentcli.base.values import as_dict, as_list
from agentcli.protocol.blocks import Block

THINKING = ("thinking", "redacted_thinking")


def sendable(block: Block) -> Block | None:
    """*block* itself where it is whole, a tool result without the parts that are not, else None.

    Kinds that are not known here are taken as they are.
    """
    match block.get("type"):
        case "text":
            return block if _has_text(block, "text") else None
        case "thinking":
            signed = isinstance(block.get("thinking"), str) and _has_text(block, "signature")
            return block if signed else None
        case "redacted_thinking":
            return block if _has_text(block, "data") else None
        case "tool_use":
            return block if is_call(block) else None
        case "tool_result":
            return _result(block) if _has_text(block, "tool_use_id") else None
        case "image" | "document":
            return block if as_dict(block.get("source")) else None
        case str(kind):
            return block if kind else None
        case _:
            return None


def is_call(block: Block) -> bool:
    """True for a ``tool_use`` with all its parts."""
    named = _has_text(block, "id") and _has_text(block, "name")
    return block.get("type") == "tool_use" and named and isinstance(block.get("input"), dict)


def _result(block: Block) -> Block:
    content: Any = block.get("content", "")
    if isinstance(content, str):
        return block
    parts = [sendable(as_dict(part)) for part in as_list(content)]
    kept = [part for part in parts if part is not None and part["type"] != "tool_use"]
    return block if kept == content else {**block, "content": kept}


def _has_text(block: Block, name: str) -> bool:
    value = block.get(name)
    return isinstance(value, str) and bool(value.strip())
