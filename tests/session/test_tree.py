"""Which conversation a file holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcli.session.entries import Entry, error_draft
from agentcli.session.tree import conversation, parent_of_next
from tests.session.trees import call, marker, prompt, result, said, uuids


def test_a_chain_is_read_from_its_root() -> None:
    entries = [prompt("a", None), said("b", "a", "m1", "hi"), prompt("c", "b")]
    assert uuids(conversation(entries)) == "a b c"


def test_parallel_results_are_put_back_after_their_response_in_file_order() -> None:
    entries = [
        prompt("a", None),
        call("c1", "a", "m1", "t1"),
        call("c2", "c1", "m1", "t2"),
        call("c3", "c2", "m1", "t3"),
        result("r2", "c2", "t2"),
        result("r1", "c1", "t1"),
        result("r3", "c3", "t3"),
        said("e", "r3", "m2", "done"),
    ]
    assert uuids(conversation(entries)) == "a c1 c2 c3 r2 r1 r3 e"


def test_calls_off_the_path_come_back_with_their_results() -> None:
    entries = [
        prompt("a", None),
        call("c1", "a", "m1", "t1"),
        call("c2", "c1", "m1", "t2"),
        result("r2", "c2", "t2"),
        result("r1", "c1", "t1"),
        said("e", "r1", "m2", "done"),
    ]
    assert uuids(conversation(entries)) == "a c1 c2 r2 r1 e"


def test_the_next_entry_hangs_under_the_result_of_the_last_call() -> None:
    calls = [prompt("a", None), call("c1", "a", "m1", "t1"), call("c2", "c1", "m1", "t2")]
    results = [result("r2", "c2", "t2"), result("r1", "c1", "t1")]
    assert parent_of_next([]) is None
    assert parent_of_next(calls) == "c2"
    assert parent_of_next([*calls, *results]) == parent_of_next(calls, results) == "r2"
    assert parent_of_next(calls, results[1:]) == "r1"  # the last call is still open
    path = [*calls, *results, said("e", "r2", "m2", "done")]
    assert parent_of_next(path) == "e"
    assert uuids(conversation(path)) == "a c1 c2 r2 r1 e"


def test_the_text_of_a_skill_beside_the_path_is_put_back_but_no_left_branch() -> None:
    body = prompt("k", "r1", "do it so", isMeta=True)
    entries = [
        prompt("a", None),
        call("c1", "a", "m1", "t1"),
        call("c2", "c1", "m1", "t2"),
        result("r1", "c1", "t1"),
        body,
        result("r2", "c2", "t2"),
        said("e", "r2", "m2", "done"),
        prompt("left", "e", "a note", isMeta=True),
        prompt("p", "e"),
    ]
    assert uuids(conversation(entries)) == "a c1 c2 r1 k r2 e p"


def test_the_latest_branch_in_file_order_wins() -> None:
    entries = [prompt("a", None), said("b", "a", "m1", "x"), prompt("c", "b"), prompt("d", "b")]
    assert uuids(conversation(entries)) == "a b d"


def test_a_marker_wins_over_what_stands_before_it_only() -> None:
    entries = [prompt("a", None), said("b", "a", "m1", "x"), prompt("c", "b")]
    assert uuids(conversation([*entries, marker("b")])) == "a b"
    assert uuids(conversation([*entries, marker("b"), prompt("d", "b")])) == "a b d"
    assert conversation([*entries, marker(None, explicit=True)]) == []
    assert uuids(conversation([*entries, marker("unknown")])) == "a b c"


def test_a_phantom_parent_does_not_shorten_the_history() -> None:
    entries = [prompt("a", None), said("b", "a", "m1", "x"), prompt("c", "gone"), prompt("d", "c")]
    assert uuids(conversation(entries)) == "a b c d"


def test_progress_and_sidechains_never_end_the_conversation() -> None:
    entries = [
        prompt("a", None),
        call("c", "a", "m1", "t1"),
        Entry({"type": "progress", "uuid": "p", "parentUuid": "c"}),
        result("r", "c", "t1"),
        prompt("side", None, isSidechain=True),
    ]
    assert uuids(conversation(entries)) == "a c r"


_LINKS = st.lists(st.integers(min_value=-1, max_value=12), min_size=1, max_size=12)


@given(_LINKS, st.integers(min_value=0, max_value=11))
def test_any_tree_gives_a_path_without_repeats(parents: list[int], leaf: int) -> None:
    entries = [
        prompt(f"u{i}", None if parent < 0 else f"u{parent}") for i, parent in enumerate(parents)
    ]
    for extra in ([], [marker(f"u{leaf}")]):
        path = conversation([*entries, *extra])
        names = [entry.uuid for entry in path]
        assert names and len(names) == len(set(names))


@pytest.mark.parametrize("name", ["msg_synthetic", None])
def test_errors_of_another_branch_do_not_come_in(name: str | None) -> None:
    def failed(uuid: str, parent: str) -> Entry:
        entry = said(uuid, parent, "", "failed")
        message = {**entry.message, "id": name, "model": "<synthetic>"}
        return Entry({**entry.data, "message": message, "isApiErrorMessage": name is not None})

    entries = [prompt("a", None), failed("b", "a"), prompt("c", None), failed("d", "c")]
    assert uuids(conversation(entries)) == "c d"
    first, second = (error_draft("x").fields["message"]["id"] for _ in range(2))
    assert first != second
