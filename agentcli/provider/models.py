"""What is known about models: names, limits, prices, thinking; and what a request sets for them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from agentcli.base.text import one_line
from agentcli.protocol.errors import UsageError

DEFAULT_MODEL = "claude-sonnet-5-5"
EFFORTS = ("low", "medium", "high", "xhigh", "max")
UNKNOWN_WINDOW = 200_000
UNKNOWN_MAX_OUTPUT = 32_000
# Thinking counts as output, so the bound is generous; yet a run-away answer should end.
USUAL_MAX_TOKENS = 64_000
_THINKING_BUDGET = 16_000
_LEAST_BUDGET = 1024
_WEB_SEARCH_USD = 0.01


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens; ``write_*`` is for storing in the cache, ``read`` for a hit."""

    input: float
    output: float
    write_5m: float
    write_1h: float
    read: float


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One model. ``long_price`` holds from ``long_from`` prompt tokens on.

    ``summarize`` is set where thinking comes back empty unless a summary is asked for;
    ``assumed`` says that the values are a guess because the model is not in the table.
    """

    id: str
    name: str
    window: int
    max_output: int
    price: Price | None
    thinking: Literal["adaptive", "enabled", "none"]
    efforts: tuple[str, ...]
    summarize: bool = False
    long_price: Price | None = None
    long_from: int = 0
    assumed: bool = False


_FABLE_5 = Price(10, 50, 12.50, 20, 1.0)
_FABLE_5_1 = Price(10, 50, 12.50, 20, 0.25)
_OPUS = Price(5, 25, 6.25, 10, 0.50)
_SONNET_4 = Price(3, 15, 3.75, 6, 0.30)
_SONNET_5 = Price(2, 10, 2.50, 4, 0.20)
_NO_XHIGH = ("low", "medium", "high", "max")


def _current(model_id: str, name: str, price: Price) -> ModelInfo:
    return ModelInfo(model_id, name, 1_000_000, 128_000, price, "adaptive", EFFORTS, summarize=True)


def _gen_4_6(model_id: str, name: str, price: Price) -> ModelInfo:
    return ModelInfo(model_id, name, 1_000_000, 128_000, price, "adaptive", _NO_XHIGH)


def _gen_4_5(model_id: str, name: str, price: Price, efforts: tuple[str, ...]) -> ModelInfo:
    return ModelInfo(model_id, name, 200_000, 64_000, price, "enabled", efforts)


_TABLE = {
    info.id: info
    for info in (
        _current("claude-opus-5-5", "Opus 5.5", Price(4, 20, 5, 8, 0.20)),
        _current("claude-sonnet-5-5", "Sonnet 5.5", _SONNET_5),
        replace(
            _current("claude-haiku-5-5", "Haiku 5.5", Price(0.10, 0.50, 0.125, 0.20, 0.01)),
            long_price=Price(0.50, 2.50, 0.625, 1.0, 0.05),
            long_from=100_000,
        ),
        # No price is published for 5.2; its predecessor's is the best guess.
        _current("claude-fable-5-2", "Fable 5.2", _FABLE_5_1),
        _current("claude-fable-5-1", "Fable 5.1", _FABLE_5_1),
        _current("claude-fable-5", "Fable 5", _FABLE_5),
        _current("claude-mythos-5-2", "Mythos 5.2", _FABLE_5_1),
        _current("claude-mythos-5-1", "Mythos 5.1", _FABLE_5_1),
        _current("claude-mythos-5", "Mythos 5", _FABLE_5),
        _current("claude-mythos-preview", "Mythos Preview", Price(25, 125, 31.25, 50, 2.50)),
        _current("claude-opus-5", "Opus 5", _OPUS),
        _current("claude-opus-4-8", "Opus 4.8", _OPUS),
        _current("claude-opus-4-7", "Opus 4.7", _OPUS),
        _gen_4_6("claude-opus-4-6", "Opus 4.6", _OPUS),
        _gen_4_5("claude-opus-4-5", "Opus 4.5", _OPUS, ("low", "medium", "high")),
        _current("claude-sonnet-5", "Sonnet 5", _SONNET_5),
        _gen_4_6("claude-sonnet-4-6", "Sonnet 4.6", _SONNET_4),
        _gen_4_5("claude-sonnet-4-5", "Sonnet 4.5", _SONNET_4, ()),
        _gen_4_5("claude-haiku-4-5", "Haiku 4.5", Price(1, 5, 1.25, 2, 0.10), ()),
    )
}
ALIASES = {
    "default": DEFAULT_MODEL,
    "best": "claude-fable-5-1",
    "fable": "claude-fable-5-1",
    "opus": "claude-opus-5-5",
    "sonnet": "claude-sonnet-5-5",
    "haiku": "claude-haiku-5-5",
}
_DATE = re.compile(r"-\d{8}$")
_LONG_WINDOW = "[1m]"


def known_models() -> list[ModelInfo]:
    """The table, newest and most usual first. Pure."""
    return list(_TABLE.values())


def resolve_model(name: str) -> ModelInfo:
    """The model that an alias or id means; values of an unknown id are ``assumed``. Pure.

    Raises UsageError for an empty name, control characters, or a single word that is no alias
    (a typing mistake; gateway ids have a digit or one of ``- / : .`` in them).
    """
    text = name.strip()
    if not text or not text.isprintable():
        raise UsageError("The model name is empty or has control characters in it.")
    long_window = text.lower().endswith(_LONG_WINDOW)
    if long_window:
        text = text[: -len(_LONG_WINDOW)]
    model_id = ALIASES.get(text.lower(), text)
    info = _TABLE.get(model_id) or _dated(model_id) or _assumed(model_id)
    return replace(info, window=max(info.window, 1_000_000)) if long_window else info


def suggest_model(name: str) -> str | None:
    """The alias or id that *name* was most likely meant to be. Pure."""
    from difflib import get_close_matches

    close = get_close_matches(name.strip().lower(), [*ALIASES, *_TABLE], n=1, cutoff=0.7)
    return close[0] if close else None


def request_params(info: ModelInfo, effort: str | None, max_tokens: int | None) -> dict[str, Any]:
    """``max_tokens``, ``thinking`` and ``output_config`` of a request body. Pure.

    An effort above what the model has is lowered, one for a model without efforts left out.
    Raises UsageError for an unknown effort word or a ``max_tokens`` below 1.
    """
    limit = _max_tokens(info, max_tokens)
    params: dict[str, Any] = {"max_tokens": limit}
    if info.thinking == "adaptive":
        params["thinking"] = {"type": "adaptive"}
        if info.summarize:
            params["thinking"]["display"] = "summarized"
    elif info.thinking == "enabled":
        budget = min(_THINKING_BUDGET, limit // 2)
        if budget >= _LEAST_BUDGET:
            params["thinking"] = {"type": "enabled", "budget_tokens": budget}
    level = _effort(info, effort)
    if level:
        params["output_config"] = {"effort": level}
    return params


def cost_usd(info: ModelInfo, usage: Mapping[str, Any]) -> float:
    """What one response cost in USD; 0.0 for a model without known price. Pure.

    *usage* must be of one response: the price band depends on the size of its prompt.
    """
    fresh = _count(usage, "input_tokens")
    read = _count(usage, "cache_read_input_tokens")
    written = _count(usage, "cache_creation_input_tokens")
    is_long = info.long_price is not None and fresh + read + written > info.long_from
    price = info.long_price if is_long else info.price
    if price is None:
        return 0.0
    one_hour = min(written, _count(usage.get("cache_creation"), "ephemeral_1h_input_tokens"))
    tokens_usd = (
        fresh * price.input
        + read * price.read
        + (written - one_hour) * price.write_5m
        + one_hour * price.write_1h
        + _count(usage, "output_tokens") * price.output
    )
    searches = _count(usage.get("server_tool_use"), "web_search_requests")
    return tokens_usd / 1_000_000 + searches * _WEB_SEARCH_USD


def _dated(model_id: str) -> ModelInfo | None:
    info = _TABLE.get(_DATE.sub("", model_id))
    return replace(info, id=model_id) if info else None


def _assumed(model_id: str) -> ModelInfo:
    if not re.search(r"[-/:.\d]", model_id):
        hint = suggest_model(model_id)
        also = f" Did you mean '{hint}'?" if hint else f" Known names: {', '.join(ALIASES)}."
        raise UsageError(f"There is no model '{one_line(model_id, 80)}'.{also}")
    return ModelInfo(
        model_id, model_id, UNKNOWN_WINDOW, UNKNOWN_MAX_OUTPUT, None, "none", (), assumed=True
    )


def _max_tokens(info: ModelInfo, wanted: int | None) -> int:
    if wanted is None:
        return min(info.max_output, USUAL_MAX_TOKENS)
    if wanted < 1:
        raise UsageError("The limit of output tokens must be 1 or more.")
    return wanted if info.assumed else min(wanted, info.max_output)


def _effort(info: ModelInfo, wanted: str | None) -> str | None:
    if wanted is None:
        return None
    if wanted not in EFFORTS:
        raise UsageError(f"Effort must be one of {', '.join(EFFORTS)}.")
    possible = EFFORTS[: EFFORTS.index(wanted) + 1]
    return next((level for level in reversed(possible) if level in info.efforts), None)


def _count(figures: object, name: str) -> int:
    """The figure *name*; a missing, null or odd one counts as 0."""
    if not isinstance(figures, Mapping):
        return 0
    value = cast("Mapping[str, Any]", figures).get(name)
    return value if isinstance(value, int) and value > 0 else 0
