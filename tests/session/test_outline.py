"""The tree of a whole file: every prompt of every branch, whatever the damage."""

import random
import resource

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcli.session.entries import Entry
from agentcli.session.outline import outline
from agentcli.session.prompts import is_prompt
from tests.session.test_reading import random_session
from tests.session.trees import call, marker, prompt, result, said


def boundary(uuid: str, logical: str) -> Entry:
    metadata = {"trigger": "manual", "preTokens": 82_000, "postTokens": 6_100}
    fields = {"subtype": "compact_boundary", "compactMetadata": metadata}
    tree = {"uuid": uuid, "parentUuid": None, "logicalParentUuid": logical}
    return Entry({"type": "system", **tree, **fields})


def test_branches_hang_under_the_prompt_before_them() -> None:
    nodes = outline(
        [
            prompt("p1", None, "one"),
            said("a1", "p1", "m1", "first answer"),
            prompt("p2", "a1", "two"),
            said("a2", "p2", "m2", "second answer"),
            marker("a1"),
            prompt("p3", "a1", "other"),
            said("a3", "p3", "m3", "third answer"),
        ]
    )
    assert [(node.text, node.parent) for node in nodes] == [("one", None), ("two", 0), ("other", 0)]
    assert [node.leaf for node in nodes] == ["a1", "a2", "a3"]
    assert [node.answer for node in nodes] == ["first answer", "second answer", "third answer"]
    assert [node.on_path for node in nodes] == [True, False, True]
    assert [node.here for node in nodes] == [False, False, True]


def test_a_turn_ends_with_its_last_result_and_not_with_what_the_next_prompt_mentions() -> None:
    file = {"filePath": "/x/a.py", "structuredPatch": []}
    edited = Entry({**result("r2", "c2", "t2").data, "toolUseResult": file})
    mention = {"attachment": {"type": "file"}, "uuid": "f", "parentUuid": "r1"}
    entries = [
        prompt("p1", None),
        call("c1", "p1", "m", "t1"),
        call("c2", "c1", "m", "t2"),
        edited,
        result("r1", "c1", "t1"),
        Entry({"type": "attachment", **mention}),
        prompt("p2", "f"),
    ]
    first, second = outline(entries)
    assert (first.leaf, first.files) == ("r1", ("/x/a.py",))
    assert (second.parent, second.leaf) == (0, "p2")


def test_a_compaction_hangs_under_what_it_shortened() -> None:
    entries = [
        prompt("p1", None, "one"),
        said("a1", "p1", "m1", "x"),
        boundary("b", "a1"),
        prompt("s", "b", "so far", isCompactSummary=True),
        prompt("p2", "s", "two"),
    ]
    nodes = outline(entries)
    assert [(node.kind, node.parent) for node in nodes] == [
        ("prompt", None),
        ("compact", 0),
        ("prompt", 1),
    ]
    assert nodes[1].text == "compacted 82k → 6k"
    assert nodes[1].leaf == "s"
    assert all(node.on_path for node in nodes)
    assert nodes[2].here


def test_a_fork_shows_where_it_left_its_original() -> None:
    origin = {"forkedFrom": {"sessionId": "12345678-0000", "messageUuid": "x"}}
    entries = [
        Entry({**prompt("p1", None, "one").data, **origin}),
        Entry({**said("a1", "p1", "m1", "x").data, **origin}),
        prompt("p2", "a1", "own"),
        said("a2", "p2", "m2", "y"),
        prompt("p3", "a1", "other"),
    ]
    nodes = outline(entries, ["p1", "a1", "p3"])
    assert [(node.kind, node.text, node.parent) for node in nodes] == [
        ("prompt", "one", None),
        ("fork", "forked from 12345678", 0),
        ("prompt", "own", 1),
        ("prompt", "other", 1),
    ]
    assert [node.on_path for node in nodes] == [True, True, False, True]


def test_cycles_and_lost_parents_end_somewhere() -> None:
    nodes = outline([prompt("a", "b"), prompt("b", "a"), prompt("c", "gone"), prompt("d", "d")])
    assert [node.entry_id for node in nodes] == ["a", "b", "c", "d"]
    assert any(node.parent is None for node in nodes)


@given(seed=st.integers(0, 2**32), size=st.integers(0, 150))
def test_no_prompt_is_missing_and_no_parent_leads_in_a_circle(seed: int, size: int) -> None:
    rng = random.Random(seed)
    entries = random_session(rng, size)
    for entry in rng.sample(entries, len(entries) // 20):
        entry.data["parentUuid"] = rng.choice(["gone", *(e.uuid for e in entries)])
    nodes = outline(entries)
    prompts = {entry.uuid for entry in entries if is_prompt(entry) and not entry.is_sidechain}
    assert {node.entry_id for node in nodes if node.kind == "prompt"} == prompts
    assert sum(node.here for node in nodes) <= 1
    for index in range(len(nodes)):
        seen: set[int] = set()
        at: int | None = index
        while at is not None:
            assert at not in seen
            seen.add(at)
            at = nodes[at].parent


def spent(count: int) -> float:
    entries: list[Entry] = []
    for n in range(count):
        parent = f"a{n - 1}" if n else None
        entries += [prompt(f"p{n}", parent), said(f"a{n}", f"p{n}", f"m{n}", "x")]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    assert len(outline(entries)) == count
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime - before


@pytest.mark.benchmark
def test_the_cost_grows_with_the_length() -> None:
    spent(1_000)
    assert spent(20_000) < 40 * max(spent(1_000), 0.001)
