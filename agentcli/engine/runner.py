"""One run from ``RunStarted`` to ``RunFinished``, whatever ends it."""

import asyncio
import time
from collections.abc import Coroutine
from copy import copy

from agentcli.base.clock import elapsed_ms
from agentcli.engine.cancel import CancelLedger
from agentcli.engine.loop import LoopEnd
from agentcli.engine.parts import EngineParts
from agentcli.engine.run import run_item
from agentcli.engine.settle import INTERRUPTED, settle_open_calls
from agentcli.engine.stats import Stats
from agentcli.protocol.errors import ProviderError
from agentcli.protocol.events import Compacted, RunFinished, RunResult, RunStarted
from agentcli.protocol.ids import new_uuid
from agentcli.protocol.prompts import Queued
from agentcli.session.compact_entries import Side
from agentcli.session.entries import (
    INTERRUPT_TEXT,
    INTERRUPT_TOOL_TEXT,
    error_draft,
    interrupt_draft,
)
from agentcli.session.log import sync_later
from agentcli.session.prompts import is_prompt, prompt_label


class Runner:
    """Runs one item at a time, in the task that calls it."""

    def __init__(self, parts: EngineParts) -> None:
        self._parts = parts
        self._ledger = CancelLedger()
        self._label = ""
        """The prompt of the run, for lists of sessions."""

    def interrupt(self) -> bool:
        """Stop the run; True if there is one. Harmless twice."""
        return self._ledger.interrupt()

    async def run(self, item: Queued) -> RunResult:
        """Run a prompt or a command to its end. Raises CancelledError only for an outside cancel,
        and whatever is a bug; the log is whole in every case."""
        parts = self._parts
        began = time.monotonic()
        before = copy(parts.stats)
        parts.denials.clear()
        self._label = item.label
        self._ledger.attach()
        parts.bus.emit(RunStarted(new_uuid()))
        end = LoopEnd("error", "", error="Internal error; the session is kept.")
        status: int | None = None
        try:
            end = await run_item(parts.run_deps(parts), item, parts.max_turns)
            if self._ledger.was_sent:
                # Sent too late to stop anything, but not yet arrived: here, not in the next run.
                await asyncio.sleep(0)
            if end.outcome == "interrupted":
                parts.log.append(interrupt_draft(INTERRUPT_TOOL_TEXT))
        except asyncio.CancelledError:
            end = self._interrupted()
            if self._ledger.settle():
                raise
        except ProviderError as error:
            status = error.status
            end = LoopEnd("error", "", error=error.message)
            parts.log.append(error_draft(error.message))
        finally:
            self._ledger.detach()
            result = self._finish(end, began, before, status)
        return result

    async def compact(self, focus: str = "") -> RunResult:
        """Put a summary in the conversation's place, as a run that can be interrupted; its text
        says what became of it. Raises UsageError, before anything begins, where there is nothing
        to compact; else as ``run``, and the conversation is as it was if no summary came."""
        from agentcli.engine.compacting import check_manual, compact

        deps = self._parts.run_deps(self._parts).compact
        check_manual(deps)
        return await self._shorten(compact(deps, "manual", focus))

    async def summarize(self, entry_id: str, side: Side, focus: str = "") -> RunResult:
        """Put a summary in the place of what comes from a prompt on, or of what was before.
        Raises as ``compact``."""
        from agentcli.engine.compacting import part_start, summarize

        deps = self._parts.run_deps(self._parts).compact
        part_start(deps, entry_id, side)
        return await self._shorten(summarize(deps, entry_id, side, focus))

    async def _shorten(self, job: Coroutine[None, None, Compacted]) -> RunResult:
        parts = self._parts
        began = time.monotonic()
        before = copy(parts.stats)
        parts.denials.clear()
        self._label = _last_label(parts)
        self._ledger.attach()
        parts.bus.emit(RunStarted(new_uuid()))
        end = LoopEnd("error", "", error="Internal error; the session is kept.")
        status: int | None = None
        try:
            facts = await job
            end = LoopEnd("success", _said(facts))
            if self._ledger.was_sent:
                await asyncio.sleep(0)  # too late, as in ``run``: it must arrive here
        except asyncio.CancelledError:
            if end.outcome != "success":
                end = LoopEnd("interrupted", "")
            if self._ledger.settle():
                raise
        except ProviderError as error:
            status = error.status
            end = LoopEnd("error", "", error=error.message)
        finally:
            self._ledger.detach()
            result = self._finish(end, began, before, status, changed=end.outcome == "success")
        return result

    def _interrupted(self) -> LoopEnd:
        parts = self._parts
        settle_open_calls(parts.log, parts.bus, INTERRUPTED)
        path = parts.log.path()
        in_tools = bool(path) and path[-1].tool_result is not None
        parts.log.append(interrupt_draft(INTERRUPT_TOOL_TEXT if in_tools else INTERRUPT_TEXT))
        return LoopEnd("interrupted", "")

    def _finish(
        self,
        end: LoopEnd,
        began: float,
        before: Stats,
        status: int | None,
        *,
        changed: bool = True,
    ) -> RunResult:
        parts = self._parts
        stats = parts.stats
        usage = {key: int(n) - int(before.usage.get(key) or 0) for key, n in stats.usage.items()}
        result = RunResult(
            outcome=end.outcome,
            text=end.text,
            usage=usage,
            cost_usd=stats.cost_usd - before.cost_usd,
            turns=stats.turns - before.turns,
            duration_ms=elapsed_ms(began),
            error=end.error,
            error_status=status,
            denials=tuple(parts.denials),
            stop_reason=end.stop_reason,
        )
        if changed:
            parts.log.keep_in_sight(_last_label(parts) or self._label)
            sync_later(parts.log)
        parts.bus.emit(
            RunFinished(
                result.outcome,
                result.text,
                usage,
                result.cost_usd,
                result.turns,
                result.duration_ms,
                result.error,
                result.denials,
            )
        )
        return result


def _last_label(parts: EngineParts) -> str:
    points = (entry for entry in reversed(parts.log.path()) if is_prompt(entry))
    last = next(points, None)
    return prompt_label(last) if last is not None else ""


def _said(facts: Compacted) -> str:
    what = {"all": "Compacted", "up_to": "Beginning compacted", "from": "End compacted"}[facts.side]
    return f"{what}: {facts.pre_tokens:,} → about {facts.post_tokens:,} tokens."
