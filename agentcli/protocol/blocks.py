"""Content blocks of the Messages API, kept as plain dicts so unknown kinds and signatures survive.

Source of the shapes: the public Messages API reference (``text``, ``thinking``,
``redacted_thinking``, ``tool_use``, ``tool_result``, ``image``, ``document`` …).
"""

from collections.abc import Iterable
from typing import Any

Block = dict[str, Any]


def text_block(text: str) -> Block:
    """A ``text`` block; the caller makes sure that *text* is not empty, which the API refuses."""
    return {"type": "text", "text": text}


def tool_result_block(tool_use_id: str, content: str | list[Block], is_error: bool) -> Block:
    """A ``tool_result`` block; ``is_error`` is written only when true. Pure."""
    block: Block = {"tool_use_id": tool_use_id, "type": "tool_result", "content": content}
    if is_error:
        block["is_error"] = True
    return block


def text_of(blocks: Iterable[Block]) -> str:
    """The text blocks joined by nothing, other kinds left out. Pure."""
    return "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")


def content_text(content: str | list[Block]) -> str:
    """Text of a ``tool_result`` content, which is a string or a list of blocks. Pure."""
    return content if isinstance(content, str) else text_of(content)


def tool_uses(blocks: Iterable[Block]) -> list[Block]:
    """The ``tool_use`` blocks in their order. Pure."""
    return [block for block in blocks if block.get("type") == "tool_use"]
