"""The summary that needs no model: whatever the entries hold, it is there and short."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agentcli.context.local_summary import MOST_CHARS, local_summary
from agentcli.session.entries import Entry
from tests.session.trees import prompt, result, said


def use(uuid: str, name: str, call_id: str, **values: Any) -> Entry:
    block = {"type": "tool_use", "id": call_id, "name": name, "input": values}
    return said(uuid, None, f"m{uuid}", block)


def test_it_says_what_was_asked_done_and_left_open() -> None:
    failed = result("r", None, "b1", "no such test")
    failed.data["message"]["content"][0]["is_error"] = True
    earlier = "<conversation-summary>\nbefore all this\n</conversation-summary>\n\nframe"
    path = [
        prompt("s", None, earlier, isCompactSummary=True),
        prompt("a", None, "fix the cart\nand the tests"),
        use("b", "Read", "r1", file_path="/p/cart.py"),
        use("c", "Edit", "e1", file_path="/p/cart.py"),
        use("d", "Edit", "e2", file_path="/p/shop.py"),
        said("e", None, "m9", "The total was wrong."),
        use("f", "Bash", "b1", command="pytest -q"),
        failed,
        use("g", "Bash", "b2", command="sleep 9"),
    ]
    text = local_summary(path)
    wanted = ["before all this", "- fix the cart\n  and the tests", "/p/cart.py", "/p/shop.py"]
    wanted += ["The total was wrong.", "pytest -q", "the last call failed: no such test"]
    wanted += ["call without a result: Bash {'command': 'sleep 9'}"]
    assert [part for part in wanted if part not in text] == [] and "frame" not in text
    assert text.count("- /p/cart.py\n") == 2  # written and read


def test_it_is_bounded_and_keeps_the_first_prompt_and_the_newest() -> None:
    path = [prompt(str(n), None, f"wish {n}: " + "x" * 900) for n in range(500)]
    path += [said(f"s{n}", None, f"m{n}", f"said {n} " + "y" * 5000) for n in range(50)]
    text = local_summary(path)
    assert len(text) <= MOST_CHARS and "wish 0:" in text and "wish 499:" in text
    assert "said 49" in text and "wish 200:" not in text and "- …" in text
    assert len(local_summary(path, 500)) <= 500


def test_without_anything_it_still_says_something() -> None:
    assert local_summary([]) and local_summary([], 1)
    assert "\ud800" not in local_summary([prompt("a", None, "x\ud800\x1b[31my")])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "text", "input", "content"]), inner, max_size=3)
    ),
    max_leaves=6,
)
blocks = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "tool_use", "tool_result", "image", 7])},
    optional={
        name: json_values for name in ("text", "input", "content", "is_error", "id", "tool_use_id")
    },
)
entries = st.builds(
    lambda kind, content, more: Entry({"type": kind, "message": {"content": content}, **more}),
    st.sampled_from(["user", "assistant", "attachment", "system", 3]),
    json_values | st.lists(blocks, max_size=3),
    st.fixed_dictionaries(
        {}, optional={"isCompactSummary": json_values, "attachment": json_values}
    ),
)


@settings(max_examples=200)
@given(st.lists(entries, max_size=6))
def test_it_takes_whatever_a_file_may_hold(path: list[Entry]) -> None:
    text = local_summary(path)
    assert text and len(text) <= MOST_CHARS
    text.encode()
