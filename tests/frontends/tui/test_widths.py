"""Everything that is drawn as lines fits the screen, however narrow, whatever the script."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.look.themes import DARK
from agentcli.frontends.tui.transcript.answer import AnswerEntry
from agentcli.frontends.tui.transcript.code import code_rows, diff_rows, plain_rows
from agentcli.frontends.tui.transcript.entries import (
    Entry,
    GreetingEntry,
    NoticeEntry,
)
from agentcli.frontends.tui.transcript.rows import Row
from agentcli.frontends.tui.transcript.select import selected_text
from agentcli.frontends.tui.transcript.speech import PromptEntry, ThinkingEntry
from agentcli.frontends.tui.transcript.tool_entry import ToolEntry
from agentcli.protocol.asks import Hunk
from agentcli.protocol.calls import ToolCall, ToolResult
from tests.frontends.tui.scenes import EDIT, PATCH

LOOK = make_look(DARK)
ODD = [
    "a", "b c", "漢字", "👨‍👩‍👧", "🇩🇪", "⚠\ufe0f", "e\u0301", "שלום ", "سلام ", "\u202e", "\u200b",
    "\u200d", "\ufe0f", "\t", "\n", " ", "\u3000", "ｆｕｌｌ", "-", "𝕏", "\ud800", "\u2028", "क्षि",
]  # fmt: skip
TEXT = st.lists(st.sampled_from(ODD), max_size=40).map("".join)
WIDTHS = st.sampled_from([*range(1, 21), 40, 80])
MIXED = "a\t漢字👨‍👩‍👧e\u0301 שלום ⚠\ufe0f " * 5
SOURCE = f"""# {MIXED}

