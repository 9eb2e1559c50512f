"""The person's own shell commands: run without model and permission, context for what follows."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from agentcli.demo.reply import Reply, http_error, text, tool_use
from agentcli.protocol.calls import ToolCall
from agentcli.protocol.errors import UsageError
from agentcli.protocol.events import (
    Notice,
    PromptAdded,
    RunFinished,
    RunStarted,
    StateChanged,
    ToolFinished,
    ToolProgress,
    ToolStarted,
)
from agentcli.protocol.prompts import Queued
from tests.base.test_procs import alive
from tests.engine.conftest import Bench, settled
from tests.engine.test_run import steps


def texts(body: dict[str, Any]) -> list[str]:
    """All texts of the user's messages, in order, without our note on the surroundings."""
    blocks = [b for m in body["messages"] if m["role"] == "user" for b in m["content"]]
    found = [b["text"] for b in blocks if b["type"] == "text"]
    return [item for item in found if not item.startswith("<system-reminder>")]


async def test_a_command_is_run_logged_sent_and_answered(bench: Bench) -> None:
    server = await bench.serve(steps(Reply([text("it says hello")])))
    engine = bench.engine(server, "plan")
    result = await engine.shell("echo hello; echo oops >&2; exit 3")
    await settled(bench)
    assert result is not None and (result.outcome, result.text) == ("success", "it says hello")
    command = "<bash-input>echo hello; echo oops >&2; exit 3</bash-input>"
    printed = "hello\noops\nExit code 3"
    output = f"<bash-stdout>{printed}</bash-stdout><bash-stderr></bash-stderr>"
    assert texts(server.requests[0].body)[-2:] == [command, output]
    assert bench.asker.asked == [] and bench.of(PromptAdded) == []
    kinds = [type(e) for e in bench.events if not isinstance(e, ToolProgress | StateChanged)]
    assert kinds[:3] == [RunStarted, ToolStarted, ToolFinished] and kinds[-1] is RunFinished
    (started,), (finished,) = bench.of(ToolStarted), bench.of(ToolFinished)
    assert started.call == ToolCall(
        started.call.id, "!", {"command": "echo hello; echo oops >&2; exit 3"}
    )
    assert finished.call == started.call and finished.result.is_error
    assert finished.result.content == printed and finished.result.details["exitCode"] == 3
    assert "".join(e.text for e in bench.of(ToolProgress)) == "hello\noops\n"
    entries = [json.loads(x) for x in bench.session_path(engine).read_text().splitlines()]
    logged = [e["message"]["content"] for e in entries if e["type"] == "user"]
    assert logged == [command, output]
    (again,) = [e for e in engine.replay() if isinstance(e, ToolFinished)]
    assert (again.call, again.entry_id) == (finished.call, finished.entry_id)
    assert again.result.content == printed and again.result.is_error


async def test_the_model_stays_silent_where_the_settings_say_so(bench: Bench) -> None:
    server = await bench.serve(steps())
    engine = bench.engine(server, answers_shell=False)
    result = await engine.shell("echo one")
    assert result is not None and (result.outcome, result.turns) == ("success", 0)
    assert not server.requests
    await engine.prompt("what was it?")
    assert texts(server.requests[0].body) == [
        "<bash-input>echo one</bash-input>",
        "<bash-stdout>one</bash-stdout><bash-stderr></bash-stderr>",
        "what was it?",
    ]


async def test_an_interrupt_kills_the_command_and_keeps_what_it_printed(
    bench: Bench, tmp_path: Path
) -> None:
    server = await bench.serve(steps())
    engine = bench.engine(server)
    mark = tmp_path / "child.pid"
    run = asyncio.ensure_future(
        engine.shell(f"echo begun; sleep 60 & echo $! > {mark}; echo more; wait")
    )
    while not any("more" in e.text or "begun" in e.text for e in bench.of(ToolProgress)):
        await asyncio.sleep(0.01)
    while not mark.exists() or not mark.read_text().strip():
        await asyncio.sleep(0.01)
    child = int(mark.read_text())
    assert engine.interrupt()
    result = await asyncio.wait_for(run, 10)
    await settled(bench)
    assert result is not None and result.outcome == "interrupted" and not server.requests
    assert not alive(child)
    (finished,) = bench.of(ToolFinished)
    content = str(finished.result.content)
    assert content.startswith("begun") and content.endswith("[Interrupted by the user]")
    kinds = [type(event) for event in engine.replay()]
    assert kinds == [ToolFinished, Notice]


