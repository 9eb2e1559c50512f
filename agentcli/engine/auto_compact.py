"""Compacting in the middle of a run: before a request that would be too large, or after one was."""

from collections.abc import Awaitable, Callable

from agentcli.context.compact_rules import compact_at, due
from agentcli.context.sizes import SizeMeter
from agentcli.engine.compact_deps import CompactDeps, overhead
from agentcli.engine.model_turn import ModelTurn
from agentcli.engine.settle import UNFINISHED, settle_open_calls
from agentcli.protocol.errors import PromptTooLong, ProviderError
from agentcli.protocol.events import Notice

_MOST_IN_A_ROW = 3
_GROWTH = 20
"""After a failure it is tried again when the conversation has grown by this part of the limit."""
_FULL = "model_context_window_exceeded"
_REFILLED = (
    f"The conversation was compacted {_MOST_IN_A_ROW} times in a row and is full again after each "
    "request: something in this turn is too large for the model. Ask for less at a time (parts of "
    "files, filtered output), go back with /rewind, or use a model with more room."
)


class AutoCompact:
    """Belongs to one run, whose requests all go through it."""

    def __init__(self, deps: CompactDeps) -> None:
        self._deps = deps
        self._meter = SizeMeter(lambda: overhead(deps))
        self._in_a_row = 0
        self._answers = 2
        """Since the last compaction."""
        self._failed_at = 0

    async def request(self, send: Callable[[], Awaitable[ModelTurn]]) -> ModelTurn:
        """What *send* gives, with room made for it where that is needed and allowed.

        Raises what *send* raises, and PromptTooLong where compacting is no use any more.
        """
        await self._keep_room()
        try:
            turn = await self._send(send)
        except PromptTooLong:
            if not self._may_shorten():
                raise
        else:
            stop = turn.stop
            if stop is None or stop.stop_reason != _FULL or not self._may_shorten():
                return turn
            settle_open_calls(self._deps.log, self._deps.bus, UNFINISHED)
        await self._compact()
        return await self._send(send)

    async def _send(self, send: Callable[[], Awaitable[ModelTurn]]) -> ModelTurn:
        turn = await send()
        self._answers += 1
        return turn

    def _may_shorten(self) -> bool:
        return self._deps.rules.auto and self._can_shorten()

    def _can_shorten(self) -> bool:
        from agentcli.engine.compacting import can_shorten

        return can_shorten(self._deps)

    async def _keep_room(self) -> None:
        deps = self._deps
        size, window = self._meter.size(deps.log.path()), deps.window()
        if not due(size, window, deps.rules) or not self._can_shorten():
            return
        if self._failed_at and size - self._failed_at < compact_at(window, deps.rules) // _GROWTH:
            return
        try:
            await self._compact()
        except PromptTooLong:
            raise
        except ProviderError as error:
            # There is still some room: the work goes on, and the person knows.
            self._failed_at = size
            deps.bus.emit(Notice("warning", f"Not compacted: {error.message}"))

    async def _compact(self) -> None:
        if self._answers > 1:
            self._in_a_row = 0
        if self._in_a_row >= _MOST_IN_A_ROW:
            raise PromptTooLong(_REFILLED)
        from agentcli.engine.compacting import compact

        await compact(self._deps, "auto")
        self._in_a_row += 1
        self._answers = 0
        self._failed_at = 0
