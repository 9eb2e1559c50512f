"""Usage, cost and context use of a session."""

from dataclasses import dataclass, field

from agentcli.context.tokens import add_usage, context_tokens
from agentcli.protocol.payload import Usage
from agentcli.provider.models import cost_usd, resolve_model


@dataclass(slots=True)
class Stats:
    """Running totals. ``per_model`` holds usage and USD by model id; tokens are counts, ``turns``
    the requests (one that was retried counts once), ``api_ms`` the time spent on responses."""

    cost_usd: float = 0.0
    context_tokens: int = 0
    context_window: int = 0
    turns: int = 0
    api_ms: int = 0
    usage: Usage = field(default_factory=dict[str, int])
    per_model: dict[str, tuple[Usage, float]] = field(
        default_factory=dict[str, tuple[Usage, float]]
    )

    def add(self, model: str, usage: Usage, took_ms: int) -> None:
        """Count one response; *usage* is empty where the server told none."""
        self.api_ms += took_ms
        if not usage:
            return
        info = resolve_model(model)
        cost = cost_usd(info, usage)
        self.cost_usd += cost
        self.usage = add_usage(self.usage, usage)
        self.context_tokens = context_tokens(usage)
        self.context_window = info.window
        known, spent = self.per_model.get(model, ({}, 0.0))
        self.per_model[model] = (add_usage(known, usage), spent + cost)
