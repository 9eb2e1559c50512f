"""An engine on a temp project, against the scripted server over real HTTP."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from agentcli.demo.reply import Script
from agentcli.demo.server import ScriptedServer
from agentcli.engine.build import build_engine
from agentcli.engine.engine import Engine
from agentcli.engine.spec import EngineSpec
from agentcli.permissions.policy import Policy
from agentcli.protocol.events import Event
from agentcli.protocol.modes import PermissionMode
from agentcli.provider.credentials import load_endpoint
from tests.fakes.asker import ScriptedAsker

E = TypeVar("E", bound=Event)
_FAST: dict[str, Any] = {"pace": 0}


@dataclass
class Bench:
    """Makes engines; ``events`` are those of the newest one."""

    project: Path
    home: Path
    stack: AsyncExitStack
    asker: ScriptedAsker = field(default_factory=ScriptedAsker)
    events: list[Event] = field(default_factory=list[Event])

    async def serve(self, script: Script, **options: Any) -> ScriptedServer:
        return await self.stack.enter_async_context(ScriptedServer(script, **(_FAST | options)))

    def spec(self, server: ScriptedServer, mode: PermissionMode = "default") -> EngineSpec:
        policy = Policy(mode, (str(self.project),), str(self.project), str(self.home))
        endpoint = load_endpoint({"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": server.base_url})
        return EngineSpec(self.home, self.project, policy, endpoint, max_retries=3)

    def engine(
        self, server: ScriptedServer, mode: PermissionMode = "default", **changes: Any
    ) -> Engine:
        engine = build_engine(replace(self.spec(server, mode), **changes), asker=self.asker)
        self.events = []
        stream = engine.subscribe()

        async def collect() -> None:
            async for event in stream:
                self.events.append(event)

        task = asyncio.ensure_future(collect())
        self.stack.push_async_callback(self._end, engine, task)
        return engine

    async def _end(self, engine: Engine, task: "asyncio.Task[None]") -> None:
        await engine.aclose()
        await task

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    def session_path(self, engine: Engine) -> Path:
        return next(self.home.glob(f"projects/*/{engine.session_id}.jsonl"))


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    async with AsyncExitStack() as stack:
        yield Bench(project, home, stack)


async def settled(bench: Bench) -> None:
    """Let the collector take what was emitted."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)
