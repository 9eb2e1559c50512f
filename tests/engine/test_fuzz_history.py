"""Whatever is done to a conversation, in whatever order, memory and file hold the same one, and
the strict server takes what is sent of it."""

import asyncio
import contextlib
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from agentcli.demo.reply import ModelRequest, Reply, http_error, text
from agentcli.demo.server import ScriptedServer
from agentcli.engine.engine import Engine
from agentcli.protocol.errors import SessionError, UsageError
from agentcli.provider import retry
from tests.engine.conftest import Bench, settled
from tests.engine.test_fuzz import (
    Chance,
    RandomAsker,
    check_events,
    check_reload,
    killed_copy,
    new_engine,
)

_MODELS = ("claude-sonnet-5-5", "claude-opus-4-8", "some-gateway/model-1")
_SIDES: tuple[Literal["from", "up_to"], ...] = ("from", "up_to")


@dataclass
class Historian(Chance):
    """Also goes back, to and fro, copies, shortens and changes sessions. ``left``: those that
    were left."""

    left: list[Path] = field(default_factory=list[Path])

    def reply(self, request: ModelRequest) -> Reply:
        if "<summary>" in str(request.body["messages"][-1]["content"]):
            return self.random.choice(
                (
                    Reply([text("<summary>what was done</summary>")], delay=self.moment()),
                    Reply([text("<summary>what was done</summary>")]),
                    http_error(400),
                    Reply([text("no")], fail_after=3),
                    super().reply(request),
                )
            )
        return super().reply(request)

    async def change(self, engine: Engine) -> None:
        """One thing that is done to the conversation, whatever comes of it."""
        history, file = engine.history, engine.transcript_path
        prompts = [point.entry_id for point in history.prompts()] or ["none"]
        some = self.random.choice(prompts)
        before = engine.session_id
        with contextlib.suppress(UsageError, SessionError):
            match self.random.randrange(13):
                case 0 | 1 | 2:
                    both = self.random.choice(((True, True), (True, False), (False, True)))
                    await history.rewind(some, conversation=both[0], code=both[1])
                case 3 | 4:
                    await history.undo()
                case 5 | 6:
                    nodes = await history.tree()
                    if nodes:
                        await history.go_to(self.random.choice(nodes).leaf)
                case 7:
                    at = self.random.choice((None, some))
                    await history.branch(self.random.choice(("", "named")), at)
                case 8:
                    await history.compact(self.random.choice(("", "the files")))
                case 9 | 10:
                    await history.summarize(some, self.random.choice(_SIDES))
                case 11:
                    await history.clear()
                case _ if self.left:
                    fork = self.random.random() < 0.4
                    await history.resume(self.random.choice(self.left), fork=fork)
                case _:
                    engine.set_model(self.random.choice(_MODELS))
        if engine.session_id != before and file.exists():
            self.left.append(file)

    async def disturb(self, engine: Engine, run: "asyncio.Task[Any]", texts: list[str]) -> None:
        await super().disturb(engine, run, texts)
        if self.random.random() < 0.2 and not run.done():
            await self.change(engine)


async def _scenario(bench: Bench, server: ScriptedServer, chance: Historian) -> None:
    bench.asker = asker = RandomAsker(chance)
    texts = [f"prompt {n}" for n in range(90)]
    engine = asker.engine = new_engine(bench, server, chance, None)
    for _ in range(chance.random.randrange(4, 12)):
        job = chance.change(engine)
        if chance.random.random() < 0.5:
            job.close()
            job = chance.send(engine, texts.pop())
        run = asyncio.ensure_future(job)
        noise = asyncio.ensure_future(chance.disturb(engine, run, texts))
        copy = None
        if chance.random.random() < 0.15:
            await asyncio.sleep(chance.random.uniform(0, 0.05))
            copy = killed_copy(bench, engine, chance)
        await asyncio.wait([run])
        await noise
        if not chance.cancelled:
            run.result()
        chance.cancelled = False
        assert not engine.running
        await settled(bench)
        check_events(bench.events)
        check_reload(bench, engine)
        refused = [e.error for e in server.requests if e.error]
        assert not refused, refused
        if copy or chance.random.random() < 0.2:
            file = copy or next(bench.home.glob(f"projects/*/{engine.session_id}.jsonl"), None)
            await engine.aclose()
            engine = asker.engine = new_engine(bench, server, chance, file)
    await engine.aclose()


async def _run(bench: Bench, seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "_FIRST_DELAY", 0.001)
    (bench.project / "a.txt").write_text("alpha\n")
    for seed in seeds:
        chance = Historian(random.Random(seed), bench.project)
        server = await bench.serve(chance.reply, pace=1)
        try:
            await asyncio.wait_for(_scenario(bench, server, chance), 30)
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
        finally:
            await server.stop()


async def test_a_few_random_histories(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    await _run(bench, range(12), monkeypatch)


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_many_random_histories(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    await _run(bench, range(1000, 1400), monkeypatch)
