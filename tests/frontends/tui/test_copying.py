"""What ``/copy`` offers."""

import pytest

from agentcli.frontends.tui.transcript.answer import AnswerEntry
from agentcli.frontends.tui.transcript.code_blocks import CodeBlock, code_blocks
from agentcli.frontends.tui.transcript.copying import CopyChoice, copy_choices
from agentcli.frontends.tui.transcript.entries import NoticeEntry
from agentcli.frontends.tui.transcript.speech import PromptEntry
from tests.frontends.tui.reader import command, reader

ANSWER = (
    "Do this:\n\n```python\n\ndef f():\n    return 1\n```\n\n- then\n\n  ```sh\n  make\n  ```\n"
)


def test_an_answer_and_its_code_are_offered_as_they_were_written():
    entries = [AnswerEntry("older"), PromptEntry("q"), AnswerEntry(ANSWER), command("x", "y")]
    assert copy_choices(entries) == [
        CopyChoice("whole answer · 13 lines", ANSWER.rstrip("\n")),
        CopyChoice("python · 3 lines · def f():", "\ndef f():\n    return 1"),
        CopyChoice("sh · 1 line · make", "make"),
    ]


def test_answers_are_counted_from_the_end_empty_ones_left_out():
    entries = [
        AnswerEntry("one"),
        AnswerEntry("two"),
        AnswerEntry("  \n"),
        NoticeEntry("info", "x"),
    ]
    assert [choice.text for choice in copy_choices(entries, 1)] == ["two"]
    assert [choice.text for choice in copy_choices(entries, 2)] == ["one"]
    assert copy_choices(entries, 3) == copy_choices(entries, 0) == copy_choices([], 1) == []


async def test_an_answer_that_streams_is_offered_as_far_as_it_came():
    async with reader() as shown:
        answer = AnswerEntry()
        await shown.add(answer)
        answer.feed("see:\n```js\nlet x = 1\nlet y")
        assert [choice.text for choice in shown.view.copy_texts()] == [
            "see:\n```js\nlet x = 1\nlet y",
            "let x = 1\nlet y",
        ]


@pytest.mark.parametrize(
    ("markdown", "blocks"),
    [
        ("no code", []),
        ("`inline` and ```three``` on a line", []),
        ("````md\n```\ninner\n```\n````", [CodeBlock("md", "```\ninner\n```")]),
        ("~~~\n```\n~~~\n", [CodeBlock("", "```")]),
        ("> ```py title=x\n> a\n>   b\n> ```", [CodeBlock("py", "a\n  b")]),
        ("```\na\n```\n```\nb\n```", [CodeBlock("", "a"), CodeBlock("", "b")]),
        ("1. step\n   ```\n   deep\n     er\n   ```", [CodeBlock("", "deep\n  er")]),
        ("```\n", [CodeBlock("", "")]),
    ],
)
def test_fences(markdown: str, blocks: list[CodeBlock]):
    assert code_blocks(markdown) == blocks
