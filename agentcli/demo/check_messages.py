"""Checks of ``messages``: roles, order, blocks, and the pairing of calls and results. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from agentcli.demo.conversation import Merged, blocks_of, merge_messages
from agentcli.demo.models import ModelRules
from agentcli.demo.reply import ApiRefusal
from agentcli.protocol.blocks import Block

_MESSAGE_FIELDS = {"role", "content", "clear_at", "output_config", "tool_addition", "tool_removal"}
_CACHED = {"type", "cache_control"}
_BLOCK_FIELDS: dict[str, set[str]] = {
    "text": _CACHED | {"text", "citations"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
    "tool_use": _CACHED | {"id", "name", "input", "caller", "toolset_name"},
    "tool_result": _CACHED | {"tool_use_id", "content", "is_error", "toolset_name"},
    "image": _CACHED | {"source", "transformations"},
    "document": _CACHED | {"source", "title", "context", "citations"},
}
_REQUIRED: dict[str, tuple[str, type]] = {
    "text": ("text", str),
    "thinking": ("thinking", str),
    "redacted_thinking": ("data", str),
    "tool_use": ("input", dict),
    "tool_result": ("tool_use_id", str),
    "image": ("source", dict),
    "document": ("source", dict),
}
_ONLY_IN = {
    "tool_use": "assistant",
    "thinking": "assistant",
    "redacted_thinking": "assistant",
    "tool_result": "user",
    "image": "user",
    "document": "user",
}
_IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")


def check_messages(body: Mapping[str, Any], messages: Sequence[Any], rules: ModelRules) -> None:
    """Raises ``ApiRefusal`` for the first message that the API would refuse."""
    if not messages:
        raise ApiRefusal("messages: at least one message is required")
    if len(messages) > 100_000:
        raise ApiRefusal("messages: too many messages")
    for index, message in enumerate(messages):
        _check_message(f"messages.{index}", message)
    merged = merge_messages(messages)
    first = merged[0]
    opens_compacted = bool(first.blocks) and first.blocks[0].get("type") == "compaction"
    if first.role != "user" and not opens_compacted:
        raise ApiRefusal('messages: first message must use the "user" role')
    if merged[-1].role == "assistant" and not rules.allows_prefill:
        raise ApiRefusal(
            "This model does not support assistant message prefill. The conversation must end "
            "with a user message."
        )
    _check_pairing(merged)
    used = {block.get("type") for message in merged for block in message.blocks}
    if used & {"tool_use", "tool_result"} and not body.get("tools"):
        raise ApiRefusal(
            "Requests which include `tool_use` or `tool_result` blocks must define tools"
        )


def _check_message(where: str, message: Any) -> None:
    if not isinstance(message, dict):
        raise ApiRefusal(f"{where}: Input should be a valid dictionary or object")
    fields = cast("dict[str, Any]", message)
    role = fields.get("role")
    if role not in ("user", "assistant", "system"):
        raise ApiRefusal(f"{where}.role: Input should be 'user', 'assistant' or 'system'")
    for name in fields.keys() - _MESSAGE_FIELDS:
        raise ApiRefusal(f"{where}.{name}: Extra inputs are not permitted")
    content = fields.get("content")
    if not isinstance(content, str | list):
        raise ApiRefusal(f"{where}.content: Field required")
    if not content:
        raise ApiRefusal(
            f"{where}: all messages must have non-empty content except for the optional final "
            "assistant message"
        )
    if isinstance(content, list):
        _check_items(f"{where}.content", cast("list[Any]", content))
    blocks = blocks_of(cast("Any", content))
    for position, block in enumerate(blocks):
        _check_block(f"{where}.content.{position}", str(role), block)
    if role == "assistant" and blocks[-1].get("type") in {"thinking", "redacted_thinking"}:
        raise ApiRefusal(f"{where}: The final block in an assistant message cannot be `thinking`.")


def _check_items(where: str, items: Sequence[Any]) -> None:
    for position, item in enumerate(items):
        if not isinstance(item, dict) or not isinstance(
            cast("dict[str, Any]", item).get("type"), str
        ):
            raise ApiRefusal(f"{where}.{position}.type: Field required")


def _check_block(where: str, role: str, block: Block) -> None:
    kind = str(block["type"])
    fields = _BLOCK_FIELDS.get(kind)
    if fields is None:
        # Server tools, compaction and newer kinds: taken as they are.
        return
    if role != _ONLY_IN.get(kind, role) or (role == "system" and kind != "text"):
        allowed = _ONLY_IN.get(kind, "user")
        raise ApiRefusal(f"{where}: `{kind}` blocks can only be in `{allowed}` messages")
    for name in block.keys() - fields:
        raise ApiRefusal(f"{where}.{kind}.{name}: Extra inputs are not permitted")
    name, type_ = _REQUIRED[kind]
    if not isinstance(block.get(name), type_):
        raise ApiRefusal(f"{where}.{kind}.{name}: Field required")
    match kind:
        case "text":
            _check_text(where, role, block)
        case "thinking" if not isinstance(block.get("signature"), str):
            raise ApiRefusal(f"{where}.thinking.signature: Field required")
        case "tool_use":
            _check_strings(where, block, "id", "name")
        case "tool_result":
            _check_result(where, block)
        case "image":
            _check_image(where, block["source"])
        case _:
            pass


def _check_text(where: str, role: str, block: Block) -> None:
    if not block["text"]:
        raise ApiRefusal("messages: text content blocks must be non-empty")
    if not block["text"].strip():
        raise ApiRefusal("messages: text content blocks must contain non-whitespace text")
    if role == "user" and block.get("citations"):
        raise ApiRefusal(f"{where}.text.citations: not permitted in a user message")


def _check_strings(where: str, block: Block, *names: str) -> None:
    for name in names:
        if not isinstance(block.get(name), str) or not block[name]:
            raise ApiRefusal(f"{where}.{block['type']}.{name}: Field required")


def _check_result(where: str, block: Block) -> None:
    content = block.get("content", "")
    if not isinstance(content, str | list):
        raise ApiRefusal(f"{where}.tool_result.content: Input should be a valid string or list")
    if isinstance(content, str):
        return
    _check_items(f"{where}.tool_result.content", cast("list[Any]", content))
    for position, inner in enumerate(blocks_of(cast("Any", content))):
        _check_block(f"{where}.tool_result.content.{position}", "user", inner)


def _check_image(where: str, source: Mapping[str, Any]) -> None:
    if source.get("type") == "base64" and source.get("media_type") not in _IMAGES:
        raise ApiRefusal(f"{where}.image.source.media_type: Input should be an image type")


def _check_pairing(merged: Sequence[Merged]) -> None:
    seen: set[str] = set()
    for index, message in enumerate(merged):
        before = merged[index - 1] if index else Merged("user")
        open_ids = _ids(before, "tool_use", "id") if before.role == "assistant" else []
        if message.role != "user":
            if open_ids:
                raise ApiRefusal(_unanswered(message, open_ids))
        else:
            _check_results(message, open_ids)
        ids = _ids(message, "tool_use", "id")
        if len(set(ids)) != len(ids) or seen & set(ids):
            raise ApiRefusal("messages: `tool_use` ids must be unique")
        seen.update(ids)
    last = merged[-1]
    left = _ids(last, "tool_use", "id")
    if left:
        raise ApiRefusal(_unanswered(last, left))


def _check_results(message: Merged, open_ids: Sequence[str]) -> None:
    answered: set[str] = set()
    other_seen = False
    for block, place in zip(message.blocks, message.places, strict=True):
        if block.get("type") != "tool_result":
            other_seen = True
            continue
        result_id = str(block["tool_use_id"])
        if result_id not in open_ids:
            raise ApiRefusal(
                f"{place}: unexpected `tool_use_id` found in `tool_result` blocks: {result_id}. "
                "Each `tool_result` block must have a corresponding `tool_use` block in the "
                "previous message."
            )
        if result_id in answered:
            raise ApiRefusal(
                f"{place}: each tool_use must have a single result. Found multiple `tool_result` "
                f"blocks with id: {result_id}"
            )
        # Results behind other content do not count as answers, as the API has it.
        if not other_seen:
            answered.add(result_id)
    missing = [open_id for open_id in open_ids if open_id not in answered]
    if missing:
        raise ApiRefusal(_unanswered(message, missing))


def _ids(message: Merged, kind: str, field: str) -> list[str]:
    return [str(block[field]) for block in message.blocks if block.get("type") == kind]


def _unanswered(message: Merged, ids: Sequence[str]) -> str:
    return (
        f"messages.{message.index}: `tool_use` ids were found without `tool_result` blocks "
        f"immediately after: {', '.join(ids)}. Each `tool_use` block must have a corresponding "
        "`tool_result` block in the next message."
    )
