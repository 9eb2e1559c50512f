"""One thing at a time: a run, what was queued behind it, or a change of the conversation itself."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from agentcli.engine.parts import EngineParts
from agentcli.engine.runner import Runner
from agentcli.protocol.events import RunResult
from agentcli.protocol.prompts import Queued


class Turns:
    """Owns whether something runs. All methods are called on the event loop's own thread."""

    def __init__(self, parts: EngineParts) -> None:
        self._parts = parts
        self.runner = Runner(parts)
        self._idle = asyncio.Event()
        self._idle.set()
        self._stopping = 0
        """How many wait for the end of what runs."""

    @property
    def running(self) -> bool:
        """Is a run on, or the conversation being changed?"""
        return not self._idle.is_set()

    async def submit(self, item: Queued) -> RunResult | None:
        """Run *item* to its end, then what was queued meanwhile; the last result. While something
        runs, it is queued and None is returned. Raises as ``Runner.run``."""
        if self.running:
            self._parts.inbox.add(item)
            return None
        return await self.run(lambda: self.runner.run(item))

    async def run(self, job: Callable[[], Awaitable[RunResult]]) -> RunResult:
        """Run *job* while nothing else runs, then what was queued meanwhile; the last result.
        Raises what the runs raise."""
        assert not self.running, "the caller has looked"
        self._idle.clear()
        try:
            result = await job()
            while not self._stopping and (waiting := self._parts.inbox.take()) is not None:
                result = await self.runner.run(waiting)
            return result
        finally:
            self._idle.set()

    async def stop(self) -> None:
        """End what runs; what is queued, also while it ends, stays queued."""
        self._stopping += 1
        try:
            self.runner.interrupt()
            await self._idle.wait()
        finally:
            self._stopping -= 1

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[None]:
        """Nothing else runs while this short block does; a run that is on is ended first. What is
        sent meanwhile waits for the next prompt."""
        while self.running:
            await self.stop()
        self._idle.clear()
        try:
            yield
        finally:
            self._idle.set()
