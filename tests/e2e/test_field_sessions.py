"""Damaged session files from field reports: each can be gone on with, and nothing of it is lost."""

import asyncio
import hashlib
import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentcli.demo.reply import ModelRequest, Reply, http_error, text
from agentcli.demo.server import ScriptedServer
from agentcli.session.store import session_file
from tests.corpora.field.judge import load_manifest, unpack
from tests.e2e.program import AGENTCLI, World

CASES = {case["id"]: case for case in load_manifest() if case["kind"] == "session"}
Body = dict[str, Any]


def blocks(body: Body, kind: str) -> list[dict[str, Any]]:
    return [b for m in body["messages"] for b in m["content"] if b["type"] == kind]


def texts(body: Body) -> list[str]:
    return [block["text"] for block in blocks(body, "text")]


def has_all(*words: str) -> Callable[[Body], bool]:
    return lambda body: all(any(word in value for value in texts(body)) for word in words)


def paired(body: Body) -> bool:
    calls = [block["id"] for block in blocks(body, "tool_use")]
    results = [block["tool_use_id"] for block in blocks(body, "tool_result")]
    return calls == results and len(set(calls)) == len(calls)


def three_in_one(body: Body) -> bool:
    found = [
        [b for b in message["content"] if b["type"] == "tool_result"]
        for message in body["messages"]
        if message["role"] == "user"
    ]
    (results,) = [result for result in found if result]
    failed = {result["tool_use_id"]: bool(result.get("is_error")) for result in results}
    return failed == {"toolu_1": True, "toolu_2": False, "toolu_3": True}


RULES: dict[str, Callable[[Body], bool]] = {
    "F140-prefill": lambda body: body["messages"][-1]["role"] == "user",
    "F149-poison-recover": lambda body: "could not process this image" in json.dumps(body),
    "F150-dup-ids-history": paired,
    "F152-orphan-tool-result": lambda body: not blocks(body, "tool_result"),
    "F153-partial-batch": three_in_one,
    "F155-jsonl-glued": has_all("FIRST-A", "GLUED-Q", "LAST-A"),
    "F157-jsonl-torn-tail": has_all("FIRST-A"),
    "F158-jsonl-odd-lines": has_all("FIRST-Q", "FIRST-A"),
    "F159-jsonl-bad-utf8": has_all("FIRST-Q", "END-A"),
    "F169-giant-line": lambda body: len(json.dumps(body)) < 500_000,
}


def script(request: ModelRequest) -> Reply:
    """Answers; refuses an image that is none, as the API does."""
    if '"type": "image"' in json.dumps(request.body):
        return http_error(400, "Could not process image")
    return Reply([text("went on")])


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("field")
    unpack(folder)
    return folder


def test_every_case_has_a_rule() -> None:
    assert set(RULES) == set(CASES)


@pytest.mark.parametrize("name", sorted(RULES))
async def test_session(name: str, corpus: Path, tmp_path: Path) -> None:
    (source,) = (corpus / name).glob("*.jsonl")
    before = source.read_bytes()
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    async with ScriptedServer(script) as server:
        world = World(home, project, server.base_url)
        file = session_file(home / ".agentcli", project, source.stem)
        file.parent.mkdir(parents=True)
        shutil.copy(source, file)
        began = time.monotonic()
        process = await asyncio.create_subprocess_exec(
            *AGENTCLI,
            *("-p", "go on", "--resume", source.stem, "--model", "sonnet"),
            cwd=project,
            env=world.env(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, said = await process.communicate()
        took = time.monotonic() - began
    assert (process.returncode, out) == (0, b"went on\n"), said.decode()
    sent = server.requests[-1].body
    assert texts(sent)[-1] == "go on"
    assert RULES[name](sent), sent
    # What was there is there, byte for byte, and what was added stands on lines of its own.
    after = file.read_bytes()
    assert after.startswith(before)
    assert hashlib.sha256(source.read_bytes()).hexdigest() in CASES[name]["orig"].values()
    added = after[len(before) :].removeprefix(b"\n")
    assert added.endswith(b"\n")
    assert all(json.loads(line)["sessionId"] == source.stem for line in added.splitlines())
    assert took < CASES[name]["expect"].get("max_seconds", 30)
