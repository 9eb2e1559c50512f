"""Titles, summaries and bodies of tool calls, as tables."""

from typing import Any

import pytest

from agentcli.engine import settle
from agentcli.frontends.shared.tool_title import ToolTitle, tool_title
from agentcli.frontends.shared.tool_view import (
    Body,
    hunks_of,
    plus_minus,
    tool_body,
    tool_duration,
    tool_error,
    tool_summary,
)
from agentcli.protocol.asks import Hunk
from agentcli.protocol.calls import Outcome, ToolCall, ToolResult

CWD = "/code/shop"
PATCH = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 2, "lines": ["-a", "+b", "+c"]}]


def call(name: str, **given: Any) -> ToolCall:
    return ToolCall("c1", name, given)


@pytest.mark.parametrize(
    ("name", "given", "title"),
    [
        ("Read", {"file_path": "/code/shop/src/a.py"}, ToolTitle("Read", "src/a.py")),
        ("Edit", {"file_path": "/etc/hosts"}, ToolTitle("Edit", "/etc/hosts")),
        ("Write", {"file_path": "/code/shopping/x"}, ToolTitle("Write", "/code/shopping/x")),
        ("Write", {"file_path": "/code/shop/a\nb"}, ToolTitle("Write", "a\\nb")),
        ("Bash", {"command": "ls -l"}, ToolTitle("Bash", "ls -l")),
        ("Bash", {"command": "a\nb"}, ToolTitle("Bash", "a …")),
        ("Bash", {"command": "a\x1b[31m\u202e"}, ToolTitle("Bash", "a\\x1b[31m\\u202e")),
        ("Bash", {"command": 7}, ToolTitle("Bash", "")),
        ("!", {"command": "npm test"}, ToolTitle("!", "npm test")),
        ("Grep", {"pattern": "TODO", "path": "src"}, ToolTitle("Grep", '"TODO" in src')),
        ("Grep", {"pattern": "x", "glob": "*.py"}, ToolTitle("Grep", '"x" (*.py)')),
        ("Grep", {"pattern": "x", "path": CWD}, ToolTitle("Grep", '"x"')),
        ("Glob", {"pattern": "**/*.py"}, ToolTitle("Glob", "**/*.py")),
        ("WebFetch", {"url": "http://x"}, ToolTitle("Fetch", "http://x")),
        ("WebSearch", {"query": "textual"}, ToolTitle("Search", '"textual"')),
        ("mcp__git__log", {"n": 3, "path": "a"}, ToolTitle("git: log", "a")),
        ("Unknown", {}, ToolTitle("Unknown", "")),
    ],
)
def test_titles(name: str, given: dict[str, Any], title: ToolTitle):
    assert tool_title(call(name, **given), CWD) == title


@pytest.mark.parametrize(
    ("name", "details", "summary"),
    [
        ("Edit", {"structuredPatch": PATCH}, "+2 −1"),
        ("Edit", {"structuredPatch": PATCH, "added": 5, "removed": 0}, "+5"),
        ("Edit", {"structuredPatch": "odd"}, "no change"),
        ("Write", {"type": "create", "content": "a\nb\n"}, "new · 2 lines"),
        ("Write", {"type": "create", "content": ""}, "new · 0 lines"),
        ("Write", {"type": "update", "structuredPatch": PATCH}, "+2 −1"),
        ("Bash", {"exitCode": 0, "stdout": ""}, "ok"),
        ("Bash", {"exitCode": 0, "stdout": "a\nb\nc\n"}, "ok · 3 lines"),
        ("Bash", {"exitCode": 2}, "exit 2"),
        ("!", {"exitCode": 2}, "exit 2"),
        ("Bash", {"exitCode": 1, "returnCodeInterpretation": "no match found"}, "no match found"),
        ("Bash", {"interrupted": True, "exitCode": 137}, "interrupted"),
        ("Bash", {"timedOutAfterMs": 1000, "interrupted": True}, "timed out"),
        ("Bash", {"backgroundTaskId": "b1"}, "in background"),
        ("Grep", {"mode": "content", "numFiles": 6, "numMatches": 14}, "14 in 6 files"),
        ("Grep", {"mode": "content", "numLines": 3}, "3 lines"),
        ("Grep", {"mode": "files_with_matches", "numFiles": 1}, "1 file"),
        ("Grep", {"mode": "content", "numFiles": 0}, "no match"),
        ("Glob", {"numFiles": 100, "truncated": True}, "100+ files"),
        ("Glob", {"numFiles": 0}, "no match"),
        ("Read", {"file": {"numLines": 200, "startLine": 1, "totalLines": 512}}, "1–200 of 512"),
        ("Read", {"file": {"numLines": 50, "startLine": 100, "totalLines": 512}}, "100–149 of 512"),
        ("Read", {"file": {"numLines": 12, "startLine": 1, "totalLines": 12}}, "12 lines"),
        ("Read", {}, ""),
        ("Other", {}, ""),
    ],
)  # fmt: skip
def test_summaries(name: str, details: dict[str, Any], summary: str):
    assert tool_summary(call(name), ToolResult("text", details=details)) == summary


