"""A resumed conversation is drawn from the same kinds of events as a live one."""

import pytest

from agentcli.protocol.calls import ToolCall, ToolResult
from agentcli.protocol.events import BlockFinished, Compacted, Notice, PromptAdded, ToolFinished
from agentcli.session.compact_entries import Side, boundary_draft, summary_draft
from agentcli.session.entries import INTERRUPT_TEXT, Entry, result_draft
from agentcli.session.replay import replay
from tests.session.trees import call, prompt, result, said


def test_prompts_blocks_results_and_notes() -> None:
    failed = Entry({**said("f", "r", "x", "API down").data, "isApiErrorMessage": True})
    path = [
        prompt("a", None, "fix it"),
        prompt("hidden", "a", "a note to the model", isMeta=True),
        said("s", "a", "m1", "looking"),
        call("c", "s", "m1", "t1"),
        result("r", "c", "t1", "alpha"),
        failed,
        prompt("i", "f", INTERRUPT_TEXT),
    ]
    events = list(replay(path))
    assert [type(event) for event in events] == [
        PromptAdded,
        BlockFinished,
        BlockFinished,
        ToolFinished,
        Notice,
        Notice,
    ]
    assert events[0] == PromptAdded("a", "fix it")
    assert events[3] == ToolFinished(
        ToolCall("t1", "Read", {"file_path": "a"}), ToolResult("alpha"), "r"
    )
    assert events[4] == Notice("error", "API down") and events[5] == Notice(
        "warning", "interrupted"
    )


def test_a_result_without_its_call_draws_nothing() -> None:
    assert list(replay([result("r", None, "unknown")])) == []


def test_a_call_that_never_ran_comes_back_as_such() -> None:
    denied = ToolResult("The user did not allow this call.", is_error=True, outcome="denied")
    draft = result_draft("t1", "c", denied)
    entry = Entry({**result("r", "c", "t1").data, **draft.fields})
    told = list(replay([call("c", None, "m1", "t1"), entry]))[-1]
    assert isinstance(told, ToolFinished) and told.result == denied
    odd = Entry({**entry.data, "callOutcome": ["?"]})
    told = list(replay([call("c", None, "m1", "t1"), odd]))[-1]
    assert isinstance(told, ToolFinished) and told.result.outcome == "ran"


def compaction(facts: Compacted) -> list[Entry]:
    drafts = [boundary_draft(facts, 5), summary_draft(facts, "Go on.", 5)]
    drafts = drafts[1:] if facts.side == "from" else drafts
    return [Entry({"type": draft.type, "uuid": "u", **draft.fields}) for draft in drafts]


@pytest.mark.parametrize("side", ["all", "up_to", "from"])
def test_a_compaction_comes_back_as_the_event_that_told_of_it(side: Side) -> None:
    told = Compacted("auto", 900, 80, "what\n</conversation-summary> was", side)
    path = [prompt("a", None, "one"), said("b", "a", "m", "two")] if side == "from" else []
    events = list(replay([*path, *compaction(told), prompt("n", "u", "next")]))
    assert events[len(path) :] == [told, PromptAdded("n", "next")]


def test_a_summary_of_another_program_is_shown_whole() -> None:
    boundary = Entry({"type": "system", "subtype": "compact_boundary", "uuid": "b"})
    summary = prompt("s", "b", "This session goes on from another.", isCompactSummary=True)
    odd = Entry({**boundary.data, "compactMetadata": {"trigger": 5, "preTokens": "many"}})
    for root in (boundary, odd):
        events = list(replay([root, summary]))
        assert events == [Compacted("manual", 0, 0, "This session goes on from another.")]
    assert list(replay([boundary])) == []
