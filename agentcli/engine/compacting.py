"""A summary takes the place of a conversation, or of a part of it: asked for, then written at once.

Until the summary is there nothing is written, so that whatever ends it leaves all as it was.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from agentcli.base.clock import elapsed_ms
from agentcli.context.compact_rules import usable_window
from agentcli.context.compaction import (
    after_summary,
    has_answer,
    unanswered_at,
    written_again,
)
from agentcli.context.marks import is_left_out_note, read_marks
from agentcli.context.sizes import context_size, entry_tokens, estimate_tokens
from agentcli.engine.compact_deps import CompactDeps, overhead
from agentcli.engine.summarizing import make_summary
from agentcli.protocol.errors import UsageError
from agentcli.protocol.events import Compacted, Compacting, CompactTrigger, StateChanged
from agentcli.protocol.ids import new_uuid
from agentcli.session.compact_entries import Side, boundary_draft, summary_draft
from agentcli.session.entries import Entry, EntryDraft
from agentcli.session.prompts import is_prompt, turn_start


def check_manual(deps: CompactDeps) -> None:
    """Raises UsageError where the person cannot have the conversation compacted."""
    if not deps.rules.manual:
        raise UsageError("compaction is turned off (DISABLE_COMPACT)")
    if not has_answer(deps.log.path()):
        raise UsageError("there is too little to compact: the model has not answered yet")


def can_shorten(deps: CompactDeps) -> bool:
    """Is there anything that a summary could take the place of?"""
    path = deps.log.path()
    return has_answer(path[: unanswered_at(path, _window(deps))])


async def compact(deps: CompactDeps, trigger: CompactTrigger, focus: str = "") -> Compacted:
    """Put a summary in the place of the conversation; prompts that are not answered yet stay.

    Raises ProviderError and CancelledError; then the conversation is as it was.
    """
    path = list(deps.log.path())
    cut = unanswered_at(path, _window(deps)) if trigger == "auto" else len(path)
    goes_on = trigger == "auto" and cut == len(path)
    after = after_summary(path, part=False, work_goes_on=goes_on)
    notes = deps.notes if trigger == "auto" else list[EntryDraft]
    return await _compact(deps, path, cut, trigger, focus, after, notes)


async def summarize(deps: CompactDeps, entry_id: str, side: Side, focus: str = "") -> Compacted:
    """Put a summary in the place of what comes from the prompt *entry_id* on (``from``), or of
    what stands before it (``up_to``).

    Raises UsageError where the prompt is gone or there is nothing to summarise; ProviderError and
    CancelledError; the conversation is as it was in all these cases.
    """
    path = list(deps.log.path())
    start = part_start(deps, entry_id, side)
    if side == "up_to":
        after = after_summary(path, part=True, work_goes_on=False)
        return await _compact(deps, path, start, "manual", focus, after, list[EntryDraft], side)
    began = time.monotonic()
    pre = context_size(path, lambda: overhead(deps))
    summary = await _ask(deps, path[start:], "manual", focus, pre, whole=start == 0)
    kept = overhead(deps) + entry_tokens(path[:start]) + estimate_tokens(summary)
    facts = Compacted("manual", pre, min(kept, pre), summary, "from")
    after = after_summary(path, part=True, work_goes_on=False)
    deps.log.append_all([summary_draft(facts, after, elapsed_ms(began))], onto=path[:start])
    _tell(deps, facts)
    return facts


def part_start(deps: CompactDeps, entry_id: str, side: Side) -> int:
    """Where the conversation is parted. Raises UsageError where that makes no sense."""
    if not deps.rules.manual:
        raise UsageError("compaction is turned off (DISABLE_COMPACT)")
    path = deps.log.path()
    found = (at for at, entry in enumerate(path) if entry.uuid == entry_id and is_prompt(entry))
    index = next(found, None)
    if index is None:
        raise UsageError("that prompt is not in this conversation any more")
    start = turn_start(path, index)
    if not has_answer(path[:start] if side == "up_to" else path[start:]):
        where = "before" if side == "up_to" else "after"
        raise UsageError(f"there is no answer {where} that prompt that could be summarised")
    return start


async def _compact(
    deps: CompactDeps,
    path: list[Entry],
    cut: int,
    trigger: CompactTrigger,
    focus: str,
    after: str,
    notes: Callable[[], list[EntryDraft]],
    side: Side = "all",
) -> Compacted:
    began = time.monotonic()
    pre = context_size(path, lambda: overhead(deps))
    # What is left out of the part may be noted behind it.
    part = [*path[:cut], *filter(is_left_out_note, path[cut:])]
    summary = await _ask(deps, part, trigger, focus, pre, whole=True)
    again = notes()
    tail = written_again(path[cut:], 2 + len(again), new_uuid, read_marks(path).left_out)
    facts = Compacted(trigger, pre, 0, summary, side)
    tokens = overhead(deps) + estimate_tokens([summary, after])
    facts = replace(facts, post_tokens=tokens + _drafted([*again, *tail]))
    took = elapsed_ms(began)
    drafts = [boundary_draft(facts, took), summary_draft(facts, after, took), *again, *tail]
    deps.log.append_all(drafts)
    _tell(deps, facts)
    return facts


async def _ask(
    deps: CompactDeps,
    part: Sequence[Entry],
    trigger: CompactTrigger,
    focus: str,
    size: int,
    *,
    whole: bool,
) -> str:
    deps.bus.emit(Compacting(trigger))
    room = deps.window() / max(size, 1)
    try:
        return await make_summary(
            deps.model_turn, part, deps.frame(), focus=focus, whole=whole, room=room
        )
    finally:
        # The request of the summary is no figure of the conversation.
        deps.stats.show_context(deps.log.path())


def _tell(deps: CompactDeps, facts: Compacted) -> None:
    deps.forget()
    deps.stats.show_context(deps.log.path())
    deps.bus.emit(facts)
    deps.bus.emit(StateChanged("context", deps.stats.context_tokens))


def _window(deps: CompactDeps) -> int:
    return usable_window(deps.window(), deps.rules)


def _drafted(drafts: Sequence[EntryDraft]) -> int:
    return entry_tokens([Entry({"type": draft.type, **draft.fields}) for draft in drafts])
