"""``kill -9`` at random moments of a 12-step tool loop: what was received is on disk, and goes on.

Every piece of the stream that the program printed before it died was received: a block that was
whole by then, and was followed by another event, must be in the session file.
"""

import asyncio
import contextlib
import json
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentcli.demo.reply import ModelRequest, Reply, text, thinking, tool_use
from agentcli.demo.server import ScriptedServer
from tests.e2e.program import AGENTCLI, World

STEPS = 12
KILLS = 200
PARTS = 8
_ARGUMENTS = (
    *("-p", "work", "--output-format", "stream-json", "--verbose", "--include-partial-messages"),
    *("--permission-mode", "bypassPermissions"),
)


def loop_script(request: ModelRequest) -> Reply:
    """Thinking, words and one to three calls, twelve times; then, or to "go on", an answer."""
    if request.prompt != "work":
        return Reply([thinking("Where was I?"), text("went on")])
    step = max((int(call.input.get("description", "0")) for call in request.calls), default=0)
    if step >= STEPS:
        return Reply([thinking("Done."), text("all done")], seconds_per_delta=0.001)
    calls = [
        tool_use("Bash", {"command": f"echo {step} {n}", "description": str(step + 1)})
        for n in range(1 + step % 3)
    ]
    said = [thinking(f"Step {step}: " + "so it is. " * 5), text(f"Now step {step}.")]
    return Reply([*said, *calls], seconds_per_delta=0.001, chunk=8)


async def run(world: World, out: Path, *arguments: str) -> asyncio.subprocess.Process:
    with out.open("wb") as stdout:
        return await asyncio.create_subprocess_exec(
            *AGENTCLI,
            *arguments,
            cwd=world.project,
            env=world.env(AGENTCLI_SANDBOXED="1"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=stdout,
            stderr=asyncio.subprocess.PIPE,
        )


def received(out: Path) -> Counter[str]:
    """Blocks by message id that were whole, and followed by something, when the program died."""
    counts: Counter[str] = Counter()
    message, held = "", 0
    for line in out.read_bytes().split(b"\n"):
        try:
            data = json.loads(line)
        except ValueError:
            continue
        if data.get("type") != "stream_event":
            continue
        event = data["event"]
        if event["type"] == "message_start":
            message, held = event["message"]["id"], 0
        elif event["type"] == "content_block_stop":
            held = 1
        elif event["type"] in ("content_block_start", "message_stop"):
            counts[message] += held
            held = 0
    return counts


def saved(file: Path) -> tuple[Counter[str], list[dict[str, Any]]]:
    """Blocks by message id in the session, and its lines; only the last one may be torn."""
    *whole, last = file.read_bytes().split(b"\n")
    lines = [json.loads(line) for line in whole]
    with contextlib.suppress(ValueError):
        lines += [json.loads(last)] if last else []
    counts = Counter(line["message"]["id"] for line in lines if line["type"] == "assistant")
    return counts, lines


def thinking_of(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    blocks = [line["message"]["content"][0] for line in lines if line["type"] == "assistant"]
    return [block for block in blocks if block["type"] == "thinking"]


async def kill_once(world: World, server: ScriptedServer, after: float, seed: int) -> bool:
    """Kill a run *after* seconds of its first request, and go on with it. False: nothing was
    saved yet."""
    out = world.home / f"{seed}.out"
    server.exchanges.clear()
    process = await run(world, out, *_ARGUMENTS)
    while not server.requests and process.returncode is None:
        await asyncio.sleep(0.002)
    await asyncio.sleep(after)
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.communicate()
    found = world.sessions()
    if not found:
        return False
    (file,) = found
    before = file.read_bytes()
    on_disk, lines = saved(file)
    for message, count in received(out).items():
        assert on_disk[message] >= count, f"kill {seed}: a block of {message} is lost"
    server.exchanges.clear()
    again = await run(world, out, "-p", "go on", "--resume", file.stem)
    _, said = await again.communicate()
    assert again.returncode == 0, f"kill {seed}: {said.decode()}"
    assert out.read_text() == "went on\n"
    assert [request.status for request in server.requests] == [200], f"kill {seed}"
    sent = [b for m in server.requests[0].body["messages"] for b in m["content"]]
    kept = [block for block in sent if block["type"] == "thinking"]
    known = [json.dumps(block) for block in thinking_of(lines)]
    assert [json.dumps(block) for block in kept] == known[: len(kept)]
    assert len(known) - len(kept) <= 1, f"kill {seed}: only the response in flight may go"
    assert file.read_bytes().startswith(before)
    file.unlink()
    return True


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
async def test_killed_at_random_moments(tmp_path: Path, part: int) -> None:
    rng = random.Random(part)
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    async with ScriptedServer(loop_script) as server:
        world = World(home, project, server.base_url)
        whole = await run(world, home / "whole.out", *_ARGUMENTS)
        while not server.requests:
            await asyncio.sleep(0.002)
        began = time.monotonic()
        _, said = await whole.communicate()
        took = time.monotonic() - began
        assert whole.returncode == 0, said.decode()
        assert len(server.requests) == STEPS + 1
        world.sessions()[0].unlink()
        seeds = range(KILLS // PARTS)
        hit = [await kill_once(world, server, rng.uniform(0, took), seed) for seed in seeds]
    assert sum(hit) >= len(hit) - 1
