"""The request as the log gives it: whole captured bodies, and the API's rules on any log."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentcli.context.marks import PREFIX_KIND
from agentcli.context.payload import PromptFrame, build_payload
from agentcli.context.turn_list import NOT_RUN
from agentcli.session.entries import Entry
from tests.session.trees import call, prompt, result, said

MARK = {"cache_control": {"type": "ephemeral"}}
FRAME = PromptFrame("m", "sys", [], {"max_tokens": 10})


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def attachment(uuid: str, parent: str | None, **values: Any) -> Entry:
    return Entry({"type": "attachment", "uuid": uuid, "parentUuid": parent, "attachment": values})


def thinking(signature: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": "hm", "signature": signature}


def messages(path: list[Entry], model: str = "m") -> list[dict[str, Any]]:
    frame = PromptFrame(model, "", [], {}, cache=False)
    return list(build_payload(path, frame).messages)


def test_the_whole_body_of_one_prompt_with_its_notes() -> None:
    path = [
        attachment("e", None, type="environment", content="Date: today"),
        attachment("x", "e", type="unknown", content="never sent"),
        prompt("a", "x", "fix it"),
    ]
    assert build_payload(path, FRAME).body() == {
        "model": "m",
        "max_tokens": 10,
        "system": [{**text("sys"), **MARK}],
        "messages": [
            {
                "role": "user",
                "content": [
                    text("<system-reminder>\nDate: today\n</system-reminder>"),
                    {**text("fix it"), **MARK},
                ],
            }
        ],
        "stream": True,
    }


def test_cache_marks_do_not_touch_the_log() -> None:
    entry = prompt("a", None, "x")
    build_payload([entry], FRAME)
    assert entry.data["message"]["content"] == "x"


def test_parallel_results_stand_in_one_message_before_text() -> None:
    path = [
        prompt("a", None),
        call("c1", "a", "m1", "t1"),
        call("c2", "c1", "m1", "t2"),
        result("r2", "c2", "t2", "two"),
        result("r1", "c1", "t1", "one"),
        prompt("b", "r1", "and also"),
        said("e", "b", "m2", "done"),
        prompt("f", "e", "thanks"),
    ]
    roles = [(m["role"], [b["type"] for b in m["content"]]) for m in messages(path)]
    assert roles == [
        ("user", ["text"]),
        ("assistant", ["tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result", "text"]),
        ("assistant", ["text"]),
        ("user", ["text"]),
    ]


def test_a_late_block_of_a_response_joins_it_across_results() -> None:
    path = [
        prompt("a", None),
        call("c1", "a", "m1", "t1"),
        result("r1", "c1", "t1"),
        call("c2", "r1", "m1", "t2"),
        result("r2", "c2", "t2"),
    ]
    assert [len(m["content"]) for m in messages(path)] == [1, 2, 2]


def test_open_calls_are_answered_strays_and_doubles_dropped() -> None:
    path = [
        prompt("a", None),
        call("c1", "a", "m1", "t1"),
        result("r0", "c1", "unknown"),
        result("r1", "r0", "t1", "first"),
        result("r2", "r1", "t1", "second"),
        said("s", "r2", "m2", "next"),
        call("c2", "s", "m2", "t2"),
    ]
    built = messages(path)
    assert [b["content"] for b in built[2]["content"]] == ["first"]
    assert built[-1]["content"] == [
        {"tool_use_id": "t2", "type": "tool_result", "content": NOT_RUN, "is_error": True}
    ]


def test_the_last_message_is_the_users() -> None:
    assert messages([prompt("a", None), said("b", "a", "m1", "hi")])[-1]["role"] == "user"
    assert messages([]) == [{"role": "user", "content": [text("Please go on.")]}]


def test_thinking_is_sent_back_whole_or_not_at_all() -> None:
    kept = said("t", "a", "m1", thinking("sig"))
    path = [prompt("a", None), kept, said("s", "t", "m1", "hi"), prompt("b", "s")]
    assert messages(path)[1]["content"][0] == thinking("sig")
    assert messages(path, model="other")[1]["content"] == [text("hi")]
    unsigned = [prompt("a", None), said("t", "a", "m1", thinking("")), said("s", "t", "m1", "hi")]
    assert messages(unsigned)[1]["content"] == [text("hi")]
    bare = [prompt("a", None), said("t", "a", "m1", thinking("sig")), prompt("b", "t")]
    assert [m["role"] for m in messages(bare)] == ["user"]


def test_thinking_that_ends_a_response_is_left_out() -> None:
    cut = [prompt("a", None), said("t", "a", "m1", "hi"), said("u", "t", "m1", thinking("s"))]
    assert messages([*cut, prompt("b", "u")])[1]["content"] == [text("hi")]
    blank = [prompt("a", None), said("t", "a", "m1", thinking("s")), said("u", "t", "m1", "\n")]
    assert [m["role"] for m in messages([*blank, prompt("b", "u")])] == ["user"]


def test_thinking_made_under_another_prefix_is_left_out() -> None:
    path = [
        attachment("p", None, type=PREFIX_KIND, hash="1"),
        prompt("a", "p"),
        said("t", "a", "m1", thinking("old")),
        said("s", "t", "m1", "hi"),
        attachment("q", "s", type=PREFIX_KIND, hash="2"),
        prompt("b", "q"),
        said("u", "b", "m2", thinking("new")),
        said("v", "u", "m2", "ho"),
        prompt("c", "v"),
    ]
    built = messages(path)
    assert built[1]["content"] == [text("hi")]
    assert built[3]["content"] == [thinking("new"), text("ho")]


def test_empty_text_and_local_errors_are_never_sent() -> None:
    failed = Entry({**said("f", "a", "x", "API down").data, "isApiErrorMessage": True})
    path = [prompt("a", None), failed, said("s", "f", "m1", " "), prompt("b", "s")]
    assert [m["role"] for m in messages(path)] == ["user"]
    assert len(messages(path)[0]["content"]) == 2


_STEPS = st.lists(
    st.tuples(st.sampled_from(["p", "s", "c", "r", "t", "n", "e"]), st.integers(0, 3)), max_size=14
)


@given(_STEPS)
def test_any_log_gives_a_request_that_keeps_the_rules(steps: list[tuple[str, int]]) -> None:
    path: list[Entry] = []
    for index, (kind, n) in enumerate(steps):
        uuid = f"u{index}"
        made = {
            "p": lambda uuid=uuid: prompt(uuid, None),
            "s": lambda uuid=uuid, n=n: said(uuid, None, f"m{n}", "words"),
            "c": lambda uuid=uuid, n=n, i=index: call(uuid, None, f"m{n}", f"t{i}"),
            "r": lambda uuid=uuid, n=n, i=index: result(uuid, None, f"t{i - n}"),
            "t": lambda uuid=uuid, n=n: said(uuid, None, f"m{n}", thinking("x")),
            "n": lambda uuid=uuid: attachment(uuid, None, type="environment", content="x"),
            "e": lambda uuid=uuid: said(uuid, None, "m0", ""),
        }[kind]
        path.append(made())
    built = messages(path)
    _check_rules(built)


def _check_rules(built: list[dict[str, Any]]) -> None:
    assert built[0]["role"] == built[-1]["role"] == "user"
    open_calls: list[str] = []
    for index, message in enumerate(built):
        blocks = message["content"]
        assert blocks
        if index:
            assert message["role"] != built[index - 1]["role"]
        kinds = [b["type"] for b in blocks]
        results = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
        if message["role"] == "user":
            assert kinds[: len(results)] == ["tool_result"] * len(results)
            assert sorted(results) == sorted(open_calls)
            open_calls = []
        else:
            assert not results
            open_calls = [b["id"] for b in blocks if b["type"] == "tool_use"]
    assert not open_calls
