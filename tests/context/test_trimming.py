"""A request that does not fit: what goes first, what stays, and that it never grows."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentcli.context.sizes import estimate_tokens
from agentcli.context.trimming import (
    BEGINNING_LEFT_OUT,
    LEFT_OUT,
    Message,
    shrink,
    without_thinking,
)

IMAGE: dict[str, Any] = {"type": "image", "source": {"type": "base64", "data": "AA"}}


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def user(*blocks: Any) -> Message:
    return {"role": "user", "content": list(blocks)}


def model(*blocks: Any) -> Message:
    return {"role": "assistant", "content": list(blocks)}


def call(name: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "Read", "input": given}


def result(name: str, content: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": content}


def turns(count: int, size: int = 4000) -> list[Message]:
    messages: list[Message] = []
    for n in range(count):
        messages += [
            user(text(f"prompt {n}")),
            model(
                {"type": "thinking", "thinking": "hm", "signature": "s"}, call(f"t{n}", path="a")
            ),
            user(result(f"t{n}", f"{n}" * size)),
            model(text(f"answer {n}")),
        ]
    return [*messages, user(text("summarise"))]


def outputs(messages: list[Message]) -> list[str]:
    return [
        block["content"] if block["content"] == LEFT_OUT else "whole"
        for message in messages
        for block in message["content"]
        if block["type"] == "tool_result"
    ]


def test_the_oldest_outputs_go_first_and_only_as_many_as_must() -> None:
    messages = turns(5)
    size = estimate_tokens(messages)
    assert outputs(shrink(messages, size)) == ["whole"] * 5
    smaller = shrink(messages, size - 1500)
    assert outputs(smaller) == [LEFT_OUT] * 2 + ["whole"] * 3
    assert estimate_tokens(smaller) <= size - 1500
    assert outputs(messages) == ["whole"] * 5  # what was given is as it was


def test_long_inputs_and_quoted_files_count_as_outputs() -> None:
    long = "x" * 5000
    messages = [
        user(text(f"<mentioned-file>{long}"), text(long)),
        model(call("t", content=long, path="a", many=["y" * 3000], n=1)),
        user(result("t", "short"), text("summarise")),
    ]
    quoted, typed = shrink(messages, 2000)[0]["content"]
    assert len(quoted["text"]) < 500 and quoted["text"].startswith("<mentioned-file>")
    assert typed["text"] == long
    given = shrink(messages, 2000)[1]["content"][0]["input"]
    assert given["path"] == "a" and given["n"] == 1 and given["many"] == LEFT_OUT
    assert len(given["content"]) < 500


def test_images_go_next_and_first_where_the_request_is_too_large_in_bytes() -> None:
    messages = [
        user(text("look"), IMAGE),
        model(call("t", path="a")),
        user(result("t", [text("x" * 2000), IMAGE])),
        model(text("seen")),
        user(text("summarise")),
    ]
    smaller = shrink(messages, estimate_tokens(messages) - 3000)
    assert '"image"' not in str(smaller).replace("'", '"') and outputs(smaller) == [LEFT_OUT]
    assert smaller[0]["content"][1] == text(f"[image] {LEFT_OUT}")
    by_bytes = shrink(messages, estimate_tokens(messages) - 100, media_first=True)
    assert outputs(by_bytes) == ["whole"]
    assert by_bytes[2]["content"][0]["content"][1] == text(f"[image] {LEFT_OUT}")


def test_then_whole_turns_go_from_the_beginning() -> None:
    messages = [
        part
        for n in range(6)
        for part in (user(text(f"prompt {n} " + "x" * 400)), model(text("y" * 400)))
    ]
    messages.append(user(text("summarise")))
    smaller = shrink(messages, 500)
    assert [message["role"] for message in smaller] == ["user", "assistant"] * 2 + ["user"]
    assert smaller[0]["content"][0] == text(BEGINNING_LEFT_OUT)
    assert "prompt 4" in smaller[0]["content"][1]["text"]
    tiny = shrink(messages, 0)
    assert "prompt 5" in str(tiny) and tiny[-1] == messages[-1] and len(tiny) == 3


def test_of_a_single_long_turn_the_oldest_calls_go_with_their_results() -> None:
    messages = [user(text("do it"))]
    for n in range(10):
        messages += [model(call(f"t{n}", path="a" * 300)), user(result(f"t{n}", "z" * 300))]
    messages[-1]["content"].append(text("summarise"))
    smaller = shrink(messages, 500)
    assert estimate_tokens(smaller) <= 550 and smaller[0]["content"][1] == text("do it")
    calls = [block["id"] for m in smaller for block in m["content"] if block["type"] == "tool_use"]
    answers = [
        block["tool_use_id"]
        for m in smaller
        for block in m["content"]
        if block["type"] == "tool_result"
    ]
    assert calls == answers and calls[-1] == "t9"


def test_thinking_goes_and_roles_still_alternate() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    messages = [user(text("a")), model(thought), user(text("b")), model(thought, text("c"))]
    assert without_thinking(messages) == [user(text("a"), text("b")), model(text("c"))]


blocks = st.sampled_from(["x", "x" * 900, "y" * 5000])


@given(st.lists(st.tuples(blocks, blocks, st.booleans()), max_size=8), st.integers(0, 4000))
def test_it_never_grows_and_stays_a_conversation(
    rounds: list[tuple[str, str, bool]], target: int
) -> None:
    messages = [user(text("begin"))]
    for n, (asked, output, asks) in enumerate(rounds):
        messages += [model(call(f"t{n}", path=asked)), user(result(f"t{n}", output))]
        if asks:
            messages += [model(text("done")), user(text(asked), IMAGE)]
    if messages[-1]["role"] == "user":
        messages[-1] = user(*messages[-1]["content"], text("summarise"))
    smaller = shrink(messages, target)
    assert estimate_tokens(smaller) <= max(target, estimate_tokens(messages))
    roles = [message["role"] for message in smaller]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
    assert all(message["content"] for message in smaller)
    open_calls: set[str] = set()
    for message in smaller:
        answers = {b["tool_use_id"] for b in message["content"] if b["type"] == "tool_result"}
        assert answers == open_calls
        open_calls = {b["id"] for b in message["content"] if b["type"] == "tool_use"}
    assert "summarise" in str(smaller[-1])
