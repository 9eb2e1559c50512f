"""A session file with missing or odd fields still loads, draws and gives a valid request."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentcli.context.payload import PromptFrame, build_payload
from agentcli.demo.checks import check_request
from agentcli.engine.settle import open_calls
from agentcli.session.log import Place, SessionLog
from agentcli.session.replay import replay

_TOOLS = [{"name": "Glob", "input_schema": {"type": "object"}}]
_FRAME = PromptFrame("claude-opus-4-8", "sys", _TOOLS, {"max_tokens": 10})
_ODD = (None, 1, "", [], {}, "x", True, [None], [[1]], {"type": "text"}, {"type": "tool_use"}, -1.5)


def session(turns: int) -> list[dict[str, Any]]:
    """Lines of a session: prompt, thinking, text, call, result, again and again."""
    lines: list[dict[str, Any]] = []

    def add(kind: str, **fields: Any) -> None:
        parent = lines[-1]["uuid"] if lines else None
        lines.append({"uuid": f"u{len(lines)}", "parentUuid": parent, "type": kind, **fields})

    for turn in range(turns):
        add("attachment", attachment={"type": "prompt_prefix", "hash": "x"})
        add("user", message={"role": "user", "content": "hello"})
        for block in (
            {"type": "text", "text": "look"},
            {"type": "redacted_thinking", "data": "x"},
            {"type": "tool_use", "id": f"t{turn}", "name": "Glob", "input": {"pattern": "*"}},
        ):
            add("assistant", message={"id": f"m{turn}", "model": _FRAME.model, "content": [block]})
        content = [{"type": "text", "text": "found"}]
        result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": content}
        add("user", message={"role": "user", "content": [result]}, toolUseResult={"n": 1})
    return lines


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in *value* with every key or index of it."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


@pytest.mark.parametrize("block", range(4))
def test_a_damaged_session_can_be_gone_on_with(tmp_path: Path, block: int) -> None:
    path = tmp_path / "s.jsonl"
    for seed in range(block * 150, block * 150 + 150):
        chance = random.Random(seed)
        lines = session(chance.randrange(1, 4))
        for _ in range(chance.randrange(1, 5)):
            holder, key = chance.choice([p for line in lines for p in places(line)])
            if chance.random() < 0.4:
                del holder[key]
            else:
                holder[key] = json.loads(json.dumps(chance.choice(_ODD)))
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        log = SessionLog.open_existing(path, lambda: Place("/x", None))
        try:
            list(replay(log.path()))
            open_calls(log)
            body = build_payload(log.path(), _FRAME).body()
            check_request(body, {"anthropic-version": "2023-06-01"})
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
        finally:
            log.close()
