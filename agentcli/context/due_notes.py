"""What must be told to the model before it goes on: facts, frozen prefix, plan mode. Pure."""

from collections.abc import Mapping
from typing import Any

from agentcli.context.marks import PREFIX_KIND
from agentcli.context.notes import ENVIRONMENT_KIND, MODE_KIND, PLAN_OFF, PLAN_ON
from agentcli.context.payload import PromptFrame
from agentcli.context.system import prefix_hash
from agentcli.protocol.modes import PermissionMode
from agentcli.session.entries import EntryDraft, attachment_draft


def due_notes(
    last: Mapping[str, dict[str, Any]], frame: PromptFrame, environment: str, mode: PermissionMode
) -> list[EntryDraft]:
    """Drafts of the notes that differ from *last*, those that the conversation holds by kind."""
    drafts: list[EntryDraft] = []
    digest = prefix_hash(frame.system, frame.tools)
    if last.get(PREFIX_KIND, {}).get("hash") != digest:
        drafts.append(attachment_draft(PREFIX_KIND, hash=digest))
    if last.get(ENVIRONMENT_KIND, {}).get("content") != environment:
        drafts.append(attachment_draft(ENVIRONMENT_KIND, content=environment))
    planned = last.get(MODE_KIND, {}).get("content") == PLAN_ON
    if planned != (mode == "plan"):
        note = PLAN_ON if mode == "plan" else PLAN_OFF
        drafts.append(attachment_draft(MODE_KIND, content=note))
    return drafts
