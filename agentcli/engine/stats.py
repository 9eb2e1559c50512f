"""Usage, cost, time and context use of a session."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agentcli.base.clock import elapsed_ms
from agentcli.base.values import as_dict, as_list
from agentcli.context.tokens import add_usage, context_tokens
from agentcli.protocol.errors import UsageError
from agentcli.protocol.payload import Usage
from agentcli.provider.models import cost_usd, resolve_model
from agentcli.session.compact_entries import tokens_after
from agentcli.session.entries import Entry

_MUCH_CONTEXT = 200_000


@dataclass(slots=True)
class Stats:
    """Running totals. ``per_model`` holds usage and USD by model id; tokens are counts, ``turns``
    the requests (one that was retried counts once), ``api_ms`` the time spent on responses.

    ``earlier_usd`` was spent before the session was resumed; lines count over its whole life, all
    other totals from its opening. ``current_usage`` is that of the newest response.
    """

    cost_usd: float = 0.0
    earlier_usd: float = 0.0
    context_tokens: int = 0
    context_window: int = 0
    turns: int = 0
    api_ms: int = 0
    lines_added: int = 0
    lines_removed: int = 0
    current_usage: Usage | None = None
    usage: Usage = field(default_factory=dict[str, int])
    per_model: dict[str, tuple[Usage, float]] = field(
        default_factory=dict[str, tuple[Usage, float]]
    )
    began: float = field(default_factory=time.monotonic)

    @property
    def total_cost_usd(self) -> float:
        """Of the whole session, what was spent before a resume included."""
        return self.earlier_usd + self.cost_usd

    @property
    def duration_ms(self) -> int:
        """Wall time since the session was opened."""
        return elapsed_ms(self.began)

    @property
    def exceeds_200k_tokens(self) -> bool:
        """True if the newest response and its request took more than 200,000 tokens."""
        return self.context_tokens > _MUCH_CONTEXT

    def add(self, model: str, usage: Usage, took_ms: int) -> None:
        """Count one response; *usage* is empty where the server told none."""
        self.api_ms += took_ms
        if not usage:
            return
        info = resolve_model(model)
        cost = cost_usd(info, usage)
        self.cost_usd += cost
        self.usage = add_usage(self.usage, usage)
        self.context_window = info.window
        self._take_context(usage)
        known, spent = self.per_model.get(model, ({}, 0.0))
        self.per_model[model] = (add_usage(known, usage), spent + cost)

    def add_lines(self, details: dict[str, Any]) -> None:
        """Count what Edit or Write changed; *details* of other tools count nothing."""
        if "structuredPatch" not in details:
            return
        added, removed = _changed_lines(details)
        self.lines_added += added
        self.lines_removed += removed

    def take_earlier(self, path: Sequence[Entry]) -> None:
        """Fill in what a resumed conversation has used up to here."""
        final: dict[str, Entry] = {}
        for entry in path:
            if entry.type == "user":
                self.add_lines(as_dict(entry.data.get("toolUseResult")))
            elif entry.type == "assistant" and not entry.data.get("isApiErrorMessage"):
                if as_dict(entry.message.get("usage")):
                    # Each line of a response carries the usage so far, the last the final one.
                    final[str(entry.message.get("id"))] = entry
        for entry in final.values():
            usage = as_dict(entry.message["usage"])
            self.earlier_usd += _cost(entry.message.get("model"), usage)
        self.show_context(path)

    def show_context(self, path: Sequence[Entry]) -> None:
        """The conversation is *path* now: as full as its last response or compaction left it."""
        self.context_tokens, self.current_usage = 0, None
        for entry in reversed(path):
            if entry.type == "assistant" and not entry.data.get("isApiErrorMessage"):
                usage = as_dict(entry.message.get("usage"))
                if context_tokens(usage):
                    self._take_context(usage)
                    return
            elif left := tokens_after(entry):
                self.context_tokens = left
                return

    def begin(self, window: int) -> None:
        """Count from zero: another session begins."""
        fresh = Stats(context_window=window)
        for name in self.__slots__:
            setattr(self, name, getattr(fresh, name))

    def _take_context(self, usage: Usage) -> None:
        self.context_tokens = context_tokens(usage)
        self.current_usage = add_usage({}, usage)


def _cost(model: object, usage: Usage) -> float:
    """USD, by the price of today; 0.0 for what has none, such as a gateway's own model."""
    try:
        return cost_usd(resolve_model(str(model)), usage)
    except (UsageError, TypeError, ValueError):
        return 0.0


def _changed_lines(details: dict[str, Any]) -> tuple[int, int]:
    """Lines added and removed, counted from the patch where no figures stand (foreign files)."""
    added, removed = details.get("added"), details.get("removed")
    if isinstance(added, int) and isinstance(removed, int):
        return added, removed
    lines = [
        str(line)
        for hunk in as_list(details.get("structuredPatch"))
        for line in as_list(as_dict(hunk).get("lines"))
    ]
    content = details.get("content")
    if not lines and details.get("type") == "create" and isinstance(content, str):
        return len(content.splitlines()), 0
    plus, minus = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    return plus, minus
