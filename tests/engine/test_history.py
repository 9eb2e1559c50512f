"""Leaving a conversation, going back in it, copying it, finding it again."""

import asyncio
import shutil
from typing import Any

import pytest

from agentcli.demo.reply import ModelRequest, Reply, Script, text, thinking, tool_use
from agentcli.demo.server import ScriptedServer
from agentcli.engine.engine import Engine
from agentcli.protocol.errors import SessionBusy, UsageError
from agentcli.protocol.events import HistoryChanged, StateChanged
from agentcli.protocol.ids import new_uuid
from agentcli.protocol.prompts import Queued
from tests.engine.conftest import Bench, settled


def script(request: ModelRequest) -> Reply:
    """``write NAME TEXT`` writes a file; ``look`` calls three tools at once; else an echo."""
    words = request.prompt.split()
    if request.calls or not words:
        return Reply([thinking("done"), text(f"did {request.prompt}")])
    if words[0] == "write":
        values = {"file_path": words[1], "content": words[2]}
        return Reply([thinking("hm"), tool_use("Write", values)])
    if words[0] == "look":
        return Reply([tool_use("Glob", {"pattern": f"*.{n}"}) for n in range(3)])
    return Reply([text(f"echo {request.prompt}")])


def prompts_in(body: dict[str, Any]) -> list[str]:
    """Texts of the person in a request, reminders left out."""
    texts = [
        block["text"]
        for message in body["messages"]
        if message["role"] == "user"
        for block in message["content"]
        if block["type"] == "text"
    ]
    return [value for value in texts if not value.startswith("<system-reminder>")]


def results_in(body: dict[str, Any]) -> int:
    return sum(
        block["type"] == "tool_result"
        for message in body["messages"]
        for block in message["content"]
    )


async def talked(
    bench: Bench, *prompts: str, reply: Script = script
) -> tuple[Engine, ScriptedServer]:
    server = await bench.serve(reply)
    engine = bench.engine(server, "bypassPermissions")
    for prompt in prompts:
        result = await engine.prompt(prompt)
        assert result is not None and result.outcome == "success", result
    return engine, server


def texts(engine: Engine) -> list[str]:
    return [point.text for point in engine.history.prompts()]


async def test_a_rewind_takes_the_conversation_back_to_before_a_prompt(bench: Bench) -> None:
    engine, server = await talked(bench, "one", "two", "three")
    second = engine.history.prompts()[1]
    rewound = await engine.history.rewind(second.entry_id, conversation=True, code=False)
    assert rewound.prompt == "two"
    assert texts(engine) == ["one"]
    await settled(bench)
    assert bench.of(HistoryChanged)[-1].reason == "rewind"
    await engine.prompt("instead")
    assert prompts_in(server.requests[-1].body) == ["one", "instead"]
    lines = bench.session_path(engine).read_text()
    assert all(f'"content":"{word}"' in lines for word in ("one", "two", "three", "instead"))


async def test_a_rewind_holds_though_nothing_was_typed_before_the_exit(bench: Bench) -> None:
    engine, server = await talked(bench, "one", "two")
    await engine.history.rewind(engine.history.prompts()[1].entry_id, conversation=True, code=False)
    path = bench.session_path(engine)
    await engine.aclose()
    again = bench.engine(server, resume=path)
    assert texts(again) == ["one"]
    await again.prompt("three")
    assert prompts_in(server.requests[-1].body) == ["one", "three"]


async def test_a_rewind_to_the_first_prompt_leaves_nothing_of_the_conversation(
    bench: Bench,
) -> None:
    engine, server = await talked(bench, "one", "two")
    first = engine.history.prompts()[0]
    assert (await engine.history.rewind(first.entry_id, conversation=True, code=False)).prompt
    await engine.prompt("anew")
    assert prompts_in(server.requests[-1].body) == ["anew"]


