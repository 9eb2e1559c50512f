"""The tree in a session file: which entry is the end of the conversation, and the way to it. Pure.

Rules: parents are followed to the root with a visited set; a parent that does not exist is
replaced by the tree entry that stands before in the file; results of parallel calls hang beside
the path and are put back after their response.
"""

from collections.abc import Sequence
from itertools import chain

from agentcli.session.entries import Entry


def conversation(entries: Sequence[Entry]) -> list[Entry]:
    """The current conversation, root first, parallel results included. Never raises."""
    tree = [entry for entry in entries if entry.is_tree and not entry.is_sidechain]
    leaf = find_leaf(entries, tree)
    if leaf is None:
        return []
    return _with_siblings(tree, walk(tree, leaf))


def conversation_at(entries: Sequence[Entry], leaf: str) -> list[Entry]:
    """The conversation that ends at the entry *leaf*; empty where there is none. Never raises."""
    tree = [entry for entry in entries if entry.is_tree and not entry.is_sidechain]
    end = next((entry for entry in tree if entry.uuid == leaf), None)
    return _with_siblings(tree, walk(tree, end)) if end is not None else []


def walk(tree: Sequence[Entry], leaf: Entry) -> list[Entry]:
    """From the root to *leaf* by ``parentUuid``. Cycles end it, phantom parents are bridged."""
    position = {entry.uuid: index for index, entry in enumerate(tree)}
    path: list[Entry] = []
    seen: set[str] = set()
    current: Entry | None = leaf
    while current is not None and current.uuid not in seen:
        seen.add(current.uuid)
        path.append(current)
        parent = current.parent_uuid
        if parent is None:
            break
        index = position.get(parent)
        if index is None:
            index = position[current.uuid] - 1
        current = tree[index] if index >= 0 else None
    path.reverse()
    return path


def parent_of_next(path: Sequence[Entry], written: Sequence[Entry] = ()) -> str | None:
    """What the next entry hangs under, behind *path* and what was *written* since: the last entry,
    but behind the results of parallel calls, which come in any order, the result of the last call.
    So the way to the root passes all calls; a public reader drops those beside it. Pure."""
    leaf: str | None = None
    results: dict[str | None, str] = {}
    for entry in chain(reversed(written), reversed(path)):
        leaf = leaf or entry.uuid
        if entry.tool_result is None:
            return results.get(entry.uuid, leaf)
        results.setdefault(entry.parent_uuid, entry.uuid)
    return leaf


def find_leaf(entries: Sequence[Entry], tree: Sequence[Entry]) -> Entry | None:
    """The end of the conversation: the newest ``last-prompt`` marker unless main entries follow
    it in the file, else the latest end of a branch in file order. None: empty or cleared."""
    marker_at, marker = -1, None
    for index, entry in enumerate(entries):
        if entry.type == "last-prompt" and "leafUuid" in entry.data:
            marker_at, marker = index, entry
    by_uuid = {entry.uuid: entry for entry in tree}
    if marker is not None:
        later = any(is_main(entry) for entry in entries[marker_at + 1 :])
        target = marker.data["leafUuid"]
        if not later and target is None and marker.data.get("explicit"):
            return None
        if not later and isinstance(target, str) and target in by_uuid:
            return by_uuid[target]
    return _latest_end(tree, by_uuid)


def _latest_end(tree: Sequence[Entry], by_uuid: dict[str, Entry]) -> Entry | None:
    named = {entry.parent_uuid for entry in tree}
    position = {entry.uuid: index for index, entry in enumerate(tree)}
    best: Entry | None = None
    for entry in tree:
        if entry.uuid in named:
            continue
        end = _main_ancestor(entry, by_uuid)
        if end is not None and (best is None or position[end.uuid] > position[best.uuid]):
            best = end
    if best is None:  # only cycles: no entry is without a child
        best = next((entry for entry in reversed(tree) if is_main(entry)), None)
    return best


def _main_ancestor(entry: Entry, by_uuid: dict[str, Entry]) -> Entry | None:
    seen: set[str] = set()
    current: Entry | None = entry
    while current is not None and current.uuid not in seen:
        if is_main(current):
            return current
        seen.add(current.uuid)
        current = by_uuid.get(current.parent_uuid or "")
    return None


def is_main(entry: Entry) -> bool:
    """True for what can be the end of a conversation: a prompt, a result, words of the model."""
    return (
        entry.type in ("user", "assistant")
        and bool(entry.uuid)
        and not entry.is_sidechain
        and not entry.data.get("teamName")
    )


def _with_siblings(tree: Sequence[Entry], path: list[Entry]) -> list[Entry]:
    """Add the response lines and results that hang beside the path, in file order."""
    on_path = {entry.uuid for entry in path}
    message_ids = {_response(entry) for entry in path} - {""}
    owner: dict[str, str] = {}
    calls: dict[str, str] = {}
    loading: dict[str, str] = {}  # entries that the text of a skill may hang under
    members: dict[str, list[Entry]] = {}
    for entry in tree:
        message_id = _response(entry)
        if message_id in message_ids:
            owner[entry.uuid] = message_id
            for block in entry.blocks:
                if block.get("type") == "tool_use":
                    calls.setdefault(str(block.get("id")), message_id)
                    loading[entry.uuid] = message_id
            if entry.uuid not in on_path:
                members.setdefault(message_id, []).append(entry)
    for entry in tree:
        if entry.type != "user" or entry.uuid in on_path:
            continue
        message_id = _answered(entry, owner, calls, loading)
        if message_id is not None:
            loading[entry.uuid] = message_id
            members.setdefault(message_id, []).append(entry)
    if not members:
        return path
    position = {entry.uuid: index for index, entry in enumerate(tree)}
    return _merged(path, members, position)


def _response(entry: Entry) -> str:
    """The id of the response that *entry* is a line of; "" for all else, such as the note of an
    error, whose id may be that of all other errors."""
    if entry.type != "assistant" or entry.data.get("isApiErrorMessage"):
        return ""
    name = entry.message.get("id")
    return name if isinstance(name, str) else ""


def _answered(
    entry: Entry, owner: dict[str, str], calls: dict[str, str], loading: dict[str, str]
) -> str | None:
    """The response that *entry* belongs to as the result of a call of it, or as the text of a skill
    that such a call has loaded."""
    parent = entry.parent_uuid or ""
    if (result := entry.tool_result) is not None:
        call = str(result.get("tool_use_id"))
        return (owner.get(parent) or calls[call]) if call in calls else None
    if not entry.is_meta:
        return None
    return calls.get(str(entry.data.get("sourceToolUseID"))) or loading.get(parent)


def _merged(
    path: list[Entry], members: dict[str, list[Entry]], position: dict[str, int]
) -> list[Entry]:
    last_line = {_response(entry): index for index, entry in enumerate(path)}
    merged: list[Entry] = []
    index = 0
    while index < len(path):
        entry = path[index]
        merged.append(entry)
        index += 1
        message_id = _response(entry)
        extra = members.get(message_id)
        if not extra or last_line[message_id] != index - 1:
            continue
        group = list(extra)
        while index < len(path) and path[index].tool_result is not None:
            group.append(path[index])
            index += 1
        merged.extend(sorted(group, key=lambda item: position[item.uuid]))
    return merged
