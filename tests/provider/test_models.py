"""The model table and what a request sets for a model."""

from typing import Any

import pytest

from agentcli.protocol.errors import UsageError
from agentcli.provider.models import (
    ALIASES,
    DEFAULT_MODEL,
    cost_usd,
    known_models,
    request_params,
    resolve_model,
    suggest_model,
)


@pytest.mark.parametrize(
    ("name", "model_id", "window", "max_output"),
    [
        ("default", "claude-sonnet-5-5", 1_000_000, 128_000),
        ("Opus", "claude-opus-5-5", 1_000_000, 128_000),
        ("haiku", "claude-haiku-5-5", 1_000_000, 128_000),
        ("fable", "claude-fable-5-1", 1_000_000, 128_000),
        ("best", "claude-fable-5-1", 1_000_000, 128_000),
        (" claude-haiku-4-5-20251001 ", "claude-haiku-4-5-20251001", 200_000, 64_000),
        ("claude-sonnet-4-5[1m]", "claude-sonnet-4-5", 1_000_000, 64_000),
        ("claude-opus-4-6", "claude-opus-4-6", 1_000_000, 128_000),
    ],
)
def test_known(name: str, model_id: str, window: int, max_output: int) -> None:
    info = resolve_model(name)
    assert (info.id, info.window, info.max_output) == (model_id, window, max_output)
    assert info.assumed is False


@pytest.mark.parametrize("name", ["local-x", "vendor/model", "qwen3", "a:b", "claude-sonet-5-5"])
def test_unknown_ids_are_assumed(name: str) -> None:
    info = resolve_model(name)
    assert (info.id, info.window, info.max_output, info.assumed) == (name, 200_000, 32_000, True)
    assert request_params(info, "high", None) == {"max_tokens": 32_000}
    assert cost_usd(info, {"input_tokens": 10**6}) == 0.0


@pytest.mark.parametrize("name", ["", "  ", "claude\x1b[2J-1", "a-1\nb"])
def test_bad_names(name: str) -> None:
    with pytest.raises(UsageError):
        resolve_model(name)


@pytest.mark.parametrize(
    ("name", "hint"), [("sonet", "sonnet"), ("opuss", "opus"), ("zzz", "best")]
)
def test_typing_mistakes(name: str, hint: str) -> None:
    with pytest.raises(UsageError, match=hint):
        resolve_model(name)


def test_suggestions() -> None:
    assert suggest_model("claude-sonet-5-5") == "claude-sonnet-5-5"
    assert suggest_model("something else") is None


def test_the_table_is_whole() -> None:
    models = known_models()
    assert len({info.id for info in models}) == len(models) >= 19
    assert {*ALIASES.values(), DEFAULT_MODEL} <= {info.id for info in models}
    for info in models:
        price = info.price
        assert price is not None
        assert price.read < price.input < price.write_5m < price.write_1h < price.output


@pytest.mark.parametrize(
    ("model", "effort", "max_tokens", "expected"),
    [
        (
            "sonnet",
            None,
            None,
            {"max_tokens": 64_000, "thinking": {"type": "adaptive", "display": "summarized"}},
        ),
        (
            "opus",
            "max",
            10**9,
            {
                "max_tokens": 128_000,
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": "max"},
            },
        ),
        (
            "claude-opus-4-6",
            "xhigh",
            500,
            {
                "max_tokens": 500,
                "thinking": {"type": "adaptive"},
                "output_config": {"effort": "high"},
            },
        ),
        (
            "claude-haiku-4-5",
            "high",
            None,
            {"max_tokens": 64_000, "thinking": {"type": "enabled", "budget_tokens": 16_000}},
        ),
        (
            "claude-haiku-4-5",
            None,
            4000,
            {"max_tokens": 4000, "thinking": {"type": "enabled", "budget_tokens": 2000}},
        ),
        ("claude-haiku-4-5", None, 1500, {"max_tokens": 1500}),
        ("my/model", None, 99_999, {"max_tokens": 99_999}),
    ],
)
def test_request_params(
    model: str, effort: str | None, max_tokens: int | None, expected: dict[str, Any]
) -> None:
    assert request_params(resolve_model(model), effort, max_tokens) == expected


def test_wrong_parameters() -> None:
    with pytest.raises(UsageError, match="low, medium"):
        request_params(resolve_model("opus"), "hihg", None)
    with pytest.raises(UsageError, match="1 or more"):
        request_params(resolve_model("opus"), None, 0)


M = 1_000_000


@pytest.mark.parametrize(
    ("model", "usage", "usd"),
    [
        ("opus", {"input_tokens": M, "output_tokens": M}, 24.0),
        ("opus", {"cache_read_input_tokens": M, "cache_creation_input_tokens": M}, 5.20),
        (
            "opus",
            {
                "cache_creation_input_tokens": M,
                "cache_creation": {"ephemeral_1h_input_tokens": M // 2},
            },
            6.50,
        ),
        ("haiku", {"input_tokens": 100_000, "output_tokens": M}, 0.51),
        ("haiku", {"input_tokens": 100_001, "output_tokens": M}, 2.5500005),
        ("haiku", {"input_tokens": 1, "cache_read_input_tokens": 200_000}, 0.0100005),
        ("sonnet", {"server_tool_use": {"web_search_requests": 3}}, 0.03),
        ("sonnet", {"input_tokens": None, "cache_creation": None, "x": "y"}, 0.0),
        ("sonnet", {}, 0.0),
    ],
)
def test_cost(model: str, usage: dict[str, Any], usd: float) -> None:
    assert cost_usd(resolve_model(model), usage) == pytest.approx(usd)