{MIXED} **{MIXED}** `{MIXED}` [{MIXED}](http://example.org/{"x" * 90})

- {MIXED}
  1. {MIXED}
     > {MIXED}

| {MIXED} | n |
|:---:|---:|
| {MIXED} | {MIXED} |

```py
def f(): return "{MIXED}"
```
"""


def fits(rows: list[Row], width: int) -> bool:
    for row in rows:
        text = row.strip.text
        assert not set(text) & set("\t\n\x1b\u202e") and "\ud800" not in text
    return all(
        row.strip.cell_length <= width and sum(s.cell_length for s in row.strip) <= width
        for row in rows
    )


def tool(folded: bool, call: ToolCall, result: ToolResult | None) -> ToolEntry:
    entry = ToolEntry(call.name, call)
    entry.result, entry.folded, entry.duration_ms = result, folded, 8200
    return entry


def live_thinking(text: str) -> ThinkingEntry:
    entry = ThinkingEntry()
    entry.feed(text)
    return entry


def thought(text: str) -> ThinkingEntry:
    entry = ThinkingEntry()
    entry.text, entry.live, entry.folded = text, False, False
    return entry


def everything() -> dict[str, Entry]:
    bash = ToolCall("1", "Bash", {"command": MIXED * 9})
    failed = ToolResult(MIXED, True, {"exitCode": 1})
    edit = ToolCall("2", "Edit", dict(EDIT))
    return {
        "greeting": GreetingEntry("agentcli 漢", MIXED, MIXED),
        "notice": NoticeEntry("error", MIXED + " https://example.org/" + "y" * 50),
        "prompt": PromptEntry(MIXED * 40),
        "thinking": live_thinking(MIXED * 9),
        "thought": thought(MIXED),
        "answer": AnswerEntry(SOURCE),
        "bash": tool(True, bash, failed),
        "bash unfolded": tool(False, bash, failed),
        "edit": tool(True, edit, ToolResult("", details=PATCH)),
        "edit unfolded": tool(False, edit, ToolResult("", details=PATCH)),
        "no output": tool(False, ToolCall("3", "Glob", {}), ToolResult("")),
    }


@pytest.mark.parametrize("name", everything().keys())
def test_every_entry_fits_every_width(name: str):
    for width in [*range(1, 21), 40, 80, 140]:
        rows = everything()[name].rows(width, LOOK)
        assert rows and fits(rows, width), f"{name} at {width}"


@settings(max_examples=80, deadline=None)
@given(TEXT, WIDTHS)
@example("\u200d\u200daab c", 11)
@example("\u200d\u200dשלום ", 6)
def test_any_script_fits(text: str, width: int):
    table = "| h | i |\n|---|---|\n| " + text.replace("\n", " ") + " | x |"
    assert fits(AnswerEntry(text + "\n\n" + table).rows(width, LOOK), width)
    assert fits(PromptEntry(text).rows(width, LOOK), width)
    assert fits(live_thinking(text * 3).rows(width, LOOK), width)
    assert fits(thought(text).rows(width, LOOK), width)
    line = text.replace("\n", "")
    assert fits(code_rows(line, "py", width, LOOK), width)
    assert fits(plain_rows(text, width, LOOK, LOOK.dim), width)
    assert fits(diff_rows([Hunk(1, 1, 1, 1, ("+" + line,))], "", width, LOOK), width)


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from("ab \t漢é"), max_size=40), st.integers(2, 30))
def test_diffs_lose_nothing_at_any_width(line: str, width: int):
    rows = diff_rows([Hunk(118, 0, 118, 1, ("+" + line,))], "", width, LOOK)
    if width < 11:
        shown = "".join(row.strip.text for row in rows)
        assert shown.startswith("118+"[:width])
        assert shown.replace(" ", "") == ("118+" + line.expandtabs(4)).replace(" ", "")
    else:
        assert rows[0].strip.text.startswith(" 118 + ")
        copied = selected_text(rows, [], (0, 0), (99, 99))
        assert copied.replace(" ", "") == line.expandtabs(4).replace(" ", "")


def test_live_thinking_breaks_no_line_anew():
    entry = ThinkingEntry()
    before: list[str] = []
    for number in range(400):
        entry.feed(f"thought {number} ")
        rows = [row.strip.text for row in entry.rows(60, LOOK)][1:]
        assert len(rows) <= 5
        if len(before) == 5 and rows[0] != before[0]:
            assert rows[:3] == before[1:4]
        elif before:
            assert rows[: len(before) - 1] == before[:-1]
        before = rows


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "source",
    [
        "[" * 10_000, "![" * 5_000, "*" * 10_000, "**a " * 3_000, "_a " * 5_000, "`a` " * 3_000,
        "[](" * 5_000, "<" * 10_000, "&" * 10_000, ">" * 5_000 + "x", "\\" * 20_000,
        "word " * 20_000, "漢" * 50_000, "👨‍👩‍👧" * 5_000, "e" + "\u0301" * 20_000,
        "\u202e" * 20_000,
        "".join("  " * n + "- x\n" for n in range(300)), "|a|b|\n|-|-|\n" + "|1|2|\n" * 3_000,
        "|" + "a|" * 500 + "\n|" + "-|" * 500 + "\n|" + "b|" * 500, "http://x.y/ " * 3_000,
    ],
)  # fmt: skip
def test_pathological_markdown_is_drawn(source: str):
    rows = AnswerEntry(source).rows(80, LOOK)
    assert rows and fits(rows, 80)


def test_text_nested_too_deep_is_shown_as_it_is():
    text = "".join("  " * n + f"- level{n}\n" for n in range(40)) + ">" * 300 + " deepest"
    shown = "".join(row.strip.text for row in AnswerEntry(text).rows(80, LOOK))
    assert "level39" in shown and "deepest" in shown


def test_very_long_results_tell_what_is_left_out():
    call = ToolCall("1", "Bash", {})
    (*_, last) = tool(False, call, ToolResult("line\n" * 3000)).rows(30, LOOK)
    assert last.strip.text == "  … 1,000 more lines"
    written = ToolCall("2", "Write", {"file_path": "a.txt", "content": "line\n" * 2500})
    (*_, last) = tool(False, written, None).rows(30, LOOK)
    assert last.strip.text == "  … 500 more lines"
