"""Figures for the status line: live, after a resume, after /clear; and what else it shows."""

from typing import Any

import pytest

from agentcli.demo.reply import Reply, text, tool_use
from agentcli.engine.stats import Stats
from agentcli.protocol.errors import UsageError
from agentcli.protocol.events import StateChanged
from agentcli.session.entries import Entry
from tests.engine.conftest import Bench, settled
from tests.engine.test_run import steps


def write(path: object, content: str) -> Reply:
    return Reply([tool_use("Write", {"file_path": str(path), "content": content}, None)])


async def test_a_resumed_session_knows_its_context_and_cost(bench: Bench) -> None:
    path = bench.project / "new.txt"
    edit = {"file_path": str(path), "old_string": "b\n", "new_string": "c\nd\n"}
    server = await bench.serve(
        steps(write(path, "a\nb\n"), Reply([text("x"), tool_use("Edit", edit, "t1")]))
    )
    engine = bench.engine(server, "acceptEdits")
    await engine.prompt("go")
    before = engine.stats
    assert before.total_cost_usd == before.cost_usd > 0 and before.context_tokens > 0
    assert (before.lines_added, before.lines_removed) == (4, 1)
    assert before.current_usage is not None and sum(before.current_usage.values()) == (
        before.context_tokens
    )
    assert before.duration_ms >= before.api_ms > 0 and not before.exceeds_200k_tokens
    await engine.aclose()
    again = bench.engine(server, resume=bench.session_path(engine))
    after = again.stats
    assert after.total_cost_usd == pytest.approx(before.total_cost_usd) and after.cost_usd == 0
    assert after.context_tokens == before.context_tokens
    assert after.context_window == before.context_window
    assert after.current_usage == before.current_usage
    assert (after.lines_added, after.lines_removed) == (4, 1)
    result = await again.prompt("more")
    assert result is not None and result.cost_usd == pytest.approx(again.stats.cost_usd)
    assert after.total_cost_usd == pytest.approx(before.total_cost_usd + result.cost_usd)
    await again.history.clear()
    assert (after.total_cost_usd, after.context_tokens, after.lines_added) == (0, 0, 0)
    assert after.context_window and after.current_usage is None


def said(uuid: str, message_id: str, usage: Any, **more: Any) -> Entry:
    message = {"id": message_id, "role": "assistant", "model": "claude-sonnet-5-5", "content": []}
    data = {"type": "assistant", "uuid": uuid, "message": {**message, "usage": usage}}
    return Entry({**data, **more})


def test_each_response_counts_once_with_its_last_line() -> None:
    stats = Stats()
    stats.take_earlier(
        [
            said("a", "m1", {"input_tokens": 1_000_000, "output_tokens": 1}),
            said("b", "m1", {"input_tokens": 1_000_000, "output_tokens": 9}),
            said("c", "m2", {"input_tokens": 300_000, "cache_read_input_tokens": None}),
            said("d", "m3", {"input_tokens": 7}, isApiErrorMessage=True),
            said("e", "m4", None),
            said("f", "m5", "odd"),
        ]
    )
    alone = Stats()
    alone.take_earlier([said("b", "m1", {"input_tokens": 1_000_000, "output_tokens": 9})])
    other = Stats()
    other.take_earlier([said("c", "m2", {"input_tokens": 300_000})])
    assert alone.total_cost_usd > 0 and other.total_cost_usd > 0
    assert stats.total_cost_usd == pytest.approx(alone.total_cost_usd + other.total_cost_usd)
    assert stats.context_tokens == 300_000 and stats.exceeds_200k_tokens
    assert stats.usage == {} and stats.turns == 0


@pytest.mark.parametrize("model", ["", "sonett", "my-gateway/model-1", None, 7])
def test_a_model_without_a_price_costs_nothing(model: Any) -> None:
    entry = said("a", "m1", {"input_tokens": 5})
    entry.message["model"] = model
    stats = Stats()
    stats.take_earlier([entry])
    assert stats.total_cost_usd == 0 and stats.context_tokens == 5


@pytest.mark.parametrize(
    ("details", "expected"),
    [
        ({"structuredPatch": [], "added": 3, "removed": 2}, (3, 2)),
        ({"structuredPatch": [{"lines": ["+a", "-b", " c", "+d"]}]}, (2, 1)),
        ({"structuredPatch": [], "type": "create", "content": "a\nb\nc"}, (3, 0)),
        ({"structuredPatch": ["odd", {"lines": None}]}, (0, 0)),
        ({"stdout": "+x"}, (0, 0)),
        ({}, (0, 0)),
    ],
)
def test_changed_lines(details: dict[str, Any], expected: tuple[int, int]) -> None:
    stats = Stats()
    stats.add_lines(details)
    assert (stats.lines_added, stats.lines_removed) == expected


async def test_effort_counts_from_the_next_request_on(bench: Bench) -> None:
    server = await bench.serve(steps())
    engine = bench.engine(server, effort="low")
    assert engine.effort == "low"
    await engine.prompt("one")
    engine.set_effort("high")
    await engine.prompt("two")
    engine.set_effort(None)
    await engine.prompt("three")
    await settled(bench)
    levels = [e.body.get("output_config", {}).get("effort") for e in server.requests]
    assert levels == ["low", "high", None]
    assert [e.value for e in bench.of(StateChanged) if e.what == "effort"] == ["high", None]
    with pytest.raises(UsageError):
        engine.set_effort("hgih")
    assert engine.effort is None


async def test_where_a_session_works_and_is_written(bench: Bench) -> None:
    server = await bench.serve(steps())
    policy = bench.spec(server).policy
    roots = (*policy.roots, str(bench.home))
    engine = bench.engine(server, policy=type(policy)("default", roots, policy.cwd, policy.home))
    assert (engine.project_dir, engine.added_dirs) == (bench.project, (bench.home,))
    await engine.prompt("go")
    assert engine.transcript_path == bench.session_path(engine)
