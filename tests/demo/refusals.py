"""Bodies that the API refuses, the words it says, and twins that differ little and pass."""

from typing import Any

from tests.demo.wire import TOOLS, assistant, call, request_body, result, tool, user, words

A, B = "toolu_a", "toolu_b"
MARK = {"cache_control": {"type": "ephemeral"}}


def with_tools(*messages: Any, **fields: Any) -> dict[str, Any]:
    return request_body(list(messages), **{"tools": TOOLS, **fields})


def without(body: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key != name}


PAIR = (user("go"), assistant(call(A), call(B)))
IMAGE = {"type": "base64", "media_type": "image/png", "data": "aGk="}
NAMED = {"type": "tool", "name": "Read"}

# (id, refused, words of the refusal, twin that passes)
CASES: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    (
        "unanswered",
        with_tools(*PAIR, user(result(A))),
        f"were found without `tool_result` blocks immediately after: {B}",
        with_tools(*PAIR, user(result(A), result(B))),
    ),
    (
        "unanswered-at-end",
        with_tools(user("go"), assistant(call(A)), model="claude-haiku-4-5"),
        "without `tool_result`",
        with_tools(user("go"), assistant(words("So")), model="claude-haiku-4-5"),
    ),
    (
        "answered-too-late",
        with_tools(*PAIR, user("wait"), assistant("yes"), user(result(A), result(B))),
        "without `tool_result`",
        with_tools(*PAIR, user(result(A), result(B)), assistant("yes"), user("wait")),
    ),
    (
        "system-between",
        with_tools(*PAIR, {"role": "system", "content": "x"}, user(result(A), result(B))),
        "without `tool_result`",
        with_tools(*PAIR, user(result(A), result(B)), {"role": "system", "content": "x"}),
    ),
    (
        "results-not-first",
        with_tools(*PAIR, user(words("here"), result(A), result(B))),
        "without `tool_result`",
        with_tools(*PAIR, user(result(A), result(B), words("here"))),
    ),
    (
        "unknown-result",
        with_tools(*PAIR, user(result(A), result(B), result("toolu_c"))),
        "unexpected `tool_use_id` found in `tool_result` blocks: toolu_c",
        # Consecutive messages of one role are merged before the check.
        with_tools(*PAIR, user(result(A)), user(result(B))),
    ),
    (
        "duplicate-result",
        with_tools(*PAIR, user(result(A), result(B), result(A))),
        "each tool_use must have a single result",
        with_tools(*PAIR, user(result(B), result(A))),
    ),
    (
        "duplicate-call",
        with_tools(user("go"), assistant(call(A), call(A)), user(result(A))),
        "`tool_use` ids must be unique",
        with_tools(user("go"), assistant(call(A)), user(result(A))),
    ),
    (
        "prefill",
        request_body([user("hi"), assistant("So")]),
        "does not support assistant message prefill",
        request_body([user("hi"), assistant("So")], model="claude-haiku-4-5"),
    ),
    (
        "first-assistant",
        request_body([assistant("hi"), user("hi")]),
        'first message must use the "user" role',
        request_body([assistant({"type": "compaction", "content": "…"}), user("hi")]),
    ),
    ("no-messages", request_body([]), "at least one message is required", request_body()),
    ("messages-missing", without(request_body(), "messages"), "messages: Field", request_body()),
    ("empty-content", request_body([user("")]), "must have non-empty content", request_body("a")),
    (
        "empty-text",
        request_body([user(words(""))]),
        "text content blocks must be non-empty",
        request_body([user(words("a"))]),
    ),
    (
        "blank-text",
        request_body([user(words(" \n"))]),
        "must contain non-whitespace text",
        request_body([user(words(" a\n"))]),
    ),
    (
        "empty-text-in-result",
        with_tools(user("go"), assistant(call(A)), user(result(A, [words("")]))),
        "text content blocks must be non-empty",
        with_tools(user("go"), assistant(call(A)), user(result(A, ""))),
    ),
    (
        "role",
        request_body([{"role": "tool", "content": "x"}]),
        "messages.0.role",
        request_body([user("x"), {"role": "system", "content": "x"}]),
    ),
    (
        "message-field",
        request_body([{**user("x"), "id": "msg_1"}]),
        "messages.0.id: Extra inputs are not permitted",
        request_body([user("x")]),
    ),
    (
        "block-field",
        request_body([user({**words("x"), "partial": True})]),
        "messages.0.content.0.text.partial: Extra inputs are not permitted",
        request_body([user({**words("x"), **MARK})]),
    ),
    (
        "call-in-user-message",
        with_tools(user(call(A)), assistant("x"), user("x")),
        "`tool_use` blocks can only be in `assistant`",
        with_tools(user("x"), assistant(call(A)), user(result(A))),
    ),
    (
        "input-not-an-object",
        with_tools(user("x"), assistant({**call(A), "input": "{}"}), user(result(A))),
        "tool_use.input: Field required",
        with_tools(user("x"), assistant({**call(A), "input": {}}), user(result(A))),
    ),
    (
        "document-in-assistant",
        request_body([user("x"), assistant({"type": "document", "source": {}}), user("x")]),
        "`document` blocks can only be in `user`",
        request_body([user({"type": "document", "source": {}})]),
    ),
    (
        "image-type",
        request_body([user({"type": "image", "source": {**IMAGE, "media_type": "image/bmp"}})]),
        "media_type",
        request_body([user({"type": "image", "source": IMAGE})]),
    ),
    (
        "no-tools",
        request_body([user("go"), assistant(call(A)), user(result(A))]),
        "must define tools",
        with_tools(user("go"), assistant(call(A)), user(result(A))),
    ),
    (
        "tool-names",
        request_body(tools=[tool("Read"), tool("Read")]),
        "Tool names must be unique",
        request_body(tools=[tool("Read"), tool("read")]),
    ),
    (
        "tool-name-letters",
        request_body(tools=[tool("a.b")]),
        "tools.0.custom.name",
        request_body(tools=[tool("a-b_1")]),
    ),
    (
        "tool-schema",
        request_body(tools=[{"name": "Read", "input_schema": {"type": "string"}}]),
        "input_schema.type",
        request_body(tools=[{"name": "web_search", "type": "web_search_20260318"}]),
    ),
    (
        "tool-choice-alone",
        request_body(tool_choice={"type": "auto"}),
        "only be specified while providing tools",
        request_body(tool_choice={"type": "auto"}, tools=TOOLS),
    ),
    (
        "tool-choice-forced",
        request_body(tool_choice=NAMED, tools=TOOLS),
        "tool_choice: type `tool` is not supported",
        request_body(tool_choice=NAMED, tools=TOOLS, model="claude-haiku-5-5"),
    ),
    (
        "five-marks",
        request_body(
            [user(*({**words(str(n)), **MARK} for n in range(3)))],
            system=[{**words("s"), **MARK}],
            tools=[{**tool("Read"), **MARK}],
        ),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
        request_body(
            [user(*({**words(str(n)), **MARK} for n in range(3)))],
            system=[words("s")],
            tools=[{**tool("Read"), **MARK}],
        ),
    ),
    ("model-missing", without(request_body(), "model"), "model: Field", request_body()),
    (
        "max-tokens-missing",
        without(request_body(), "max_tokens"),
        "max_tokens: Field required",
        request_body(),
    ),
    (
        "max-tokens-large",
        request_body(max_tokens=128_001),
        "max_tokens: 128001 > 128000, which is the maximum allowed",
        request_body(max_tokens=128_000),
    ),
    (
        "max-tokens-of-the-model",
        request_body(max_tokens=64_001, model="claude-haiku-4-5-20251001"),
        "64001 > 64000",
        request_body(max_tokens=64_001, model="claude-haiku-5-5"),
    ),
    ("temperature", request_body(temperature=1.0), "sampling parameters", request_body()),
    (
        "unknown-field",
        request_body(max_turns=3),
        "max_turns: Extra inputs are not permitted",
        request_body(stop_sequences=["x"]),
    ),
    ("null-field-type", request_body(tools={}), "tools: Input should be", request_body(tools=[])),
    ("empty-system", request_body(system=[words("")]), "system: text", request_body(system="s")),
    (
        "effort",
        request_body(output_config={"effort": "extreme"}),
        "output_config.effort",
        request_body(output_config={"effort": "xhigh"}),
    ),
    (
        "thinking-enabled-new-model",
        request_body(thinking={"type": "enabled", "budget_tokens": 1024}, max_tokens=2000),
        '"thinking.type.enabled" is not supported',
        request_body(
            thinking={"type": "enabled", "budget_tokens": 1024},
            max_tokens=2000,
            model="claude-sonnet-4-6",
        ),
    ),
    (
        "thinking-adaptive-old-model",
        request_body(thinking={"type": "adaptive"}, model="claude-haiku-4-5"),
        '"thinking.type.adaptive" is not supported',
        request_body(thinking={"type": "adaptive"}),
    ),
    (
        "thinking-disabled-where-always-on",
        request_body(thinking={"type": "disabled"}, model="claude-opus-5-5"),
        '"thinking.type.disabled" is not supported',
        request_body(thinking={"type": "disabled"}),
    ),
    (
        "thinking-budget",
        request_body(thinking={"type": "enabled", "budget_tokens": 1000}, model="claude-haiku-4-5"),
        "greater than or equal to 1024",
        request_body(
            thinking={"type": "enabled", "budget_tokens": 1024},
            model="claude-haiku-4-5",
            max_tokens=1025,
        ),
    ),
    (
        "thinking-budget-over-max",
        request_body(
            thinking={"type": "enabled", "budget_tokens": 1024},
            model="claude-haiku-4-5",
            max_tokens=1024,
        ),
        "`max_tokens` must be greater",
        request_body(thinking={"type": "adaptive", "display": "omitted"}),
    ),
    (
        "thinking-binding-without-beta",
        request_body(thinking={"type": "adaptive", "block_binding": {}}),
        "thinking.block_binding: Extra inputs",
        request_body(thinking={"type": "adaptive"}),
    ),
    ("role-a-list", request_body([{"role": [], "content": "x"}]), "role", request_body()),
    ("thinking-type-a-list", request_body(thinking={"type": []}), "thinking.type", request_body()),
    ("tool-a-number", request_body(tools=[1]), "tools.0: Input should", request_body()),
    ("system-a-string", request_body(system=["s"]), "system.0: Input should", request_body()),
    ("message-a-string", request_body(["x"]), "messages.0: Input should", request_body()),
    ("block-a-string", request_body([user("x", "y")]), "content.0.type", request_body()),
    (
        "too-long",
        request_body("x" * 4_100_000),
        "prompt is too long",
        request_body("x" * 3_900_000),
    ),
]
