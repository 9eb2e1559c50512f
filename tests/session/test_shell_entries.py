"""A shell command of the person's own is drawn again after a resume."""

from agentcli.protocol.calls import ToolCall, ToolResult
from agentcli.protocol.events import BlockFinished, Notice, PromptAdded, ToolFinished
from agentcli.session.entries import (
    INTERRUPT_TEXT,
    Entry,
    attachment_draft,
    shell_input_draft,
    shell_output_draft,
)
from agentcli.session.replay import replay
from agentcli.session.shell_entries import OUTPUT_LOST
from tests.session.trees import prompt, said


def entry(uuid: str, parent: str | None, fields: dict[str, object]) -> Entry:
    return Entry({"type": "user", "uuid": uuid, "parentUuid": parent, **fields})


def command(uuid: str, parent: str | None, text: str) -> Entry:
    return entry(uuid, parent, shell_input_draft(text).fields)


def output(uuid: str, parent: str, result: ToolResult) -> Entry:
    return entry(uuid, parent, shell_output_draft(result).fields)


def test_command_and_output_come_back_as_one_call() -> None:
    printed = "</bash-stdout>\nExit code 2"
    result = ToolResult(printed, True, {"stdout": "left out", "exitCode": 2})
    events = list(
        replay(
            [
                command("a", None, "npm <t> test\n  -v"),
                output("b", "a", result),
                said("s", "b", "m1", "it failed"),
            ]
        )
    )
    assert events[0] == ToolFinished(
        ToolCall("a", "!", {"command": "npm <t> test\n  -v"}),
        ToolResult(printed, True, {"stdout": printed, "exitCode": 2}),
        "b",
    )
    assert [type(e) for e in events] == [ToolFinished, BlockFinished]


def test_a_command_without_output_was_lost() -> None:
    lost = ToolResult(OUTPUT_LOST, is_error=True)
    call = ToolCall("a", "!", {"command": "x"})
    assert list(replay([command("a", None, "x")])) == [ToolFinished(call, lost, "a")]
    events = list(replay([command("a", None, "x"), prompt("p", "a", INTERRUPT_TEXT)]))
    assert events == [ToolFinished(call, lost, "p"), Notice("warning", "interrupted")]


def test_two_commands_without_a_reply_between_them() -> None:
    path = [
        command("a", None, "one"),
        output("b", "a", ToolResult("1")),
        command("c", "b", "two"),
        output("d", "c", ToolResult("2")),
    ]
    given = [
        (event.call.input["command"], event.result.content)
        for event in replay(path)
        if isinstance(event, ToolFinished)
    ]
    assert given == [("one", "1"), ("two", "2")]


def test_output_of_another_program_needs_no_figures_of_ours() -> None:
    text = "<bash-stdout>out</bash-stdout><bash-stderr>err</bash-stderr>"
    foreign = entry("b", "a", {"message": {"role": "user", "content": text}})
    (event,) = replay([command("a", None, "x"), foreign])
    assert isinstance(event, ToolFinished) and event.result == ToolResult(
        "out\nerr", False, {"stdout": "out\nerr"}
    )


def test_a_prompt_is_drawn_with_the_names_that_went_with_it() -> None:
    draft = attachment_draft("file", displayPath="a.py:3", content=[{"type": "text", "text": "x"}])
    file = Entry({"type": "attachment", "uuid": "f", "parentUuid": None, **draft.fields})
    path = [file, prompt("a", "f", "see @a.py#L3"), prompt("b", "a", "next")]
    assert list(replay(path)) == [
        PromptAdded("a", "see @a.py#L3", ("a.py:3",)),
        PromptAdded("b", "next"),
    ]
