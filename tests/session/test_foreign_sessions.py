"""Sessions that others wrote in this format: what the next request holds, and that all is kept."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentcli.context.building import PayloadBuilder
from agentcli.context.payload import PromptFrame, build_payload
from agentcli.demo.checks import check_request
from agentcli.engine.settle import open_calls
from agentcli.protocol.blocks import content_text
from agentcli.session.catalog import Catalog
from agentcli.session.entries import user_draft
from agentcli.session.log import Place, SessionLog
from agentcli.session.replay import replay
from agentcli.session.store import session_file

CORPUS = Path(__file__).parent.parent / "corpora" / "sessions"
EXPECTED: dict[str, dict[str, Any]] = json.loads((CORPUS / "expected.json").read_text())
_TOOLS = [
    {"name": name, "input_schema": {"type": "object"}} for name in ("Bash", "Edit", "Skill", "Task")
]
_FRAME = PromptFrame("claude-sonnet-4-5", "sys", _TOOLS, {"max_tokens": 10})
SID = "11111111-2222-4333-8444-555555555555"


def test_every_file_says_what_is_expected() -> None:
    assert {file.stem for file in CORPUS.glob("*.jsonl")} == set(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_next_request_holds_the_conversation(tmp_path: Path, name: str) -> None:
    wanted = EXPECTED[name]
    source = (CORPUS / f"{name}.jsonl").read_bytes()
    file = tmp_path / f"{SID}.jsonl"
    file.write_bytes(source)
    log = SessionLog.open_existing(file, lambda: Place("/code/shop", "main"))
    assert log.bad_lines == 0 and log.title == wanted.get("title", "")
    assert list(replay(log.path()))
    open_calls(log)
    log.append(user_draft("GO-ON"))
    path = log.path()
    log.close()
    assert file.read_bytes().startswith(source)
    body = build_payload(path, _FRAME).body()
    assert PayloadBuilder().build(path, _FRAME).body() == body
    check_request(body, {"anthropic-version": "2023-06-01"})
    blocks = [block for message in body["messages"] for block in message["content"]]
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    said = iter(texts)
    for text in [*wanted["texts"], "GO-ON"]:
        assert any(text in value for value in said), (text, texts)
    results = [content_text(b["content"]) for b in blocks if b["type"] == "tool_result"]
    assert len(results) == len(wanted["results"])
    for text in wanted["results"]:
        assert any(text in result for result in results), (text, results)
    assert not [word for word in wanted["never"] if word in json.dumps(body)]
    again = SessionLog.open_existing(file, lambda: Place("/code/shop", "main"))
    assert [entry.uuid for entry in again.path()] == [entry.uuid for entry in path]
    again.close()


def test_agents_of_others_are_no_sessions(tmp_path: Path) -> None:
    project = tmp_path / "p"
    project.mkdir()
    file = session_file(tmp_path / "h", project, SID)
    folder = file.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    shutil.copy(CORPUS / "old-shapes.jsonl", file)
    line = json.loads((CORPUS / "stopped.jsonl").read_text().splitlines()[0])
    agent = json.dumps({**line, "isSidechain": True, "agentId": "a1", "cwd": str(project)})
    for place in (file.parent, folder):
        (place / "agent-a1.jsonl").write_text(agent + "\n")
    (file.parent / "22222222-2222-4333-8444-555555555555.jsonl").write_text(agent + "\n")
    (folder / "agent-a1.meta.json").write_text('{"toolUseId":"toolu_o1"}')
    found = Catalog(tmp_path / "h", project).list(everywhere=True)
    assert [info.id for info in found] == [SID]
