"""A conversation as a document: everything that was said, and nothing that breaks the document."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from agentcli.frontends.shared.export import to_json, to_markdown
from agentcli.session.entries import Entry
from tests.session.trees import call, prompt, result, said


def tool(name: str, given: object, text: str, **more: object) -> list[Entry]:
    block = {"type": "tool_use", "id": "t", "name": name, "input": given}
    answer = Entry({**result("r", "c", "t", text).data, **more})
    return [prompt("p", None, "do it"), said("c", "p", "m", block), answer]


def test_a_conversation_is_read_from_top_to_bottom() -> None:
    entries = [
        prompt("p1", None, "what is it?"),
        said("a1", "p1", "m1", {"type": "thinking", "thinking": "let me see", "signature": "s"}),
        said("a2", "a1", "m1", "It is **this**."),
        prompt("p2", "a2", "thanks"),
    ]
    assert to_markdown(entries, title="A talk") == (
        "# A talk\n\n## You\n\nwhat is it?\n\n## Agent\n\n"
        "<details>\n<summary>thinking</summary>\n\nlet me see\n\n</details>\n\n"
        "It is **this**.\n\n## You\n\nthanks\n"
    )


def test_nothing_said_is_an_empty_document() -> None:
    assert to_markdown([]) == ""
    assert json.loads(to_json([])) == {"entries": []}


def test_a_change_is_shown_as_a_diff_and_not_as_its_input() -> None:
    hunk = {"oldStart": 3, "oldLines": 1, "newStart": 3, "newLines": 1, "lines": ["-old", "+new"]}
    details = {"filePath": "/x/a.py", "structuredPatch": [hunk]}
    given = {"file_path": "/x/a.py", "old_string": "old", "new_string": "new"}
    text = to_markdown(tool("Edit", given, "ok", toolUseResult=details, cwd="/x"))
    assert "**Edit** `a.py` · +1 −1\n\n```diff\n@@ -3,1 +3,1 @@\n-old\n+new\n```" in text
    assert "old_string" not in text


def test_other_tools_show_what_they_were_given_and_what_came_of_it() -> None:
    text = to_markdown(tool("mcp__db__query", {"sql": "select 1", "limit": 3}, "one row"))
    assert '```json\n{\n  "sql": "select 1",\n  "limit": 3\n}\n```' in text
    assert "```\none row\n```" in text


def test_a_call_without_a_result_says_so() -> None:
    text = to_markdown([prompt("p", None), call("c", "p", "m", "t")])
    assert "**Read** `a` · no result" in text


def test_a_command_of_the_person_is_one_of_theirs() -> None:
    entries = [
        prompt("p", None, "<bash-input>ls -l</bash-input>"),
        prompt("o", "p", "<bash-stdout>a file</bash-stdout><bash-stderr></bash-stderr>"),
    ]
    text = to_markdown(entries)
    assert text.startswith("## You\n\n**!** `ls -l`") and "```\na file\n```" in text


def test_what_is_long_is_cut_with_a_note_and_whole_when_wanted() -> None:
    lines = "\n".join(f"line {number}" for number in range(200))
    entries = tool("Bash", {"command": "make"}, lines)
    short, full = to_markdown(entries), to_markdown(entries, full=True)
    assert "line 59\n```\n\n*… 140 more lines left out*" in short and "line 60" not in short
    assert "line 199" in full and "left out" not in full
    one = to_markdown(tool("Bash", {"command": "make"}, "x" * 10_000))
    assert "*… 4,000 more characters left out*" in one


def test_an_image_is_a_note_and_not_its_bytes() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "x", "data": "AAAA"}}
    message = {"role": "user", "content": [{"type": "text", "text": "look"}, image]}
    first = Entry({"type": "user", "uuid": "p", "parentUuid": None, "message": message})
    shown = result("r", "c", "t")
    shown.data["message"]["content"][0]["content"] = [image]
    text = to_markdown([first, call("c", "p", "m", "t"), shown])
    assert "look\n\n*[image]*" in text and "*[1 image]*" in text and "AAAA" not in text


def test_a_compaction_shows_its_summary_folded() -> None:
    facts = {"trigger": "manual", "preTokens": 82_000, "postTokens": 6_000}
    tree = {"uuid": "b", "parentUuid": None, "subtype": "compact_boundary"}
    boundary = Entry({"type": "system", **tree, "compactMetadata": facts})
    summary = prompt("s", "b", "so far", isCompactSummary=True)
    text = to_markdown([boundary, summary, prompt("p", "s", "go on")])
    assert "*compacted: 82,000 → 6,000 tokens*" in text
    assert "<summary>summary</summary>\n\nso far" in text and "## You\n\ngo on" in text


def test_a_thought_cannot_end_its_fold_and_no_escape_comes_through() -> None:
    thought = {"type": "thinking", "thinking": "a </details> b \x1b[31m", "signature": "s"}
    text = to_markdown([prompt("p", None, "x\x1b]0;y\x07\ud800"), said("a", "p", "m", thought)])
    assert text.count("</details>") == 1 and "\x1b" not in text
    text.encode()


@given(st.text(alphabet="`~a\n ", max_size=60))
def test_no_result_can_close_its_fence(inner: str) -> None:
    text = to_markdown(tool("Bash", {"command": "x"}, "a" + inner), full=True)
    fences = re.findall(r"^(`{3,})$", text, re.MULTILINE)
    longest = max(map(len, fences))
    assert [len(fence) for fence in fences].count(longest) == 2
    between = text.split("\n" + "`" * longest + "\n")[1]
    assert between == ("a" + inner).rstrip("\n")


def test_json_holds_the_entries_as_they_are() -> None:
    entries = [prompt("p", None, "x", sessionId="s", cwd="/x"), said("a", "p", "m", "y")]
    held = json.loads(to_json(entries, title="T"))
    assert (held["title"], held["sessionId"], held["cwd"]) == ("T", "s", "/x")
    assert held["entries"] == [entry.data for entry in entries]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), JSON), max_size=6))
def test_no_content_is_too_odd(contents: list[tuple[str, object]]) -> None:
    entries = [
        Entry({"type": kind, "uuid": str(at), "message": {"content": [content, {"type": content}]}})
        for at, (kind, content) in enumerate(contents)
    ]
    to_markdown(entries).encode()
    json.loads(to_json(entries))
