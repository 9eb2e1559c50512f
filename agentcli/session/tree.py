"""The tree in a session file: which entry is the end of the conversation, and the way to it. Pure.

Rules: parents are followed to the root with a visited set; a parent that does not exist is
replaced by the tree entry that stands before in the file; results of parallel calls hang beside
the path and are put back after their response.
"""

from collections.abc import Sequence

from agentcli.session.entries import Entry


def conversation(entries: Sequence[Entry]) -> list[Entry]:
    """The current conversation, root first, parallel results included. Never raises."""
    tree = [entry for entry in entries if entry.is_tree and not entry.is_sidechain]
    leaf = find_leaf(entries, tree)
    if leaf is None:
        return []
    return _with_siblings(tree, walk(tree, leaf))


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


def find_leaf(entries: Sequence[Entry], tree: Sequence[Entry]) -> Entry | None:
    """The end of the conversation: the newest ``last-prompt`` marker unless main entries follow
    it in the file, else the latest end of a branch in file order. None: empty or cleared."""
    marker_at, marker = -1, None
    for index, entry in enumerate(entries):
        if entry.type == "last-prompt" and "leafUuid" in entry.data:
            marker_at, marker = index, entry
    by_uuid = {entry.uuid: entry for entry in tree}
    if marker is not None:
        later = any(_is_main(entry) for entry in entries[marker_at + 1 :])
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
        best = next((entry for entry in reversed(tree) if _is_main(entry)), None)
    return best


def _main_ancestor(entry: Entry, by_uuid: dict[str, Entry]) -> Entry | None:
    seen: set[str] = set()
    current: Entry | None = entry
    while current is not None and current.uuid not in seen:
        if _is_main(current):
            return current
        seen.add(current.uuid)
        current = by_uuid.get(current.parent_uuid or "")
    return None


def _is_main(entry: Entry) -> bool:
    return (
        entry.type in ("user", "assistant")
        and bool(entry.uuid)
        and not entry.is_sidechain
        and not entry.data.get("teamName")
    )


def _with_siblings(tree: Sequence[Entry], path: list[Entry]) -> list[Entry]:
    """Add the response lines and results that hang beside the path, in file order."""
    on_path = {entry.uuid for entry in path}
    message_ids = {str(e.message.get("id")) for e in path if e.type == "assistant"}
    owner: dict[str, str] = {}
    calls: dict[str, str] = {}
    members: dict[str, list[Entry]] = {}
    for entry in tree:
        message_id = str(entry.message.get("id"))
        if entry.type == "assistant" and message_id in message_ids:
            owner[entry.uuid] = message_id
            for block in entry.blocks:
                if block.get("type") == "tool_use":
                    calls.setdefault(str(block.get("id")), message_id)
            if entry.uuid not in on_path:
                members.setdefault(message_id, []).append(entry)
    for entry in tree:
        result = entry.tool_result
        if result is None or entry.uuid in on_path:
            continue
        message_id = owner.get(entry.parent_uuid or "") or calls.get(str(result.get("tool_use_id")))
        if message_id is not None and str(result.get("tool_use_id")) in calls:
            members.setdefault(message_id, []).append(entry)
    if not members:
        return path
    position = {entry.uuid: index for index, entry in enumerate(tree)}
    return _merged(path, members, position)


def _merged(
    path: list[Entry], members: dict[str, list[Entry]], position: dict[str, int]
) -> list[Entry]:
    last_line = {
        str(entry.message.get("id")): index
        for index, entry in enumerate(path)
        if entry.type == "assistant"
    }
    merged: list[Entry] = []
    index = 0
    while index < len(path):
        entry = path[index]
        merged.append(entry)
        index += 1
        message_id = str(entry.message.get("id")) if entry.type == "assistant" else ""
        extra = members.get(message_id)
        if not extra or last_line[message_id] != index - 1:
            continue
        group = list(extra)
        while index < len(path) and path[index].tool_result is not None:
            group.append(path[index])
            index += 1
        merged.extend(sorted(group, key=lambda item: position[item.uuid]))
    return merged
