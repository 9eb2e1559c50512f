"""A compaction in the session file: the boundary that the conversation begins anew with, and the
summary of what was before, as the public readers of the format know them."""

from typing import Any, Literal

from agentcli.base.values import as_dict
from agentcli.protocol.events import Compacted, CompactTrigger
from agentcli.session.entries import Entry, EntryDraft

Side = Literal["all", "up_to", "from"]
SUMMARY_TAG = "conversation-summary"
_OPEN, _CLOSE = f"<{SUMMARY_TAG}>", f"</{SUMMARY_TAG}>"


def boundary_draft(facts: Compacted, duration_ms: int) -> EntryDraft:
    """The root of the shortened conversation. Pure."""
    fields = {
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "level": "info",
        "compactMetadata": _metadata(facts, duration_ms),
    }
    return EntryDraft("system", fields, root=True)


def summary_draft(facts: Compacted, after: str, duration_ms: int) -> EntryDraft:
    """The summary as the model reads it, with the words *after* behind it. Pure.

    One that stands for the end of the conversation has no boundary and holds the figures itself.
    """
    fields: dict[str, Any] = {
        "message": {"role": "user", "content": f"{_OPEN}\n{facts.summary}\n{_CLOSE}\n\n{after}"},
        "isCompactSummary": True,
        "isVisibleInTranscriptOnly": True,
    }
    if facts.side == "from":
        fields["compactMetadata"] = _metadata(facts, duration_ms)
    return EntryDraft("user", fields)


def is_boundary(entry: Entry) -> bool:
    """True for the root that a compaction made."""
    return entry.type == "system" and entry.data.get("subtype") == "compact_boundary"


def is_summary(entry: Entry) -> bool:
    """True for a summary that stands for a part of the conversation."""
    return entry.type == "user" and entry.data.get("isCompactSummary") is True


def summary_text(entry: Entry) -> str:
    """The words of a summary without what we put around them; all of a foreign one. Pure."""
    text = "\n".join(str(block.get("text", "")) for block in entry.blocks)
    start, end = text.find(_OPEN), text.rfind(_CLOSE)
    inner = text[start + len(_OPEN) : end] if 0 <= start < end else text
    return inner.strip()


def tokens_after(entry: Entry) -> int:
    """The estimate of the context that a boundary or summary carries; 0 for none. Pure."""
    return _count(as_dict(entry.data.get("compactMetadata")).get("postTokens"))


def compacted(entry: Entry, boundary: Entry | None) -> Compacted:
    """The event of the summary *entry*; *boundary* is the one right before it. Pure."""
    holder = boundary if boundary is not None else entry
    facts = as_dict(holder.data.get("compactMetadata"))
    trigger: CompactTrigger = "auto" if facts.get("trigger") == "auto" else "manual"
    side: Side = "from" if boundary is None else "up_to" if facts.get("side") == "up_to" else "all"
    pre, post = _count(facts.get("preTokens")), _count(facts.get("postTokens"))
    return Compacted(trigger, pre, post, summary_text(entry), side)


def _metadata(facts: Compacted, duration_ms: int) -> dict[str, Any]:
    metadata: dict[str, Any] = {
        "trigger": facts.trigger,
        "preTokens": facts.pre_tokens,
        "postTokens": facts.post_tokens,
        "durationMs": duration_ms,
    }
    return metadata if facts.side == "all" else {**metadata, "side": facts.side}


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
