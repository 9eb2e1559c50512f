"""Changes of the conversation that are given up, fail, or meet a disk that refuses."""

import asyncio
import threading
from pathlib import Path

import pytest

from agentcli.demo.reply import ModelRequest, Reply, text, tool_use
from agentcli.engine.build import build_engine
from agentcli.engine.bus import EventBus
from agentcli.engine.logs import Logs
from agentcli.engine.turns import Turns
from agentcli.protocol.errors import SessionError, UsageError
from agentcli.protocol.events import Notice, RunResult
from agentcli.protocol.ids import new_uuid
from agentcli.protocol.prompts import Queued
from agentcli.session.entries import assistant_draft, user_draft
from agentcli.session.log import Place, SessionLog
from tests.engine.conftest import Bench, settled
from tests.engine.test_history import script, talked, texts


async def test_a_resume_that_is_given_up_leaves_the_other_session_free(bench: Bench) -> None:
    engine, _ = await talked(bench, "one")
    other = bench.session_path(engine)
    await engine.history.clear()
    for turns_of_the_loop in range(4):
        job = asyncio.ensure_future(engine.history.resume(other))
        for _ in range(turns_of_the_loop):
            await asyncio.sleep(0)
        job.cancel()
        await asyncio.wait([job])
        if not job.cancelled():
            await engine.history.clear()
    await asyncio.sleep(0.1)
    await engine.history.resume(other)
    assert texts(engine) == ["one"]


async def test_a_compaction_that_is_refused_leaves_the_rewind_to_be_undone(bench: Bench) -> None:
    engine, _ = await talked(bench, "one", "two")
    first = engine.history.prompts()[0]
    await engine.history.rewind(first.entry_id, conversation=True, code=False)
    with pytest.raises(UsageError):
        await engine.history.compact()
    await engine.history.undo()
    assert texts(engine) == ["one", "two"]


async def test_what_the_disk_never_took_is_not_left_in_silence(bench: Bench) -> None:
    bench.home.write_text("no folder")
    engine, _ = await talked(bench, "one")
    assert engine.unsaved
    with pytest.raises(SessionError, match="make room"):
        await engine.history.resume(engine.transcript_path, fork=True)
    await engine.history.clear()
    await settled(bench)
    (lost,) = [event.text for event in bench.of(Notice) if "lost" in event.text]
    assert str(bench.home) in lost


async def test_a_place_with_an_open_call_is_settled_when_it_is_gone_to(bench: Bench) -> None:
    server = await bench.serve(lambda _request: Reply([text("ok")]))
    folder = bench.home / "projects" / "p"
    log = SessionLog(folder / f"{(sid := new_uuid())}.jsonl", sid, lambda: Place("/x", None))
    log.append(user_draft("one"))
    block = tool_use("Glob", {"pattern": "*"}, "c1")
    draft = assistant_draft(
        message_id="m", model="x", block=block, stop_reason=None, usage={}, request_id=None
    )
    call = log.append(draft)
    log.move([])
    log.append(user_draft("two"))
    log.close()
    engine = bench.engine(server, resume=log.file)
    assert texts(engine) == ["two"]
    await engine.history.go_to(call.uuid)
    last = engine.history.entries()[-1].tool_result
    assert last is not None and last["tool_use_id"] == "c1"


async def test_a_problem_that_a_thread_meets_is_told_on_the_loop(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("no folder")
    threads: list[int] = []
    bus = EventBus()
    stream = bus.subscribe()
    stream.push = lambda event: threads.append(threading.get_ident())
    logs = Logs(
        tmp_path / "home",
        tmp_path,
        lambda: Place("/x", None),
        bus.emit_anywhere,
        entrypoint="cli",
        keep=True,
        checkpoints=True,
    )
    await asyncio.to_thread(logs.new().note, {"type": "tag", "tag": "x"})
    await asyncio.sleep(0)
    assert threads == [threading.get_ident()]


async def test_an_engine_can_be_made_in_another_thread(bench: Bench) -> None:
    server = await bench.serve(script)
    spec = bench.spec(server, "bypassPermissions")
    engine = await asyncio.to_thread(build_engine, spec, asker=bench.asker)
    result = await engine.prompt("one")
    assert result is not None and result.outcome == "success"
    await engine.aclose()


async def test_nothing_begins_while_somebody_still_waits_for_the_end(bench: Bench) -> None:
    engine, _ = await talked(bench, "one")
    turns = Turns(engine._parts)  # pyright: ignore[reportPrivateUsage]
    go, result = asyncio.Event(), RunResult("success", "")

    async def job() -> RunResult:
        await go.wait()
        return result

    run = asyncio.ensure_future(turns.run(job))
    await asyncio.sleep(0)
    first, second = (asyncio.ensure_future(turns.stop()) for _ in range(2))
    await asyncio.sleep(0)
    await turns.submit(Queued("never"))
    first.cancel()
    await asyncio.sleep(0)
    go.set()
    await asyncio.gather(run, second)
    assert texts(engine) == ["one"] and engine.queued() == (Queued("never"),)


@pytest.mark.parametrize("side", ["stopped", "written again"])
async def test_files_go_back_to_a_prompt_that_has_no_checkpoint_of_its_own(
    bench: Bench, side: str
) -> None:
    def reply(request: ModelRequest) -> Reply:
        if "<summary>" in request.prompt:
            return Reply([text("<summary>begun</summary>")])
        if "write" in request.prompt and not request.calls:
            return Reply([tool_use("Write", {"file_path": "a.txt", "content": "new"})])
        return Reply([text("ok")])

    engine, _ = await talked(bench, "one", reply=reply)
    if side == "stopped":
        run = asyncio.ensure_future(engine.prompt("two @./"))
        while not engine.running:
            await asyncio.sleep(0)
        engine.interrupt()
        await run
        await engine.prompt("write it")
    else:
        await engine.prompt("write it")
        await engine.history.summarize(engine.history.prompts()[1].entry_id, "up_to")
        await engine.prompt("three")
    point = next(p for p in engine.history.prompts() if p.text.startswith(("two", "write")))
    plan = await engine.history.plan_restore(point.entry_id)
    assert [change.action for change in plan.changes] == ["delete"]
    assert plan.since == point.entry_id
    await engine.history.rewind(point.entry_id, conversation=False, code=True)
    assert not (bench.project / "a.txt").exists()
