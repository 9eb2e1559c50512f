"""Whatever happens in a run, the log stays whole: what would be sent live is what is sent after a
reload, the strict server takes it, and every event that opens something is followed by its end."""

import asyncio
import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from agentcli.context.payload import PromptFrame, build_payload
from agentcli.demo.reply import ModelRequest, Reply, http_error, text, thinking, tool_use
from agentcli.demo.server import ScriptedServer
from agentcli.demo.stream import encode_event, stream_events
from agentcli.engine.engine import Engine
from agentcli.engine.images import image_block
from agentcli.permissions.rules import parse_rules
from agentcli.protocol.asks import Allow, AskReply, AskRequest, Deny
from agentcli.protocol.blocks import Block
from agentcli.protocol.events import (
    Answered,
    Asked,
    BlockDropped,
    BlockFinished,
    BlockStarted,
    Event,
    RunFinished,
    RunStarted,
    ToolFinished,
    ToolStarted,
)
from agentcli.protocol.ids import new_uuid
from agentcli.provider import retry
from agentcli.session.entries import Entry
from agentcli.session.log import Place, SessionLog
from agentcli.session.replay import replay
from tests.engine.conftest import Bench, settled
from tests.engine.pictures import png
from tests.fakes.asker import ScriptedAsker

_MODELS = ("claude-sonnet-5-5", "claude-opus-4-8", "some-gateway/model-1")
_REASONS = ("end_turn", "max_tokens", "refusal", "pause_turn", "stop_sequence", "odd")
PICTURE = image_block(png(3, 2))
_ERRORS = ("overloaded_error", "api_error", "invalid_request_error")


@dataclass
class Chance:
    """The random choices of one scenario; also its model and its person."""

    random: random.Random
    project: Path
    cancelled: bool = False

    def reply(self, request: ModelRequest) -> Reply:
        roll = self.random.random()
        if roll < 0.08:
            return http_error(self.random.choice((429, 500, 529)), retry_after="0")
        reply = Reply(
            [self._block() for _ in range(self.random.choice((0, 1, 1, 2, 3, 4)))],
            delay=self.moment(),
            seconds_per_delta=self.random.choice((0, 0, 0.001)),
            chunk=self.random.choice((3, 1000)),
        )
        if roll < 0.13:
            return same_ids(reply)
        if roll < 0.25:
            return replace(reply, fail_after=self.random.randrange(1, 14), fail_bytes=7)
        if roll < 0.3:
            return replace(reply, omit_stop=True)
        if roll < 0.36:
            after = self.random.choice((None, 3, 8))
            return replace(reply, error_event=self.random.choice(_ERRORS), fail_after=after)
        if roll < 0.5:
            return replace(reply, stop_reason=self.random.choice(_REASONS))
        return reply

    def _block(self) -> Block:
        some_id = self.random.choice((None, None, f"t{self.random.randrange(4)}"))
        name = self.random.choice(("Glob", "Glob", "Read", "Bash", "Write", "Nope"))
        given: dict[str, Any] = {
            "Glob": {"pattern": "*"},
            "Read": {"file_path": self.random.choice(("/nowhere", str(self.project / "a.txt")))},
            "Bash": {"command": self.random.choice(("true; echo x", "sleep 0.02; echo y"))},
            "Write": {"file_path": str(self.project / "new"), "content": "\ud7ff\u2028\x7f"},
            "Nope": {},
        }[name]
        return self.random.choice(
            (
                text("some words"),
                text(self.random.choice(("", " \n", "w\u2028\x85"))),
                thinking("hm hm"),
                thinking(""),
                tool_use(name, given, some_id),
                tool_use(name, given, some_id),
            )
        )

    def moment(self) -> float:
        return self.random.choice((0, 0, self.random.uniform(0, 0.02)))

    async def send(self, engine: Engine, words: str) -> None:
        """Words, a file or folder that they mention, an image, or a shell command."""
        match self.random.randrange(8):
            case 0:
                await engine.prompt(f"{words} @a.txt @a.txt#L1-9 @no/file @/etc/hostname @./")
            case 1:
                await engine.prompt([{"type": "text", "text": f"{words} @a.txt"}, PICTURE])
            case 2 | 3:
                commands = ("echo a; echo b >&2", "sleep 0.03; echo x", "exit 3", "cd /; echo \x7f")
                await engine.shell(self.random.choice(commands))
            case _:
                await engine.prompt(words)

    async def disturb(self, engine: Engine, run: "asyncio.Task[Any]", texts: list[str]) -> None:
        """Interrupts, prompts, outside cancels, at any time."""
        for _ in range(self.random.randrange(4)):
            await asyncio.sleep(self.random.choice((0, self.random.uniform(0, 0.06))))
            if run.done():
                return
            match self.random.randrange(9):
                case 0 | 1 | 2 | 3:
                    engine.interrupt()
                case 4 | 5 if engine.running:
                    await self.send(engine, texts.pop())
                    if self.random.random() < 0.2:
                        engine.remove(self.random.randrange(2))
                case 6:
                    self.cancelled = run.cancel()
                case 7:
                    await engine.history.clear()
                case _:
                    engine.set_model(self.random.choice(_MODELS))


class RandomAsker(ScriptedAsker):
    """Answers anything at any time, and may interrupt from within the run's own task."""

    engine: Engine

    def __init__(self, chance: Chance) -> None:
        super().__init__()
        self._chance = chance

    async def ask(self, ask_id: str, request: AskRequest) -> AskReply:
        await asyncio.sleep(self._chance.moment())
        if self._chance.random.random() < 0.1:
            self.engine.interrupt()
        return self._chance.random.choice((Allow(), Allow(), Deny("no"), Deny(stop_run=True)))


