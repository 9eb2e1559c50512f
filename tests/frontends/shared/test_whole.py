"""What was said before a compaction belongs to an exported conversation."""

from agentcli.frontends.shared.export import to_markdown
from agentcli.frontends.shared.whole import is_shortened, whole_conversation
from agentcli.session.entries import Entry
from tests.session.trees import prompt, said


def turn(name: str, parent: str | None, words: str) -> list[Entry]:
    answer = {"type": "text", "text": f"answer to {words}"}
    return [prompt(name, parent, words), said(f"{name}-a", name, f"m-{name}", answer)]


def compaction(name: str, after: str, side: str = "all") -> list[Entry]:
    tree = {"uuid": name, "parentUuid": None, "logicalParentUuid": after}
    facts = {"compactMetadata": {"trigger": "manual", "side": side}}
    boundary = Entry({"type": "system", "subtype": "compact_boundary", **tree, **facts})
    return [boundary, prompt(f"{name}-s", name, f"gist {name}", isCompactSummary=True)]


def order(text: str, *words: str) -> list[int]:
    assert all(text.count(f"## You\n\n{word}\n") <= 1 for word in words)
    return [text.index(word) for word in words]


def test_all_that_was_said_before_two_compactions_comes_first() -> None:
    one, two = turn("1", None, "first"), turn("2", "b1-s", "second")
    b1, b2, three = compaction("b1", "1-a"), compaction("b2", "2-a"), turn("3", "b2-s", "third")
    path = [*b2, *three]
    assert is_shortened(path) and not is_shortened(one)
    text = to_markdown(whole_conversation([*one, *b1, *two, *path], path))
    places = order(text, "first", "gist b1", "second", "gist b2", "third")
    assert places == sorted(places)


def test_what_was_kept_word_by_word_stands_there_once() -> None:
    one, two = turn("1", None, "first"), turn("2", "1-a", "second")
    gist, again = compaction("b", "2-a", "up_to"), turn("2k", "b-s", "second")
    path = [*gist, *again]
    text = to_markdown(whole_conversation([*one, *two, *path], path))
    assert order(text, "first", "gist b") == sorted(order(text, "first", "gist b"))
    assert text.count("## You\n\nsecond") == 1


def test_a_circle_or_a_lost_beginning_ends_it() -> None:
    assert whole_conversation([], path := compaction("b", "gone")) == path
    circle = compaction("b", "b-s")
    assert [entry.uuid for entry in whole_conversation(circle, circle)][-2:] == ["b", "b-s"]
    assert whole_conversation([], []) == []
