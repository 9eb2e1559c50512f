"""What a compaction works with. Apart from the doing, which most runs never need."""

from collections.abc import Callable
from dataclasses import dataclass

from agentcli.context.compact_rules import CompactRules
from agentcli.context.payload import PromptFrame
from agentcli.context.sizes import estimate_tokens
from agentcli.engine.bus import EventBus
from agentcli.engine.model_turn import ModelTurnDeps
from agentcli.engine.stats import Stats
from agentcli.session.entries import EntryDraft
from agentcli.session.log import SessionLog


@dataclass(frozen=True, slots=True)
class CompactDeps:
    """What a compaction works with.

    ``window`` is the model's; ``notes`` gives what must be said to the model anew behind a
    summary; ``forget`` is called when the model has lost sight of the files that it read.
    """

    log: SessionLog
    bus: EventBus
    stats: Stats
    model_turn: ModelTurnDeps
    frame: Callable[[], PromptFrame]
    window: Callable[[], int]
    rules: CompactRules
    notes: Callable[[], list[EntryDraft]]
    forget: Callable[[], None]


def overhead(deps: CompactDeps) -> int:
    """An estimate of system prompt and tools in tokens."""
    frame = deps.frame()
    return estimate_tokens([frame.system, frame.tools])
