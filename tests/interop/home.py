"""A home full of sessions, written by the real engine against the scripted server."""

import asyncio
import json
import subprocess
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentcli.demo.reply import ModelRequest, Reply, http_error, text, thinking, tool_use
from agentcli.demo.server import ScriptedServer
from agentcli.engine.engine import Engine
from agentcli.session.entries import Entry
from agentcli.session.reading import read_session
from tests.engine.conftest import Bench

BRANCH = "topic/cart"
ODD = "odd: \u2028 \u2029 \x85 \x7f 😀 \ud83d 한 <b>&amp;</b>"
"""A prompt with what readers choke on; the lone surrogate becomes U+FFFD in the file."""
_NOISE = r"printf 'a\342\200\250b\302\205c\177d\000e\377f\360\237\230\200g'"
_CALLS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "look": [("Glob", {"pattern": f"*.{n}"}) for n in range(3)],
    "mixed": [("Read", {"file_path": "gone.txt"}), ("Bash", {"command": "echo fine"})],
    "noise": [("Bash", {"command": _NOISE})],
    "write": [("Write", {"file_path": "a.txt", "content": "one\ntwo\n"})],
    "edit": [("Edit", {"file_path": "a.txt", "old_string": "two", "new_string": "2"})],
    "long": [("Bash", {"command": "seq 1 3000"})],
    "many": [("Bash", {"command": f"echo begun; sleep 0.5; seq {n} 3000"}) for n in range(6)],
    "wait": [("Bash", {"command": "echo begun; sleep 60"})],
}


def script(request: ModelRequest) -> Reply:
    """Calls by the first word of the prompt, then words; a summary where one is asked for."""
    if "<summary>" in request.prompt:
        return Reply([thinking("so"), text("<summary>\nThey looked around.\n</summary>")])
    word = request.prompt.partition(" ")[0]
    if request.prompt == "refuse it":
        return http_error(400, "no such thing")
    usage = {"input_tokens": len(request.prompt)}
    calls = _CALLS.get(word, [])
    if calls and not request.calls:
        blocks = [tool_use(name, values) for name, values in calls]
        return Reply([thinking("let me see"), text("First this."), *blocks], usage=usage)
    said = [thinking("hm"), text(f"did {request.prompt}"), text("and that is all")]
    return Reply(said, usage=usage)


@dataclass
class Sessions:
    """What was written: the files by name, and the conversation as the product has it."""

    home: Path
    project: Path
    files: dict[str, Path] = field(default_factory=dict[str, Path])
    paths: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    prompts: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    titles: dict[str, str] = field(default_factory=dict[str, str])

    def keep(self, name: str, engine: Engine) -> None:
        """Remember the session of *engine* as *name*."""
        self.files[name] = engine.transcript_path
        self.paths[name] = shown(engine.history.entries())
        self.prompts[name] = [point.text for point in engine.history.prompts()]
        self.titles[name] = engine.history.title

    def at(self, home: Path) -> "Sessions":
        """The same sessions in the copy *home*."""
        files = {name: home / file.relative_to(self.home) for name, file in self.files.items()}
        return Sessions(home, self.project, files, self.paths, self.prompts, self.titles)

    def id(self, name: str) -> str:
        return self.files[name].stem


def shown(path: Sequence[Entry]) -> list[str]:
    """The entries that readers show as messages."""
    kinds = ("user", "assistant")
    return [entry.uuid for entry in path if entry.type in kinds and not entry.is_meta]


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [entry.data for entry in read_session(file).entries]


def in_groups(file: Path, uuids: Sequence[str]) -> list[str | set[str]]:
    """The chain *uuids*, the results that follow each other as a set: within a response the order
    of its results means nothing, and readers differ in it."""
    entries = read_session(file).entries
    results = {entry.uuid for entry in entries if entry.tool_result is not None}
    groups: list[str | set[str]] = []
    for uuid in uuids:
        last = groups[-1] if groups else ""
        if uuid not in results:
            groups.append(uuid)
        elif isinstance(last, set):
            last.add(uuid)
        else:
            groups.append({uuid})
    return groups


@asynccontextmanager
async def open_bench(home: Path, project: Path) -> AsyncGenerator[tuple[Bench, ScriptedServer]]:
    """Engines in *project* with *home*; all are closed at the end."""
    async with AsyncExitStack() as stack:
        bench = Bench(project, home, stack)
        yield bench, await bench.serve(script)