async def scenario(bench: Bench, server: ScriptedServer, chance: Chance) -> None:
    bench.asker = asker = RandomAsker(chance)
    texts = [f"prompt {n}" for n in range(40)]
    engine = asker.engine = new_engine(bench, server, chance, None)
    for _ in range(chance.random.randrange(1, 5)):
        run = asyncio.ensure_future(send_and_more(chance, engine, texts.pop()))
        noise = asyncio.ensure_future(chance.disturb(engine, run, texts))
        copy = None
        if chance.random.random() < 0.2:
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
        if copy or chance.random.random() < 0.3:
            file = copy or next(bench.home.glob(f"projects/*/{engine.session_id}.jsonl"), None)
            await engine.aclose()
            engine = asker.engine = new_engine(bench, server, chance, file)
    await engine.aclose()


async def send_and_more(chance: Chance, engine: Engine, words: str) -> None:
    """An interrupt must hit the run only, not what its task does afterwards."""
    await chance.send(engine, words)
    await asyncio.sleep(0)


def new_engine(bench: Bench, server: ScriptedServer, chance: Chance, resume: Path | None) -> Engine:
    spec = bench.spec(server)
    if chance.random.random() < 0.3:
        spec = replace(
            spec,
            policy=replace(
                spec.policy,
                deny=tuple(parse_rules(["Grep"], "deny", "flag", str(bench.project)).rules),
            ),
        )
    model = chance.random.choice((*_MODELS, None, None))
    answers = chance.random.random() < 0.7
    return bench.engine(
        server, policy=spec.policy, model=model, resume=resume, answers_shell=answers
    )


def same_ids(reply: Reply) -> Reply:
    """A gateway that gives every response, and every call, the same id."""
    blocks = [
        {**block, "id": "call_0"} if block["type"] == "tool_use" else block
        for block in reply.content
        if block["type"] in ("tool_use", "text")
    ]
    usage = {"input_tokens": 7, "output_tokens": 5}
    events = stream_events(reply, blocks, "msg_same", "gateway", usage)
    return Reply(
        raw=b"".join(map(encode_event, events)), headers={"content-type": "text/event-stream"}
    )


def killed_copy(bench: Bench, engine: Engine, chance: Chance) -> Path | None:
    """The file as a kill would leave it now, its last line torn."""
    found = list(bench.home.glob(f"projects/*/{engine.session_id}.jsonl"))
    if not found:
        return None
    data = found[0].read_bytes()
    cut = data[: len(data) - chance.random.choice((0, 0, chance.random.randrange(300)))]
    copy = found[0].with_name(f"{new_uuid()}.jsonl")
    copy.write_bytes(cut)
    return copy if cut else None


def check_reload(bench: Bench, engine: Engine) -> None:
    if not engine._parts.log.path():  # pyright: ignore[reportPrivateUsage]
        return
    copy = bench.home / "copy.jsonl"
    shutil.copy(bench.session_path(engine), copy)
    log = SessionLog.open_existing(copy, lambda: Place(str(bench.project), None))
    live = engine._parts.log.path()  # pyright: ignore[reportPrivateUsage]
    try:
        assert [e.uuid for e in log.path()] == [e.uuid for e in live]
        for model in _MODELS:
            frame = PromptFrame(model, "", [], {}, cache=False)
            assert build_payload(log.path(), frame) == build_payload(live, frame)
        assert list(replay(log.path())) == list(replay(live))
        calls, answered = calls_and_answers(live)
        assert sorted(calls) == sorted(answered)
    finally:
        log.close()


def calls_and_answers(path: Sequence[Entry]) -> tuple[list[str], list[str]]:
    """Ids of all calls, and of all results."""
    blocks = [block for entry in path for block in entry.blocks]
    calls = [str(block["id"]) for block in blocks if block.get("type") == "tool_use"]
    results = [str(b["tool_use_id"]) for b in blocks if b.get("type") == "tool_result"]
    return calls, results


def check_events(events: list[Event]) -> None:
    open_things: set[tuple[str, Any]] = set()
    for event in events:
        match event:
            case RunStarted():
                assert not open_things
                open_things.add(("run", ""))
            case RunFinished():
                assert open_things == {("run", "")}, open_things
                open_things.clear()
            case BlockStarted():
                assert ("block", (event.message_id, event.index)) not in open_things
                open_things.add(("block", (event.message_id, event.index)))
            case BlockFinished() | BlockDropped():
                open_things.remove(("block", (event.message_id, event.index)))
            case Asked():
                open_things.add(("ask", event.ask_id))
            case Answered():
                open_things.remove(("ask", event.ask_id))
            case ToolStarted():
                assert ("call", event.call.id) not in open_things
                open_things.add(("call", event.call.id))
            case ToolFinished():
                open_things.discard(("call", event.call.id))
            case _:
                pass
    assert not open_things


async def run_scenarios(bench: Bench, seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "_FIRST_DELAY", 0.001)
    (bench.project / "a.txt").write_text("alpha\n")
    for seed in seeds:
        chance = Chance(random.Random(seed), bench.project)
        server = await bench.serve(chance.reply, pace=1)
        try:
            await asyncio.wait_for(scenario(bench, server, chance), 30)
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
        finally:
            await server.stop()


async def test_a_few_random_sessions(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    await run_scenarios(bench, range(24), monkeypatch)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_many_random_sessions(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    await run_scenarios(bench, range(1000, 1400), monkeypatch)
