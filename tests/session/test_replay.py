"""A resumed conversation is drawn from the same kinds of events as a live one."""

from agentcli.protocol.calls import ToolCall, ToolResult
from agentcli.protocol.events import BlockFinished, Notice, PromptAdded, ToolFinished
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
