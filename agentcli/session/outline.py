"""A whole session file as a tree of prompts and compactions, whatever branch they stand on. Pure.

Linear in the number of entries and without recursion: sessions have tens of thousands, and damaged
ones have cycles.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from agentcli.base.values import as_dict
from agentcli.protocol.history import TreeNode
from agentcli.session.compact_entries import is_boundary, is_summary
from agentcli.session.entries import Entry
from agentcli.session.prompts import is_prompt, prompt_label, seconds_of
from agentcli.session.tree import conversation, is_main

Kind = Literal["prompt", "compact", "fork"]
_ANSWER_CHARS = 4_000
_THOUSAND = 1_000


def outline(entries: Sequence[Entry], here: Sequence[str] | None = None) -> list[TreeNode]:
    """The nodes in file order; a parent stands anywhere in the list. Never raises.

    *here* holds the uuids of the conversation as it is; without it, it is the one that a resume
    would find.
    """
    tree = [entry for entry in entries if entry.is_tree and not entry.is_sidechain]
    path = [entry.uuid for entry in conversation(entries)] if here is None else here
    growing = _Growing(tree)
    owners = growing.owners()
    for entry, owner in zip(tree, owners, strict=True):
        if owner is not None:
            growing.turns[owner].take(entry)
    return _marked(growing, owners, tree, path)


@dataclass(slots=True)
class _Turn:
    """One node in the making: ``first`` is its entry, the rest is what its turn held."""

    first: Entry
    kind: Kind
    text: str
    parent: int | None = None
    leaf: str = ""
    answer: str = ""
    files: dict[str, None] = field(default_factory=dict[str, None])

    def take(self, entry: Entry) -> None:
        """The next entry of the turn, in file order."""
        if is_main(entry):
            self.leaf = entry.uuid
        if entry.type == "assistant" and not entry.data.get("isApiErrorMessage"):
            for block in entry.blocks:
                text = block.get("text") if block.get("type") == "text" else None
                if isinstance(text, str) and text.strip():
                    self.answer = text[:_ANSWER_CHARS]
        details = as_dict(entry.data.get("toolUseResult"))
        if "structuredPatch" in details and isinstance(details.get("filePath"), str):
            self.files[details["filePath"]] = None


class _Growing:
    """Finds for each entry of *tree* the node that it belongs to."""

    def __init__(self, tree: Sequence[Entry]) -> None:
        self._tree = tree
        self._position = {entry.uuid: index for index, entry in enumerate(tree)}
        self.turns: list[_Turn] = []
        self._own: dict[int, int] = {}
        self._forks: dict[int, int] = {}
        """The node of the fork behind the copied entry at this position."""
        for index, entry in enumerate(tree):
            self._begin(index, entry)

    def owners(self) -> list[int | None]:
        """The index of the node of each entry; None before the first prompt."""
        owners: dict[int, int | None] = {}
        for start in range(len(self._tree)):
            way: list[int] = []
            seen: set[int] = set()
            at: int | None = start
            while at is not None and at not in owners and at not in seen:
                seen.add(at)
                way.append(at)
                at = self._parent(at)
            # a cycle ends where it was entered, like the beginning of a file
            above = owners.get(at) if at is not None else None
            for index in reversed(way):
                above = self._settle(index, above)
                owners[index] = above
        return [owners[index] for index in range(len(self._tree))]

    def _begin(self, index: int, entry: Entry) -> None:
        """Make the nodes that begin with this entry."""
        above = self._parent(index)
        if above is not None and self._is_copy(above) and not self._is_copy(index):
            if above not in self._forks:
                origin = as_dict(self._tree[above].data.get("forkedFrom")).get("sessionId")
                text = f"forked from {str(origin)[:8]}"
                self._forks[above] = len(self.turns)
                copied = self._tree[above]
                self.turns.append(_Turn(copied, "fork", text, leaf=copied.uuid))
        if is_boundary(entry) or self._is_lone_summary(index, entry):
            self._add(index, _Turn(entry, "compact", _shortened(entry), leaf=entry.uuid))
        elif is_prompt(entry):
            self._add(index, _Turn(entry, "prompt", prompt_label(entry), leaf=entry.uuid))

    def _add(self, index: int, turn: _Turn) -> None:
        self._own[index] = len(self.turns)
        self.turns.append(turn)

    def _settle(self, index: int, above: int | None) -> int | None:
        """The node of the entry at *index*, whose parent entry belongs to *above*."""
        parent = self._parent(index)
        if parent is not None and parent in self._forks and not self._is_copy(index):
            fork = self._forks[parent]
            self.turns[fork].parent = above
            above = fork
        own = self._own.get(index)
        if own is None:
            return above
        self.turns[own].parent = above if above != own else None
        return own

    def _parent(self, index: int) -> int | None:
        """The position of the entry that this one hangs under, a compaction under what it
        shortened; a parent that does not exist is bridged as in ``tree.walk``."""
        entry = self._tree[index]
        name = entry.parent_uuid
        if name is None and is_boundary(entry):
            logical = entry.data.get("logicalParentUuid")
            found = self._position.get(logical) if isinstance(logical, str) else None
            return found if found != index else None
        if name is None:
            return None
        found = self._position.get(name, index - 1)
        return found if found >= 0 and found != index else None

    def _is_copy(self, index: int) -> bool:
        return bool(as_dict(self._tree[index].data.get("forkedFrom")))

    def _is_lone_summary(self, index: int, entry: Entry) -> bool:
        """A summary of the end of a conversation has no boundary before it."""
        above = self._parent(index)
        return is_summary(entry) and not (above is not None and is_boundary(self._tree[above]))


def _marked(
    growing: _Growing, owners: Sequence[int | None], tree: Sequence[Entry], path: Sequence[str]
) -> list[TreeNode]:
    on_path = set(path)
    end: int | None = None
    last = path[-1] if path else ""
    for entry, owner in zip(tree, owners, strict=True):
        if entry.uuid == last:
            end = owner
    nodes = [
        TreeNode(
            entry_id=turn.first.uuid,
            kind="compact"
            if turn.kind == "compact"
            else "fork"
            if turn.kind == "fork"
            else "prompt",
            text=turn.text,
            at=seconds_of(turn.first),
            parent=turn.parent,
            leaf=turn.leaf,
            on_path=turn.first.uuid in on_path,
            answer=turn.answer,
            files=tuple(turn.files),
        )
        for turn in growing.turns
    ]
    return _with_line(_without_cycles(nodes), end)


def _with_line(nodes: list[TreeNode], end: int | None) -> list[TreeNode]:
    """Mark the end, and all that leads to it: what was compacted is not in the conversation any
    more, but it is where it came from."""
    at, first = end, True
    while at is not None:
        nodes[at] = replace(nodes[at], on_path=True, here=first)
        at, first = nodes[at].parent, False
    return nodes


def _without_cycles(nodes: list[TreeNode]) -> list[TreeNode]:
    """Cut each parent that leads round in a circle: everything hangs under a root then."""
    sound: set[int] = set()
    for start in range(len(nodes)):
        way: set[int] = set()
        at: int | None = start
        while at is not None and at not in sound:
            way.add(at)
            parent = nodes[at].parent
            if parent in way:
                nodes[at] = replace(nodes[at], parent=None)
                parent = None
            at = parent
        sound |= way
    return nodes


def _shortened(entry: Entry) -> str:
    facts = as_dict(entry.data.get("compactMetadata"))
    before, after = (_tokens(facts.get(name)) for name in ("preTokens", "postTokens"))
    return f"compacted {before} → {after}" if before and after else "compacted"


def _tokens(value: object) -> str:
    if not isinstance(value, int) or value <= 0:
        return ""
    return f"{round(value / _THOUSAND)}k" if value >= _THOUSAND else str(value)
