"""What stays in the shell: the last answer, short, and how to go on."""

from agentcli.frontends.tui.farewell import tell_farewell
from agentcli.protocol.events import BlockFinished, Event, PromptAdded


def said(text: str) -> Event:
    return BlockFinished("m", 0, {"type": "text", "text": text}, "e")


def called() -> Event:
    return BlockFinished("m", 0, {"type": "tool_use", "id": "1", "name": "Bash", "input": {}}, "e")


ASKED = PromptAdded("e", "do it")


def test_nothing_said_is_nothing_told():
    assert tell_farewell([], "s1", True, 80) == ""


def test_the_last_answer_and_the_way_back():
    events = [ASKED, said("old"), ASKED, said("first I look"), called(), said("Done.\n\nIt works.")]
    assert tell_farewell(events, "s1", True, 80) == (
        "Done.\n\nIt works.\n\nResume this session: agentcli --resume s1\n"
    )


def test_an_unanswered_prompt_does_not_repeat_the_answer_before():
    events = [ASKED, said("old"), ASKED]
    assert tell_farewell(events, "s1", True, 80) == "Resume this session: agentcli --resume s1\n"


def test_what_is_not_kept_cannot_be_resumed():
    assert tell_farewell([ASKED, said("hi")], "s1", False, 80) == "hi\n"


def test_a_long_answer_keeps_its_begin_and_its_end():
    text = "\n".join(f"line {number}" for number in range(100))
    lines = tell_farewell([ASKED, said(text)], "s1", False, 80).splitlines()
    assert len(lines) == 20
    assert (lines[0], lines[14], lines[-1]) == ("line 0", "…", "line 99")


def test_long_lines_count_as_many():
    lines = tell_farewell([ASKED, said("x" * 10_000 + "\nend")], "s1", False, 80).splitlines()
    assert sum(1 + len(line) // 80 for line in lines) <= 21
    assert lines[-1] == "end"


def test_no_control_bytes():
    told = tell_farewell([ASKED, said("a\x1b]0;evil\x07\x1b[2Jb\x9bc")], "s1", False, 80)
    assert told == "abc\n"
