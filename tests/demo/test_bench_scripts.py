"""The scripts for tests and benchmarks, and the server as a process."""

import asyncio
import signal
import sys
import time
from typing import Any

import pytest

from agentcli.demo.scripts import SCRIPTS, load_script
from agentcli.demo.scripts_bench import sample_markdown, timed_markdown
from agentcli.demo.server import ScriptedServer
from tests.demo.wire import TOOLS, ask, assistant, call, parse_sse, post, request_body, result, user


async def test_hello_and_echo() -> None:
    async with ScriptedServer(load_script("echo")) as server:
        assert (await ask(server, "say it"))["content"][0]["text"] == "say it"
    async with ScriptedServer(load_script("hello")) as server:
        assert "scripted" in (await ask(server, "x"))["content"][0]["text"]


@pytest.mark.parametrize(("name", "size"), [("markdown20k", 20_000), ("markdown200k", 200_000)])
async def test_markdown_has_its_size_in_deltas_of_four(name: str, size: int) -> None:
    async with ScriptedServer(load_script(name), pace=0) as server:
        events = parse_sse((await post(server, request_body("x", stream=True))).text)
    deltas = [e["delta"]["text"] for e in events if e["type"] == "content_block_delta"]
    assert {len(delta) for delta in deltas} == {4}
    assert "".join(deltas) == sample_markdown(size)
    assert len(sample_markdown(size)) == size


async def test_markdown_takes_its_time() -> None:
    async with ScriptedServer(lambda request: timed_markdown(4000, 1.0)) as server:
        begun = time.monotonic()
        await ask(server, "x")
        assert 1.0 <= time.monotonic() - begun < 1.6


async def converse(server: ScriptedServer, prompt: str, answers: Any) -> list[list[str]]:
    """Answer all calls with *answers*; the names of the calls of each message, then the text."""
    before = (user("before"), assistant(call("toolu_old")), user(result("toolu_old")))
    messages = [*before, assistant("yes"), user(prompt)]
    log: list[list[str]] = []
    while True:
        message = await ask(server, messages, tools=TOOLS)
        calls = [block for block in message["content"] if block["type"] == "tool_use"]
        if not calls:
            return [*log, [message["content"][0]["text"]]]
        log.append([f"{block['name']} {block['input']}" for block in calls])
        messages.append(assistant(*message["content"]))
        messages.append(user(*(result(block["id"], answers(block)) for block in calls)))


async def test_tools_makes_the_calls_that_are_asked_for() -> None:
    prompt = """Please:
    CALL {"name": "Read", "input": {"file_path": "a"}}
    CALL {"name": "Read", "input": {"file_path": "b"}}
    THEN
    CALL {"name": "Bash", "input": {}}
    THEN
    """
    async with ScriptedServer(load_script("tools")) as server:
        log = await converse(server, prompt, lambda block: f"<{block['name']}>")
        assert log == [
            ["Read {'file_path': 'a'}", "Read {'file_path': 'b'}"],
            ["Bash {}"],
            ["DONE\n<Read>\n<Read>\n<Bash>"],
        ]
        said = await converse(server, prompt + "\nSAY bye\nSAY now", lambda block: "x")
        assert said[-1] == ["bye\nnow"]
        assert await converse(server, "hello", lambda block: "x") == [
            ["DONE (no CALL line in the prompt)"]
        ]
        bad = await converse(server, "CALL {nope", lambda block: "x")
        assert bad[0][0].startswith("BAD CALL LINE: {nope")


async def start_process(*args: str) -> tuple[asyncio.subprocess.Process, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "agentcli.demo.server", *args),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), 20)
    return process, line.decode().strip()


@pytest.mark.parametrize("way", ["eof", "sigterm"])
async def test_as_a_process(way: str) -> None:
    process, url = await start_process("--script", "echo", "--pace", "0", "--api-key", "k")
    try:
        assert url.startswith("http://127.0.0.1:")
        server = ScriptedServer(load_script("echo"), port=int(url.rsplit(":", 1)[1]))
        body = request_body("over there", stream=True)
        assert (await post(server, body)).status_code == 401
        good = {"anthropic-version": "2026-10-21", "x-api-key": "k"}
        assert "over" in (await post(server, body, headers=good)).text
        assert process.stdin is not None
        if way == "eof":
            process.stdin.close()
        else:
            process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 5) == 0
    finally:
        if process.returncode is None:
            process.kill()


def test_all_scripts_load() -> None:
    assert all(callable(load_script(name)) for name in SCRIPTS)