async def test_a_rewind_can_be_undone_with_the_files(bench: Bench) -> None:
    engine, _ = await talked(bench, "write a.txt one", "write b.txt new")
    (bench.project / "a.txt").write_text("by hand")
    first = engine.history.prompts()[0]
    plan = await engine.history.plan_restore(first.entry_id)
    assert {change.path.rpartition("/")[2] for change in plan.changes} == {"a.txt", "b.txt"}
    rewound = await engine.history.rewind(first.entry_id, conversation=True, code=True)
    assert rewound.report is not None
    assert not (bench.project / "b.txt").exists()
    # made by the session, changed by hand since: told, not deleted
    assert (bench.project / "a.txt").read_text() == "by hand"
    assert any("a.txt" in problem for problem in rewound.report.problems)
    assert texts(engine) == []
    assert engine.history.can_undo
    await engine.history.undo()
    assert (bench.project / "b.txt").read_text() == "new"
    assert texts(engine) == ["write a.txt one", "write b.txt new"]
    (bench.project / "b.txt").write_text("by hand")
    await engine.history.undo()  # the undo itself
    assert texts(engine) == []
    await engine.history.undo()
    assert (bench.project / "b.txt").read_text() == "by hand"
    assert texts(engine) == ["write a.txt one", "write b.txt new"]


async def test_there_is_no_rewind_to_undo_at_first(bench: Bench) -> None:
    engine, _ = await talked(bench, "one")
    assert not engine.history.can_undo
    with pytest.raises(UsageError):
        await engine.history.undo()


async def test_files_alone_can_go_back(bench: Bench) -> None:
    (bench.project / "a.txt").write_text("old")
    change = {"file_path": "a.txt", "old_string": "old", "new_string": "new"}

    def edits(request: ModelRequest) -> Reply:
        if len(request.calls) == 0:
            return Reply([tool_use("Read", {"file_path": "a.txt"})])
        if len(request.calls) == 1:
            return Reply([tool_use("Edit", change)])
        return Reply([text("edited")])

    other, _ = await talked(bench, "change it", reply=edits)
    assert (bench.project / "a.txt").read_text() == "new"
    point = other.history.prompts()[0]
    assert (point.files, point.added, point.removed) == ((str(bench.project / "a.txt"),), 1, 1)
    await other.history.rewind(point.entry_id, conversation=False, code=True)
    assert (bench.project / "a.txt").read_text() == "old"
    assert texts(other) == ["change it"]


async def test_checkpoints_outlive_a_restart(bench: Bench) -> None:
    engine, server = await talked(bench, "write a.txt one")
    path = bench.session_path(engine)
    await engine.aclose()
    again = bench.engine(server, "bypassPermissions", resume=path)
    point = again.history.prompts()[0]
    await again.history.rewind(point.entry_id, conversation=False, code=True)
    assert not (bench.project / "a.txt").exists()


async def test_commands_are_counted_since_they_cannot_be_undone(bench: Bench) -> None:
    engine, _ = await talked(bench, "one")
    await engine.shell("true")
    plan = await engine.history.plan_restore(engine.history.prompts()[0].entry_id)
    assert (plan.changes, plan.commands) == ((), 1)


async def test_an_unknown_prompt_is_refused(bench: Bench) -> None:
    engine, _ = await talked(bench, "one")
    with pytest.raises(UsageError):
        await engine.history.rewind("gone", conversation=True, code=True)
    with pytest.raises(UsageError):
        await engine.history.go_to("gone")
    assert texts(engine) == ["one"]


async def test_a_branch_is_a_copy_and_the_original_stays(bench: Bench) -> None:
    engine, server = await talked(bench, "one", "look")
    old_id, old = engine.session_id, bench.session_path(engine)
    before = old.read_bytes()
    await engine.history.branch("another way")
    assert engine.session_id != old_id
    assert engine.history.title == "another way"
    await engine.prompt("three")
    assert old.read_bytes() == before
    body = server.requests[-1].body
    assert prompts_in(body) == ["one", "look", "three"]
    assert results_in(body) == 3
    assert server.requests[-1].status == 200


