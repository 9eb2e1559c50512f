"""Which logged blocks the API takes: a session file may come from anywhere and be damaged. Pure."""

from typing import Any

from agentcli.base.values import as_dict, as_list
from agentcli.protocol.blocks import Block, text_block

THINKING = ("thinking", "redacted_thinking")
_MEDIA = ("image", "document")
_LONGEST = 200_000
"""Characters of one tool result. Our tools stay far below; sessions of others may not, and one
output must not fill the window."""


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


def has_media(block: Block) -> bool:
    """True for an image or document, and for a result that holds one."""
    if block.get("type") in _MEDIA:
        return True
    inner = as_list(block.get("content")) if block.get("type") == "tool_result" else []
    return any(as_dict(part).get("type") in _MEDIA for part in inner)


def without_media(block: Block) -> Block:
    """*block* with words in the place of images and documents."""
    if block.get("type") in _MEDIA:
        return text_block(f"[Left out: the model could not process this {block['type']}.]")
    if not has_media(block):
        return block
    parts = [without_media(as_dict(part)) for part in as_list(block["content"])]
    return {**block, "content": parts}


def is_call(block: Block) -> bool:
    """True for a ``tool_use`` with all its parts."""
    named = _has_text(block, "id") and _has_text(block, "name")
    return block.get("type") == "tool_use" and named and isinstance(block.get("input"), dict)


def _result(block: Block) -> Block:
    content: Any = block.get("content", "")
    if isinstance(content, str):
        return block if len(content) <= _LONGEST else {**block, "content": _clip(content)}
    parts = [sendable(as_dict(part)) for part in as_list(content)]
    kept = [_clipped(part) for part in parts if part is not None and part["type"] != "tool_use"]
    return block if kept == content else {**block, "content": kept}


def _clipped(part: Block) -> Block:
    text = part.get("text")
    long = isinstance(text, str) and len(text) > _LONGEST
    return {**part, "text": _clip(str(text))} if long else part


def _clip(text: str) -> str:
    half = _LONGEST // 2
    left = len(text) - 2 * half
    return f"{text[:half]}\n[… {left} characters left out …]\n{text[-half:]}"


def _has_text(block: Block, name: str) -> bool:
    value = block.get(name)
    return isinstance(value, str) and bool(value.strip())
