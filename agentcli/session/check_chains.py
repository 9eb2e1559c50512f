"""What is wrong between the entries of a session: parents, and calls with their results. Pure.

Works on entries without content: see ``check``.
"""

from collections.abc import Iterable, Iterator, Sequence

from agentcli.base.text import one_line
from agentcli.session.check_lines import Fault
from agentcli.session.compact_entries import is_boundary
from agentcli.session.entries import Entry

_Tree = Sequence[tuple[int, Entry]]
"""The entries that make the conversation and its branches, with their positions."""


def chain_faults(entries: Sequence[Entry]) -> Iterator[tuple[int, Fault]]:
    """The faults, each with the position of its entry. Linear; never raises."""
    tree = [
        (at, entry) for at, entry in enumerate(entries) if entry.is_tree and not entry.is_sidechain
    ]
    position = {entry.uuid: at for at, entry in tree}
    yield from _parents(tree, position)
    yield from _calls(tree)
    for uuid in _circles(entry for _, entry in tree):
        text = "its parents lead round in a circle"
        yield position[uuid], Fault("cycle", "error", text, "the conversation begins there")
    for at, entry in enumerate(entries):
        target = entry.data.get("leafUuid")
        if isinstance(target, str) and target not in position:
            text = f"it marks {_name(target)} as the end, which does not exist"
            yield at, Fault("stale marker", "info", text, "the newest end is taken")


def _parents(tree: _Tree, position: dict[str, int]) -> Iterator[tuple[int, Fault]]:
    first = True
    for at, entry in tree:
        parent = entry.parent_uuid
        if parent is None:
            if not first and not is_boundary(entry):
                text = "it has no parent, but stands in the middle"
                done = "it begins a conversation of its own"
                yield at, Fault("second root", "info", text, done)
        elif parent not in position:
            text = f"its parent {_name(parent)} does not exist"
            done = "the conversation begins there" if first else "the entry before it stands in"
            yield at, Fault("phantom parent", "error", text, done)
        elif position[parent] > at:
            text = f"its parent {_name(parent)} stands behind it"
            yield at, Fault("unordered", "info", text, "followed all the same")
        first = False


def _calls(tree: _Tree) -> Iterator[tuple[int, Fault]]:
    calls: dict[str, int] = {}
    for at, name in _named(tree, "tool_use", "id"):
        calls.setdefault(name, at)
    answered: set[str] = set()
    for at, name in _named(tree, "tool_result", "tool_use_id"):
        if name not in calls:
            text = f"a result of {_name(name)}, a call that is not in the file"
            yield at, Fault("orphan result", "warning", text, "not sent")
        elif name in answered:
            text = f"a second result of {_name(name)}"
            yield at, Fault("second result", "warning", text, "the first one is sent")
        answered.add(name)
    for name, at in calls.items():
        if name not in answered:
            text = f"the call {_name(name)} has no result"
            yield at, Fault("open call", "warning", text, "sent with the note that it did not run")


def _named(tree: _Tree, kind: str, field: str) -> Iterator[tuple[int, str]]:
    """Position and call id of each block of this *kind*."""
    for at, entry in tree:
        for block in entry.blocks:
            if block.get("type") == kind:
                yield at, str(block.get(field))


def _circles(tree: Iterable[Entry]) -> Iterator[str]:
    """One uuid of each circle: the one that stands last."""
    parents = {entry.uuid: entry.parent_uuid for entry in tree}
    sound: set[str] = set()
    for start in reversed(parents):
        way: set[str] = set()
        at: str | None = start
        while at is not None and at in parents and at not in sound:
            if at in way:
                yield at
                break
            way.add(at)
            at = parents[at]
        sound |= way


def _name(uuid: str) -> str:
    return one_line(uuid, 40)
