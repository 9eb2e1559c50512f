"""Hand-made session entries for tests."""

from typing import Any

from agentcli.session.entries import Entry


def prompt(uuid: str, parent: str | None, text: str = "", **more: Any) -> Entry:
    message = {"role": "user", "content": text or f"prompt {uuid}"}
    return Entry({"type": "user", "uuid": uuid, "parentUuid": parent, "message": message, **more})


def said(
    uuid: str, parent: str | None, message_id: str, block: dict[str, Any] | str, model: str = "m"
) -> Entry:
    content = {"type": "text", "text": block} if isinstance(block, str) else block
    message = {"id": message_id, "role": "assistant", "model": model, "content": [content]}
    return Entry({"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": message})


def call(uuid: str, parent: str | None, message_id: str, call_id: str) -> Entry:
    block = {"type": "tool_use", "id": call_id, "name": "Read", "input": {"file_path": "a"}}
    return said(uuid, parent, message_id, block)


def result(uuid: str, parent: str | None, call_id: str, text: str = "ok") -> Entry:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": text}
    message = {"role": "user", "content": [block]}
    return Entry({"type": "user", "uuid": uuid, "parentUuid": parent, "message": message})


def marker(leaf: str | None, **more: Any) -> Entry:
    return Entry({"type": "last-prompt", "leafUuid": leaf, **more})


def uuids(path: list[Entry]) -> str:
    return " ".join(entry.uuid for entry in path)
