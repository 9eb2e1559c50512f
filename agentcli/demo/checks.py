"""Refuses what the real Messages API would refuse, with its error JSON. Pure.

The conditions follow the public documentation; texts are the confirmed ones where known.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from agentcli.base.values import as_dict, as_list
from agentcli.demo.check_messages import check_messages
from agentcli.demo.check_thinking import check_thinking_blocks, check_thinking_config
from agentcli.demo.conversation import blocks_of, merge_messages
from agentcli.demo.fingerprint import Fingerprint, fingerprint
from agentcli.demo.models import ModelRules, rules_for
from agentcli.demo.reply import ApiRefusal

_FIELDS = {
    *("model", "messages", "max_tokens", "system", "tools", "tool_choice", "thinking", "stream"),
    *("stop_sequences", "metadata", "output_config", "cache_control", "service_tier", "speed"),
    *("container", "diagnostics", "inference_geo"),
}
# Beta fields and the beginning of the beta name that unlocks them.
_BETA_FIELDS = {
    "context_management": "context-management-",
    "compaction": "compact-",
    "mcp_servers": "mcp-client-",
    "fallbacks": "",
    "fallback_credit_token": "",
    "billing_policy": "",
    "thread": "",
}
_TYPES = {
    "tools": list,
    "tool_choice": dict,
    "thinking": dict,
    "output_config": dict,
    "stream": bool,
}
_SAMPLING = ("temperature", "top_p", "top_k")
_VERSIONS = {"2023-01-01", "2023-06-01", "2026-10-21"}
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")


def check_headers(headers: Mapping[str, str], api_key: str | None) -> None:
    """Raises ``ApiRefusal`` (400) for a bad version and (401) for a wrong key."""
    version = headers.get("anthropic-version")
    if version is None:
        raise ApiRefusal("anthropic-version: header is required")
    if version not in _VERSIONS:
        raise ApiRefusal(f'anthropic-version: "{version}" is not a valid version')
    check_key(headers, api_key)


def check_key(headers: Mapping[str, str], api_key: str | None) -> None:
    """Raises ``ApiRefusal`` (401) unless a header carries the key. No key: all are let in."""
    if api_key is None:
        return
    given = headers.get("x-api-key")
    if given is not None:
        if given != api_key:
            raise ApiRefusal("invalid x-api-key", status=401)
    elif headers.get("authorization", "") != f"Bearer {api_key}":
        raise ApiRefusal("Invalid bearer token", status=401)


def decode_body(raw: bytes) -> dict[str, Any]:
    """The JSON object of a request. Raises ``ApiRefusal`` (400) for anything else."""
    try:
        body = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ApiRefusal(f"The request body is not valid JSON: {error}") from error
    if not isinstance(body, dict):
        raise ApiRefusal("The request body is not valid JSON: expected an object")
    return cast("dict[str, Any]", body)


def check_request(
    body: dict[str, Any],
    headers: Mapping[str, str],
    *,
    counting: bool = False,
) -> Fingerprint:
    """The request's fingerprint. Raises ``ApiRefusal`` for what the API would refuse.

    ``counting`` is for ``count_tokens``, which knows neither ``max_tokens`` nor ``stream``.
    """
    betas = tuple(name.strip() for name in headers.get("anthropic-beta", "").split(","))
    _check_fields(body, betas)
    _check_types(body)
    rules = _check_model(body)
    if not counting:
        _check_max_tokens(body, rules)
    _check_system(body)
    _check_tools(body, rules)
    _check_effort(body)
    check_thinking_config(body, rules, betas)
    messages = body.get("messages")
    if not isinstance(messages, list):
        raise ApiRefusal("messages: Field required")
    check_messages(body, cast("list[Any]", messages), rules)
    merged = merge_messages(cast("list[dict[str, Any]]", messages))
    print_ = fingerprint(body, merged)
    check_thinking_blocks(body, merged, print_, rules)
    _check_marks(body)
    if print_.tokens > rules.max_input_tokens:
        limit = rules.max_input_tokens
        raise ApiRefusal(f"prompt is too long: {print_.tokens} tokens > {limit} maximum")
    return print_


def _check_fields(body: Mapping[str, Any], betas: Sequence[str]) -> None:
    for name in body:
        if name in _SAMPLING:
            raise ApiRefusal(f"{name}: sampling parameters are not supported")
        if name in _FIELDS:
            continue
        beta = _BETA_FIELDS.get(name)
        if beta is None or not any(given and given.startswith(beta) for given in betas):
            raise ApiRefusal(f"{name}: Extra inputs are not permitted")


def _check_types(body: Mapping[str, Any]) -> None:
    for name, type_ in _TYPES.items():
        if not isinstance(body.get(name), type_ | None):
            raise ApiRefusal(f"{name}: Input should be a valid {type_.__name__}")
    for name in ("tools", "system"):
        for index, item in enumerate(as_list(body.get(name))):
            if not isinstance(item, dict):
                raise ApiRefusal(f"{name}.{index}: Input should be a valid dictionary or object")


def _check_model(body: Mapping[str, Any]) -> ModelRules:
    model = body.get("model")
    if not isinstance(model, str) or not model:
        raise ApiRefusal("model: Field required")
    if "nonexistent" in model:
        raise ApiRefusal(f"model: {model}", status=404)
    return rules_for(model)


def _check_max_tokens(body: Mapping[str, Any], rules: ModelRules) -> None:
    value = body.get("max_tokens")
    if value is None:
        raise ApiRefusal("max_tokens: Field required")
    if not isinstance(value, int) or isinstance(value, bool):
        raise ApiRefusal("max_tokens: Input should be a valid integer")
    if value < 0:
        raise ApiRefusal("max_tokens: must be greater than or equal to 0")
    if value > rules.max_tokens:
        raise ApiRefusal(
            f"max_tokens: {value} > {rules.max_tokens}, which is the maximum allowed number of "
            f"output tokens for {rules.id}"
        )


def _check_system(body: Mapping[str, Any]) -> None:
    system = body.get("system")
    if system is None or isinstance(system, str):
        return
    if not isinstance(system, list):
        raise ApiRefusal("system: Input should be a valid string or list")
    for index, block in enumerate(blocks_of(cast("Any", system))):
        if block.get("type") != "text":
            raise ApiRefusal(f"system.{index}.type: Input should be 'text'")
        if not str(block.get("text", "")).strip():
            raise ApiRefusal("system: text content blocks must be non-empty")


def _check_tools(body: Mapping[str, Any], rules: ModelRules) -> None:
    tools = blocks_of(body.get("tools") or [])
    for index, tool in enumerate(tools):
        _check_tool(f"tools.{index}", tool)
    names = [str(tool["name"]) for tool in tools]
    if len(set(names)) != len(names):
        raise ApiRefusal("tools: Tool names must be unique.")
    choice = as_dict(body.get("tool_choice"))
    kind = choice.get("type")
    if kind is None:
        return
    if not tools:
        raise ApiRefusal("tool_choice may only be specified while providing tools.")
    if kind in ("any", "tool") and not rules.allows_forced_tool:
        raise ApiRefusal(f"tool_choice: type `{kind}` is not supported for {rules.id}")
    if kind == "tool" and choice.get("name") not in names:
        raise ApiRefusal(f"Tool '{choice.get('name')}' not found in provided tools")


def _check_tool(where: str, tool: Mapping[str, Any]) -> None:
    name = tool.get("name")
    if not isinstance(name, str):
        raise ApiRefusal(f"{where}.name: Field required")
    if _TOOL_NAME.fullmatch(name) is None:
        raise ApiRefusal(f"{where}.custom.name: String should match '^[a-zA-Z0-9_-]{{1,128}}$'")
    if tool.get("type") not in (None, "custom"):
        return
    schema = tool.get("input_schema")
    if not isinstance(schema, dict):
        raise ApiRefusal(f"{where}.custom.input_schema: Field required")
    if as_dict(cast("Any", schema)).get("type") != "object":
        raise ApiRefusal(f"{where}.custom.input_schema.type: Input should be 'object'")


def _check_effort(body: Mapping[str, Any]) -> None:
    effort = as_dict(body.get("output_config")).get("effort")
    if effort is not None and effort not in _EFFORTS:
        raise ApiRefusal(f"output_config.effort: Input should be one of {', '.join(_EFFORTS)}")


def _check_marks(body: Mapping[str, Any]) -> None:
    count = _count(body.get("tools")) + _count(body.get("system"))
    count += int(body.get("cache_control") is not None)
    for message in cast("list[dict[str, Any]]", body["messages"]):
        count += _count(message.get("content"))
    if count > 4:
        raise ApiRefusal(
            f"A maximum of 4 blocks with cache_control may be provided. Found {count}."
        )


def _count(value: Any) -> int:
    blocks = [] if isinstance(value, str) else blocks_of(value)
    return sum(
        (block.get("cache_control") is not None) + _count(block.get("content")) for block in blocks
    )