async def test_a_command_sent_meanwhile_waits_for_the_end_of_the_run(bench: Bench) -> None:
    call = tool_use("Bash", {"command": "sleep 0.2"}, "b0")
    server = await bench.serve(steps(Reply([call])))
    engine = bench.engine(server, "bypassPermissions")
    run = asyncio.ensure_future(engine.prompt("go"))
    while not bench.of(ToolStarted):
        await asyncio.sleep(0.01)
    await engine.prompt("first")
    assert await engine.shell("echo second") is None
    await engine.prompt("third")
    assert engine.queued() == (
        Queued("first"),
        Queued("echo second", shell=True),
        Queued("third"),
    )
    await settled(bench)
    queue = [e.value for e in bench.of(StateChanged) if e.what == "queue"]
    assert queue[-1] == ("first", "!echo second", "third")
    await run
    await settled(bench)
    # "first" went with the tool batch; the command, and what was sent after it, kept their order.
    bodies = [texts(exchange.body)[-2:] for exchange in server.requests]
    assert bodies[1][-1] == "first"
    assert bodies[2][0] == "<bash-input>echo second</bash-input>"
    assert bodies[3][-1] == "third" and len(bodies) == 4
    assert len(bench.of(RunFinished)) == 2


async def test_a_queued_command_can_be_taken_back(bench: Bench) -> None:
    server = await bench.serve(steps(), pace=1)
    engine = bench.engine(server)
    run = asyncio.ensure_future(engine.prompt("go"))
    await asyncio.sleep(0)
    await engine.shell("rm -r build")
    assert engine.take_back() == Queued("rm -r build", shell=True)
    assert engine.take_back() is None
    await run


async def test_the_directory_is_carried_as_bash_carries_it(bench: Bench) -> None:
    (bench.project / "sub").mkdir()
    server = await bench.serve(steps())
    engine = bench.engine(server, answers_shell=False)
    await engine.shell("cd sub")
    assert engine.cwd == bench.project / "sub" and engine.project_dir == bench.project
    await engine.shell("cd /")
    assert engine.cwd == bench.project


async def test_credentials_are_kept_from_a_command(bench: Bench) -> None:
    server = await bench.serve(steps())
    env = {"ANTHROPIC_API_KEY": "sk-secret", "PATH": os.environ["PATH"], "KEPT": "yes"}
    engine = bench.engine(server, answers_shell=False, env=env)
    await engine.shell("echo key=$ANTHROPIC_API_KEY kept=$KEPT")
    (finished,) = await finished_of(bench)
    assert finished.result.content == "key= kept=yes"


async def finished_of(bench: Bench) -> list[ToolFinished]:
    await settled(bench)
    return bench.of(ToolFinished)


async def test_a_command_that_cannot_run_is_a_result_and_an_empty_one_is_refused(
    bench: Bench,
) -> None:
    server = await bench.serve(steps())
    engine = bench.engine(server, answers_shell=False)
    await engine.shell("echo a\0b")
    (finished,) = await finished_of(bench)
    assert finished.result.is_error and "null byte" in str(finished.result.content)
    with pytest.raises(UsageError):
        await engine.shell(" \n")
    assert not engine.running and len(bench.of(RunStarted)) == 1


async def test_an_answer_that_fails_leaves_the_output_in_the_session(bench: Bench) -> None:
    server = await bench.serve(lambda _: http_error(400))
    engine = bench.engine(server)
    result = await engine.shell("echo kept")
    assert result is not None and result.outcome == "error"
    assert "<bash-stdout>kept</bash-stdout>" in bench.session_path(engine).read_text()