def test_an_image_is_named():
    result = ToolResult([{"type": "image", "source": {}}])
    assert tool_summary(call("Read"), result) == "image"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("Exit code 1\n\n  boom\nmore", "boom …"),
        ("<tool_use_error>File not found</tool_use_error>", "File not found"),
        ("\x1b[31mred", "red"),
        ("", ""),
    ],
)
def test_errors(content: str, line: str):
    assert tool_error(ToolResult(content, is_error=True)).removesuffix(" …") == line.removesuffix(
        " …"
    )
    assert tool_error(ToolResult(content)) == ""


def test_bodies():
    diff = tool_body(
        call("Edit", file_path="a.py"), ToolResult("", details={"structuredPatch": PATCH})
    )
    assert diff == Body("diff", hunks=(Hunk(1, 1, 1, 2, ("-a", "+b", "+c")),), path="a.py")
    new = tool_body(call("Write", file_path="a", content="x\ny\n"), None)
    assert new is not None and new.hunks == (Hunk(0, 0, 1, 2, ("+x", "+y")),)
    text = tool_body(call("Bash", command="ls"), ToolResult("a\n\x1b[1mb\n"))
    assert text == Body("text", text="a\nb")
    long = tool_body(call("Bash", command="a\nb"), ToolResult("out"))
    assert long is not None and long.text == "$ a\nb\nout"
    assert tool_body(call("Bash", command="ls"), ToolResult("")) is None
    failed = tool_body(call("Write", content="x"), ToolResult("no", is_error=True))
    assert failed is not None and (failed.kind, failed.text) == ("text", "no")


@pytest.mark.parametrize(
    ("ms", "told"), [(0, ""), (999, ""), (8200, "8.2s"), (59_940, "59.9s"), (184_000, "3m 04s")]
)
def test_durations(ms: int, told: str):
    assert tool_duration(ms) == told


def test_plus_minus_and_malformed_patches():
    assert plus_minus(0, 0) == ""
    assert plus_minus(3, 2) == "+3 −2"
    assert plus_minus(0, 2) == "−2"
    assert hunks_of([{"lines": ["+a"]}, "x", {"lines": 3}]) == (Hunk(0, 0, 0, 0, ("+a",)),)


@pytest.mark.parametrize("outcome", ["denied", "ran"], ids=["now", "in an old session"])
def test_what_was_not_approved_is_told_in_the_persons_words(outcome: Outcome):
    call = ToolCall("1", "Bash", {"command": "rm -rf build"})
    plain = ToolResult("The user did not allow this call. Stop.", True, outcome=outcome)
    assert (tool_summary(call, plain), tool_error(plain)) == ("not approved", "")
    reasoned = ToolResult("The call was not allowed: use trash", True, outcome=outcome)
    assert (tool_summary(call, reasoned), tool_error(reasoned)) == ("not approved", "use trash")


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (settle.CUT_STREAM, "skipped"),
        ("in other words", "skipped"),
        (settle.INTERRUPTED, "ran"),
        (settle.STOPPED, "ran"),
    ],
)
def test_a_call_that_never_ran_is_no_error_to_read(text: str, outcome: Outcome):
    result = ToolResult(text, is_error=True, outcome=outcome)
    call = ToolCall("1", "Grep", {"pattern": "x"})
    assert (tool_summary(call, result), tool_error(result)) == ("not run", "")


def test_a_call_that_a_crash_cut_off_is_not_said_to_have_never_run():
    result = ToolResult(settle.LOST, is_error=True, outcome="skipped")
    call = ToolCall("1", "Bash", {"command": "make"})
    assert (tool_summary(call, result), tool_error(result)) == ("not finished", "")


def test_a_long_command_can_be_read_in_full_when_unfolded():
    command = "echo " + "x" * 500 + "\u202e; rm -rf build"
    body = tool_body(ToolCall("1", "Bash", {"command": command}), ToolResult("out"))
    assert body is not None
    assert body.text == "$ echo " + "x" * 500 + "\\u202e; rm -rf build\nout"
