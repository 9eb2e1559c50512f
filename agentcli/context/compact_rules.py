"""When a conversation is compacted by itself: a comparison of figures. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

LEAST_WINDOW, MOST_WINDOW = 100_000, 1_000_000
_RESERVE = 33_000
"""Tokens that are kept free: for the answer that crosses the line, and for the summary."""
_YES = ("1", "true", "yes", "on")


@dataclass(frozen=True, slots=True)
class CompactRules:
    """``auto``: it happens by itself; ``manual``: the person may ask for it. ``window`` takes the
    place of a larger window of the model, ``percent`` of it is the latest moment."""

    auto: bool = True
    manual: bool = True
    window: int | None = None
    percent: int | None = None


def load_compact_rules(
    env: Mapping[str, str], enabled: bool | None = None, window: int | None = None
) -> CompactRules:
    """From the settings *enabled* and *window*, and the environment, which wins. Pure.

    A figure of the environment that is none is passed over.
    """
    manual = not _is_on(env, "DISABLE_COMPACT")
    from_env = _number(env, "CLAUDE_CODE_AUTO_COMPACT_WINDOW")
    if from_env is not None:
        window = min(max(from_env, LEAST_WINDOW), MOST_WINDOW)
    percent = _number(env, "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE")
    return CompactRules(
        auto=manual and enabled is not False and not _is_on(env, "DISABLE_AUTO_COMPACT"),
        manual=manual,
        window=window,
        percent=percent if percent is not None and 1 <= percent <= 100 else None,
    )


def usable_window(model_window: int, rules: CompactRules) -> int:
    """The window that counts: the model's, or a smaller one that was chosen. Pure."""
    return min(model_window, rules.window or model_window)


def compact_at(model_window: int, rules: CompactRules) -> int:
    """The context in tokens from which on a conversation is compacted by itself. Pure."""
    window = usable_window(model_window, rules)
    limit = window - min(_RESERVE, window // 5)
    return min(limit, window * rules.percent // 100) if rules.percent else limit


def due(tokens: int, model_window: int, rules: CompactRules) -> bool:
    """Must a conversation of *tokens* be compacted before the next request? Pure."""
    return rules.auto and tokens >= compact_at(model_window, rules)


def _is_on(env: Mapping[str, str], name: str) -> bool:
    return env.get(name, "").strip().lower() in _YES


def _number(env: Mapping[str, str], name: str) -> int | None:
    text = env.get(name, "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else None