async def test_a_branch_after_a_rewind_has_only_what_is_in_the_conversation(bench: Bench) -> None:
    engine, server = await talked(bench, "one", "two", "three")
    await engine.history.rewind(engine.history.prompts()[1].entry_id, conversation=True, code=False)
    await engine.history.branch()
    assert texts(engine) == ["one"]
    await engine.prompt("x")
    assert prompts_in(server.requests[-1].body) == ["one", "x"]


async def test_a_branch_can_begin_at_an_earlier_place(bench: Bench) -> None:
    engine, _ = await talked(bench, "one", "two", "three")
    nodes = await engine.history.tree()
    node = next(node for node in nodes if node.text == "two")
    await engine.history.branch(at=node.leaf)
    assert texts(engine) == ["one", "two"]


async def test_there_is_nothing_to_branch_from_at_first(bench: Bench) -> None:
    engine, _ = await talked(bench)
    with pytest.raises(UsageError):
        await engine.history.branch()


async def test_clear_begins_a_new_session_and_the_old_one_can_be_resumed(bench: Bench) -> None:
    engine, server = await talked(bench, "one")
    engine.history.rename("the cart")
    old_id, old = engine.session_id, bench.session_path(engine)
    await engine.history.clear()
    assert engine.session_id != old_id
    assert engine.history.previous == old
    assert engine.history.title == "the cart"
    assert not engine.transcript_path.exists()
    await engine.prompt("two")
    assert prompts_in(server.requests[-1].body) == ["two"]
    await engine.history.resume(old)
    assert engine.session_id == old_id
    assert texts(engine) == ["one"]
    await engine.prompt("three")
    assert prompts_in(server.requests[-1].body) == ["one", "three"]


async def test_a_session_in_use_is_refused_and_can_be_forked(bench: Bench) -> None:
    first, server = await talked(bench, "one")
    file = bench.session_path(first)
    second = bench.engine(server, "bypassPermissions")
    await second.prompt("mine")
    with pytest.raises(SessionBusy, match="--fork-session"):
        await second.history.resume(file)
    assert texts(second) == ["mine"]
    before = file.read_bytes()
    await second.history.resume(file, fork=True)
    assert texts(second) == ["one"]
    await second.prompt("two")
    assert prompts_in(server.requests[-1].body) == ["one", "two"]
    assert file.read_bytes() == before


async def test_every_branch_is_in_the_tree_and_can_be_gone_to(bench: Bench) -> None:
    engine, server = await talked(bench, "one", "two")
    await engine.history.rewind(engine.history.prompts()[1].entry_id, conversation=True, code=False)
    await engine.prompt("other")
    nodes = await engine.history.tree()
    assert [node.text for node in nodes] == ["one", "two", "other"]
    assert [node.parent for node in nodes] == [None, 0, 0]
    assert [node.on_path for node in nodes] == [True, False, True]
    assert [node.here for node in nodes] == [False, False, True]
    await engine.history.go_to(nodes[1].leaf)
    assert texts(engine) == ["one", "two"]
    assert [node.here for node in await engine.history.tree()] == [False, True, False]
    await engine.prompt("three")
    assert prompts_in(server.requests[-1].body) == ["one", "two", "three"]
    await engine.history.undo()
    assert texts(engine) == ["one", "other"]


async def test_a_name_is_kept_over_a_restart(bench: Bench) -> None:
    engine, server = await talked(bench, "one")
    engine.history.rename("  the\x1b[31m cart\n total ")
    with pytest.raises(UsageError):
        engine.history.rename(" \n ")
    path = bench.session_path(engine)
    await engine.aclose()
    assert bench.engine(server, resume=path).history.title == "the cart total"


async def test_opening_and_closing_a_session_does_not_change_its_file(bench: Bench) -> None:
    engine, server = await talked(bench, "one")
    path = bench.session_path(engine)
    await engine.aclose()
    before, when = path.read_bytes(), path.stat().st_mtime_ns
    await bench.engine(server, resume=path).aclose()
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, when)


