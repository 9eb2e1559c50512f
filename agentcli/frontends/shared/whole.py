"""A compacted conversation with all that was said before, as a person remembers it. Pure."""

from collections.abc import Sequence

from agentcli.base.values import as_dict
from agentcli.session.compact_entries import is_boundary, is_summary
from agentcli.session.entries import Entry
from agentcli.session.tree import conversation_at


def is_shortened(path: Sequence[Entry]) -> bool:
    """Does a compaction stand for the beginning of the conversation *path*?"""
    return bool(path) and is_boundary(path[0])


def whole_conversation(entries: Sequence[Entry], path: Sequence[Entry]) -> list[Entry]:
    """*path* (root first) with what its compactions stand for before each of them, as far as
    *entries*, those of the session file, know it. Never raises."""
    story, roots = list(path), set[str]()
    while is_shortened(story) and story[0].uuid not in roots:
        roots.add(story[0].uuid)
        end = story[0].data.get("logicalParentUuid")
        before = conversation_at(entries, end) if isinstance(end, str) else []
        story = [*_without_kept(before, story), *story]
    return story


def _without_kept(before: list[Entry], story: Sequence[Entry]) -> list[Entry]:
    """*before* without its end where that was kept word by word: it stands again in *story*."""
    if as_dict(story[0].data.get("compactMetadata")).get("side") != "up_to":
        return before
    kept = next((entry for entry in story if _is_said(entry)), None)
    if kept is None:
        return before
    for index in range(len(before) - 1, -1, -1):
        if before[index].type == kept.type and before[index].message == kept.message:
            return before[:index]
    return before


def _is_said(entry: Entry) -> bool:
    return entry.type in ("user", "assistant") and not entry.is_meta and not is_summary(entry)
