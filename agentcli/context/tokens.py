"""How full the context window is."""

from agentcli.base.values import as_dict, as_list
from agentcli.protocol.payload import Usage

_PARTS = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)


def context_tokens(usage: Usage) -> int:
    """Tokens that the conversation takes after a response with this usage. Pure.

    With server-side iterations only the last one of kind ``message`` counts.
    """
    for step in reversed(as_list(usage.get("iterations"))):
        if as_dict(step).get("type") == "message":
            return _sum(as_dict(step))
    return _sum(usage)


def add_usage(total: Usage, usage: Usage) -> Usage:
    """Sum of two usages over the four token counts. Pure."""
    return {key: _count(total, key) + _count(usage, key) for key in _PARTS}


def _sum(usage: Usage) -> int:
    return sum(_count(usage, key) for key in _PARTS)


def _count(usage: Usage, key: str) -> int:
    """A figure; a missing, null or odd one (gateways) counts as 0."""
    value = usage.get(key)
    return value if isinstance(value, int) else 0
