"""Entries of a session file and the drafts they are made from.

An entry is the JSON object of one line, kept whole, so that unknown fields and kinds survive.
The shapes are those that the public readers of this format expect (``user``, ``assistant``,
``system``, ``attachment`` … with ``uuid``/``parentUuid``).
"""

from dataclasses import dataclass, field
from typing import Any, cast

from agentcli.protocol.blocks import Block, content_text, tool_result_block
from agentcli.protocol.calls import ToolResult
from agentcli.protocol.ids import new_uuid
from agentcli.protocol.payload import Usage

TREE_TYPES = frozenset({"user", "assistant", "system", "attachment", "progress"})
FILE_KIND = "file"
FOLDER_KIND = "directory"
MENTION_KINDS = (FILE_KIND, FOLDER_KIND)
"""Kinds of attachments that hold what a prompt mentions."""
INTERRUPT_TEXT = "[Request interrupted by user]"
INTERRUPT_TOOL_TEXT = "[Request interrupted by user for tool use]"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line. ``data`` is never changed after it was written."""

    data: dict[str, Any]

    @property
    def type(self) -> str:
        return str(self.data.get("type", ""))

    @property
    def uuid(self) -> str:
        """Empty for entries outside the tree (titles, modes, markers)."""
        uuid = self.data.get("uuid")
        return uuid if isinstance(uuid, str) else ""

    @property
    def parent_uuid(self) -> str | None:
        parent = self.data.get("parentUuid")
        return parent if isinstance(parent, str) else None

    @property
    def message(self) -> dict[str, Any]:
        """The API message of a user or assistant entry, else an empty dict."""
        message = self.data.get("message")
        return cast("dict[str, Any]", message) if isinstance(message, dict) else {}

    @property
    def blocks(self) -> list[Block]:
        """Content as blocks; a string content is one text block."""
        content: Any = self.message.get("content")
        if isinstance(content, str):
            return [{"type": "text", "text": content}]
        if not isinstance(content, list):
            return []
        return [cast("Block", b) for b in cast("list[Any]", content) if isinstance(b, dict)]

    @property
    def is_tree(self) -> bool:
        return self.type in TREE_TYPES and bool(self.uuid)

    @property
    def is_meta(self) -> bool:
        return self.data.get("isMeta") is True

    @property
    def is_sidechain(self) -> bool:
        return self.data.get("isSidechain") is True

    @property
    def tool_result(self) -> Block | None:
        """The ``tool_result`` block of a result entry, else None."""
        if self.type != "user":
            return None
        return next((b for b in self.blocks if b.get("type") == "tool_result"), None)


@dataclass(frozen=True, slots=True)
class EntryDraft:
    """What the writer gives; the log adds ids, parent, time and place.

    ``parent`` overrides the parent (a tool result hangs under its own call), ``parent_at`` names
    it by its index among drafts that are written together; a ``root`` has none: the conversation
    begins anew with it, and ``logicalParentUuid`` names the end of the old one.
    """

    type: str
    fields: dict[str, Any] = field(default_factory=dict[str, Any])
    parent: str | None = None
    parent_at: int | None = None
    root: bool = False


def user_draft(content: str | list[Block], *, mode: str | None = None) -> EntryDraft:
    """A prompt as it was typed: a string stays a string. Pure."""
    fields: dict[str, Any] = {"message": {"role": "user", "content": content}}
    if mode is not None:
        fields["permissionMode"] = mode
    return EntryDraft("user", fields)


def meta_draft(text: str) -> EntryDraft:
    """A note from the program to the model: sent, but not shown as a prompt. Pure."""
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    return EntryDraft("user", {"message": message, "isMeta": True})


def interrupt_draft(text: str) -> EntryDraft:
    """The marker that the person stopped the turn (text known to the public readers). Pure."""
    return EntryDraft(
        "user", {"message": {"role": "user", "content": [{"type": "text", "text": text}]}}
    )


def shell_input_draft(command: str) -> EntryDraft:
    """A shell command that the person ran, as the public readers know it. Pure."""
    message = {"role": "user", "content": f"<bash-input>{command}</bash-input>"}
    return EntryDraft("user", {"message": message})


def shell_output_draft(result: ToolResult) -> EntryDraft:
    """What that command printed; both streams came merged. Pure."""
    text = content_text(result.content)
    message = {
        "role": "user",
        "content": f"<bash-stdout>{text}</bash-stdout><bash-stderr></bash-stderr>",
    }
    facts = {key: value for key, value in result.details.items() if key != "stdout"}
    return EntryDraft(
        "user", {"message": message, "shellResult": {**facts, "isError": result.is_error}}
    )


def attachment_draft(kind: str, **values: Any) -> EntryDraft:
    """Something we add to the conversation: memory, environment, prefix marks. Pure."""
    return EntryDraft("attachment", {"attachment": {"type": kind, **values}})


def assistant_draft(
    *,
    message_id: str,
    model: str,
    block: Block,
    stop_reason: str | None,
    usage: Usage,
    request_id: str | None,
) -> EntryDraft:
    """One finished block of a response. Pure; null usage figures are left out, since a public
    token counter refuses lines that hold them."""
    message: dict[str, Any] = {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [block],
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {key: value for key, value in usage.items() if value is not None},
    }
    fields: dict[str, Any] = {"message": message}
    if request_id:
        fields["requestId"] = request_id
    return EntryDraft("assistant", fields)


def error_draft(text: str) -> EntryDraft:
    """A local note that a request failed: shown on resume, never sent. Pure but for the new id,
    without which readers would take all errors of a session for one response."""
    usage = {"input_tokens": 0, "output_tokens": 0}
    draft = assistant_draft(
        message_id=f"msg_{new_uuid()}",
        model="<synthetic>",
        block={"type": "text", "text": text},
        stop_reason="stop_sequence",
        usage=usage,
        request_id=None,
    )
    return EntryDraft("assistant", {**draft.fields, "isApiErrorMessage": True})


def result_draft(tool_use_id: str, call_entry: str | None, result: ToolResult) -> EntryDraft:
    """The result of one call, hung under the entry of that call. Pure."""
    block = tool_result_block(tool_use_id, result.content, result.is_error)
    fields: dict[str, Any] = {"message": {"role": "user", "content": [block]}}
    if result.details:
        fields["toolUseResult"] = result.details
    elif result.is_error and isinstance(result.content, str):
        fields["toolUseResult"] = f"Error: {result.content}"
    if result.outcome != "ran":
        fields["callOutcome"] = result.outcome
    if call_entry is not None:
        fields["sourceToolAssistantUUID"] = call_entry
    return EntryDraft("user", fields, parent=call_entry)