async def resumed_request(sessions: Sessions, file: Path) -> tuple[dict[str, Any], str]:
    """Go on with *file* in the product: the body that the strict server took, and the title."""
    async with open_bench(sessions.home, sessions.project) as (bench, server):
        engine = bench.engine(server, "bypassPermissions", resume=file)
        result = await engine.prompt("go on")
        assert result is not None and result.outcome == "success", result
        assert [request.status for request in server.requests] == [200]
        return server.requests[-1].body, engine.history.title


async def write_home(home: Path, project: Path) -> Sessions:
    """Write all the sessions."""
    project.mkdir()
    await asyncio.to_thread(
        subprocess.run, ["git", "init", "-q", "-b", BRANCH, project], check=True
    )
    sessions = Sessions(home, project)
    async with open_bench(home, project) as (bench, server):

        def begin(**changes: Any) -> Engine:
            return bench.engine(server, "bypassPermissions", **changes)

        await _plain(sessions, begin())
        await _stopped(sessions, begin(), bench)
        await _rewound(sessions, begin())
        await _long(sessions, begin())
        await _compacted(sessions, begin())
        fork = begin(resume=sessions.files["stopped"], fork=True)
        await _say(fork, "in the fork")
        sessions.keep("forked", fork)
    # killed in the middle of a write
    torn = sessions.files["torn"]
    prompt = next(line for line in torn.read_bytes().splitlines() if b'"torn two"' in line)
    torn.write_bytes(torn.read_bytes() + prompt.replace(b"torn two", b"never said")[:-30])
    return sessions


async def _say(engine: Engine, *prompts: str) -> None:
    for prompt in prompts:
        assert await engine.prompt(prompt) is not None


async def _plain(sessions: Sessions, engine: Engine) -> None:
    """Parallel and failed calls, odd characters, shell commands, kept files; a branch of it."""
    await _say(engine, "look around", "mixed bag", "noise please", ODD, "write it", "edit it")
    await engine.shell("echo mine; false")
    await _say(engine, "refuse it", "and on")
    engine.history.rename("the cart \u2028 \U0001f600")
    sessions.keep("plain", engine)
    await engine.history.branch("another way")
    await _say(engine, "in the branch")
    sessions.keep("branched", engine)
    await engine.aclose()


async def _stopped(sessions: Sessions, engine: Engine, bench: Bench) -> None:
    """An interrupt in a tool, and a prompt that waited meanwhile."""
    run = asyncio.ensure_future(engine.prompt("wait for it"))
    while "begun" not in str(bench.events):
        await asyncio.sleep(0.01)
    await engine.prompt("queued words")
    await engine.prompt("taken back")
    assert engine.take_back() is not None
    engine.interrupt()
    await run
    if engine.queued():
        await _say(engine, "after the stop")
    sessions.keep("stopped", engine)
    await engine.aclose()


async def _rewound(sessions: Sessions, engine: Engine) -> None:
    """A branch that was left, and one that was gone on with; then a session with a torn end."""
    await _say(engine, "look one", "two", "three")
    second = engine.history.prompts()[1]
    await engine.history.rewind(second.entry_id, conversation=True, code=True)
    await _say(engine, "instead")
    sessions.keep("rewound", engine)
    await engine.history.clear()
    await _say(engine, "look torn", "torn two")
    sessions.keep("torn", engine)
    await engine.aclose()


async def _long(sessions: Sessions, engine: Engine) -> None:
    """So long that its title, given early, must be written again to be seen."""
    await _say(engine, "hello")
    engine.history.rename("the long one")
    for number in range(12):
        await _say(engine, f"long {number}")
    sessions.keep("long", engine)
    await engine.aclose()


async def _compacted(sessions: Sessions, engine: Engine) -> None:
    """Two compactions, and what came after them."""
    await _say(engine, "look first", "mixed second")
    for number in range(2):
        result = await engine.history.compact("")
        assert result.outcome == "success", result
        await _say(engine, f"look after {number}")
    sessions.keep("compacted", engine)
    await engine.aclose()


def total_usage(files: Sequence[Path]) -> dict[str, int]:
    """Sums of the final usage of each response over all files, copies counted once."""
    names = (
        *("input_tokens", "output_tokens"),
        *("cache_creation_input_tokens", "cache_read_input_tokens"),
    )
    last: dict[tuple[str, str], dict[str, Any]] = {}
    for file in files:
        for data in lines_of(file):
            if data.get("type") == "assistant":
                key = (data["message"]["id"], data.get("requestId", ""))
                last[key] = data["message"]["usage"]
    return {name: sum(int(usage.get(name, 0)) for usage in last.values()) for name in names}


def dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