async def test_what_was_queued_when_the_program_died_waits_again(bench: Bench) -> None:
    server = await bench.serve(lambda request: Reply([text("slow")], delay=30), pace=1)
    engine = bench.engine(server)
    run = asyncio.ensure_future(engine.prompt("one"))
    while not server.requests:
        await asyncio.sleep(0.01)
    for words in ("two", "three", "four"):
        await engine.prompt(words)
    engine.remove(1)
    copy = bench.session_path(engine).with_name(f"{new_uuid()}.jsonl")
    shutil.copy(bench.session_path(engine), copy)
    again = bench.engine(server, resume=copy)
    assert again.queued() == (Queued("two"), Queued("four"))
    await again.aclose()
    script = bench.engine(server, resume=copy, takes_up_queue=False)
    assert script.queued() == ()
    engine.interrupt()
    await engine.aclose()
    await run


async def test_the_queue_of_another_session_is_not_this_ones(bench: Bench) -> None:
    server = await bench.serve(lambda request: Reply([text("slow")], delay=30), pace=1)
    engine = bench.engine(server)
    run = asyncio.ensure_future(engine.prompt("one"))
    while not server.requests:
        await asyncio.sleep(0.01)
    await engine.prompt("two")
    await engine.history.clear()
    await run
    await settled(bench)
    assert engine.queued() == ()
    assert [e.value for e in bench.of(StateChanged) if e.what == "queue"][-1] == ()


async def test_a_resumed_session_has_its_model_and_mode_again(bench: Bench) -> None:
    engine, _ = await talked(bench)
    engine.set_model("haiku")
    engine.set_mode("acceptEdits")
    model = engine.model
    await engine.prompt("one")
    old = bench.session_path(engine)
    await engine.history.clear()
    engine.set_model("opus")
    engine.set_mode("plan")
    await engine.prompt("two")
    await engine.history.resume(old)
    assert (engine.model, engine.mode) == (model, "acceptEdits")


async def test_the_title_of_a_very_long_session_is_known_after_a_resume(bench: Bench) -> None:
    engine, server = await talked(bench, "one")
    engine.history.rename("the cart")
    path = bench.session_path(engine)
    await engine.aclose()
    boundary = (
        b'{"type":"system","subtype":"compact_boundary","uuid":"b","parentUuid":null}\n'
        b'{"type":"user","uuid":"s","parentUuid":"b","isCompactSummary":true,'
        b'"message":{"role":"user","content":"so far"}}\n'
    )
    filler = b'{"type":"from-elsewhere","text":"%s"}\n' % (b"x" * 5_000_000)
    path.write_bytes(path.read_bytes() + filler + boundary)
    again = bench.engine(server, resume=path)
    assert again.history.title == "the cart"
    assert len(again.history.entries()) == 2


async def test_where_nothing_is_kept_no_session_is_written_to(bench: Bench) -> None:
    engine, server = await talked(bench, "one")
    path = bench.session_path(engine)
    await engine.aclose()
    before = path.read_bytes()
    silent = bench.engine(server, persist=False)
    for fork in (False, True):
        with pytest.raises(UsageError, match="not kept"):
            await silent.history.resume(path, fork=fork)
    await silent.prompt("two")
    assert path.read_bytes() == before
    assert len(list(bench.home.glob("projects/*/*.jsonl"))) == 1
    with pytest.raises(UsageError, match="not kept"):
        await silent.history.branch()


async def test_what_a_rewound_prompt_mentioned_goes_with_it(bench: Bench) -> None:
    (bench.project / "a.txt").write_text("alpha beta\n")
    engine, server = await talked(bench, "one", "see @a.txt")
    assert "alpha beta" in str(server.requests[-1].body)
    second = engine.history.prompts()[1]
    await engine.history.rewind(second.entry_id, conversation=True, code=False)
    await engine.prompt("instead")
    assert "alpha beta" not in str(server.requests[-1].body)
