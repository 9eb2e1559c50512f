"""A resumed conversation is drawn from the same kinds of events as a live one."""

from agentcli.protocol.calls import ToolCall, ToolResult
from agentcli.protocol.events import BlockFinished, Notice, PromptAdded, ToolFinished
from agentcli.session.entries import INTERRUPT_TEXT, Entry
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
