"""Thinking blocks come back as they were, after what they were made for, or are refused."""

import copy
from typing import Any

import pytest

from agentcli.demo.checks import check_request
from agentcli.demo.conversation import merge_messages
from agentcli.demo.fingerprint import fingerprint
from agentcli.demo.reply import ApiRefusal, thinking, tool_use
from agentcli.demo.signatures import complete_blocks
from tests.demo.wire import HEADERS, TOOLS, assistant, request_body, result, user, words

SYSTEM = [words("You are a test.")]
REMINDER = words("<system-reminder>\nnote\n</system-reminder>")
BINDING = "thinking-binding-controls-2026-08-01"


def reply_to(body: dict[str, Any], *content: dict[str, Any]) -> dict[str, Any]:
    prefix = fingerprint(body, merge_messages(body["messages"])).before[-1]
    return assistant(*complete_blocks(list(content), body, prefix))


def in_a_loop(**fields: Any) -> dict[str, Any]:
    """A request whose last message answers a call that followed a thinking block."""
    body = request_body("go", system=SYSTEM, tools=TOOLS, **fields)
    said = reply_to(body, thinking("hm"), words("I look."), tool_use("Read", {"file_path": "a"}))
    body["messages"] += [said, user(result(said["content"][2]["id"]), REMINDER)]
    return body


def refused(body: dict[str, Any], headers: dict[str, str] = HEADERS) -> str:
    with pytest.raises(ApiRefusal) as caught:
        check_request(body, headers)
    assert caught.value.status == 400
    return caught.value.message


def test_sent_back_as_it_was_passes_also_after_more_turns() -> None:
    body = in_a_loop()
    check_request(body, HEADERS)
    body["messages"].append(reply_to(body, thinking("aha"), words("Done.")))
    body["messages"].append(user("and now?"))
    check_request(body, HEADERS)


def test_cache_marks_and_key_order_do_not_count() -> None:
    body = in_a_loop()
    body["system"] = [{**SYSTEM[0], "cache_control": {"type": "ephemeral"}}]
    body["messages"][0] = user({"text": "go", "type": "text"})
    body["messages"][2]["content"][0]["cache_control"] = {"type": "ephemeral"}
    check_request(body, HEADERS)


@pytest.mark.parametrize("change", [{"thinking": "hm!"}, {"signature": "aGFsbG8="}])
def test_edited_thinking_of_the_latest_turn(change: dict[str, str]) -> None:
    body = in_a_loop()
    body["messages"][1]["content"][0].update(change)
    assert "cannot be modified" in refused(body)


def test_a_signature_is_required() -> None:
    body = in_a_loop()
    body["messages"][1]["content"][0]["signature"] = ""
    assert "Invalid `signature` in `thinking` block" in refused(body)
    del body["messages"][1]["content"][0]["signature"]
    assert "signature: Field required" in refused(body)


def test_edited_thinking_of_an_older_turn() -> None:
    body = in_a_loop()
    body["messages"].append(reply_to(body, words("Done.")))
    body["messages"] += [user("next"), assistant("yes"), user("next")]
    check_request(body, HEADERS)
    body["messages"][1]["content"][0]["thinking"] = "no"
    assert "Invalid `signature`" in refused(body)


def test_dropped_thinking_in_the_tool_loop() -> None:
    body = in_a_loop()
    del body["messages"][1]["content"][0]
    assert "Expected `thinking` or `redacted_thinking`, but found `tool_use`" in refused(body)
    # Another model may be asked without the thinking of the first one.
    check_request({**body, "model": "claude-haiku-5-5"}, HEADERS)
    # The turn is over with the next prompt: all of it may be stripped.
    body["messages"][-1]["content"].append(words("never mind, do this"))
    check_request(body, HEADERS)


def test_calls_without_thinking_need_none() -> None:
    body = request_body("go", tools=TOOLS)
    said = reply_to(body, tool_use("Read", {}))
    body["messages"] += [said, user(result(said["content"][0]["id"]))]
    check_request(body, HEADERS)


def test_swapped_thinking_is_noticed() -> None:
    body = in_a_loop()
    other = reply_to(request_body("go", system=SYSTEM, tools=TOOLS), thinking("other"), words("x"))
    body["messages"][1]["content"][0] = other["content"][0]
    assert "Expected `thinking`" in refused(body)


def test_thinking_may_not_end_a_message() -> None:
    body = request_body("go")
    body["messages"] += [reply_to(body, thinking("hm")), user("go on")]
    assert "final block in an assistant message cannot be `thinking`" in refused(body)


def change_system(body: dict[str, Any]) -> None:
    body["system"] = [words("You are another test.")]


def change_tools(body: dict[str, Any]) -> None:
    body["tools"] = TOOLS[:-1]


def change_prompt(body: dict[str, Any]) -> None:
    body["messages"][0] = user("go!")


@pytest.mark.parametrize("change", [change_system, change_tools, change_prompt])
def test_a_changed_prefix_invalidates_thinking(change: Any) -> None:
    body = in_a_loop()
    change(body)
    assert "bound to the content before it" in refused(body)

    dropping = copy.deepcopy(body)
    dropping["thinking"] = {
        "type": "adaptive",
        "block_binding": {"prefix_mismatch_behavior": "drop_block"},
    }
    check_request(dropping, {**HEADERS, "anthropic-beta": BINDING})

    # Models without preserved thinking do not look at what stood before.
    older = in_a_loop(model="claude-opus-5")
    change(older)
    check_request(older, HEADERS)

    # Nor does a model read the thinking of another one.
    check_request({**body, "model": "claude-haiku-5-5"}, HEADERS)


def test_display_omitted_sends_empty_thinking_that_verifies() -> None:
    shown = {"type": "adaptive", "display": "omitted"}
    body = in_a_loop(thinking=shown)
    assert body["messages"][1]["content"][0]["thinking"] == ""
    check_request(body, HEADERS)


def test_no_thinking_where_it_is_disabled() -> None:
    body = request_body("go", thinking={"type": "disabled"})
    assert [b["type"] for b in reply_to(body, thinking("hm"), words("x"))["content"]] == ["text"]
