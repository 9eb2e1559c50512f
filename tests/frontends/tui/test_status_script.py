"""The person's own status script: what it reads, when it runs, where it is drawn."""

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest
from textual.app import App, ComposeResult

from agentcli.frontends.tui.look.library import DARK
from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.status import script as script_module
from agentcli.frontends.tui.status.line import StatusLine
from agentcli.frontends.tui.status.script import (
    Printed,
    ScriptRunner,
    StatusScript,
    attach_script,
    run_script,
)
from agentcli.frontends.tui.status.script_input import ScriptFacts, script_bytes, script_input

LOOK = make_look(DARK)
ENV = {"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": "secret", "HOME": "/none"}
FACTS = ScriptFacts(
    session_id="s1",
    cwd="/",
    project_dir="/code/shop",
    model_id="claude-sonnet-5-5",
    model_name="sonnet-5.5",
    version="1.2",
)


def test_the_documented_object():
    facts = replace(
        FACTS,
        transcript_path="/code/t.jsonl",
        session_name="tidy up",
        added_dirs=("/lib",),
        cost_usd=0.5,
        duration_ms=9000,
        api_ms=4000,
        lines_added=3,
        lines_removed=1,
        usage={"input_tokens": 10, "output_tokens": 20},
        last_usage={"input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": None},
        context_tokens=50_000,
        context_window=200_000,
        effort="high",
        thinking=True,
        vim_mode="NORMAL",
    )
    told = json.loads(script_bytes(facts))
    assert told == {
        "hook_event_name": "Status",
        "session_id": "s1",
        "session_name": "tidy up",
        "transcript_path": "/code/t.jsonl",
        "cwd": "/",
        "model": {"id": "claude-sonnet-5-5", "display_name": "sonnet-5.5"},
        "workspace": {
            "current_dir": "/",
            "project_dir": "/code/shop",
            "added_dirs": ["/lib"],
        },
        "version": "1.2",
        "output_style": {"name": "default"},
        "cost": {
            "total_cost_usd": 0.5,
            "total_duration_ms": 9000,
            "total_api_duration_ms": 4000,
            "total_lines_added": 3,
            "total_lines_removed": 1,
        },
        "context_window": {
            "total_input_tokens": 10,
            "total_output_tokens": 20,
            "context_window_size": 200_000,
            "used_percentage": 25,
            "remaining_percentage": 75,
            "current_usage": {
                "input_tokens": 5,
                "output_tokens": 0,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 7,
            },
        },
        "exceeds_200k_tokens": False,
        "fast_mode": False,
        "effort": {"level": "high"},
        "thinking": {"enabled": True},
        "vim": {"mode": "NORMAL"},
    }


def test_what_is_not_known_is_left_out():
    told = script_input(FACTS)
    assert not {"session_name", "effort", "thinking", "vim"} & told.keys()
    assert told["context_window"]["current_usage"] is None
    assert told["context_window"]["used_percentage"] is None
    assert script_input(replace(FACTS, context_tokens=200_001))["exceeds_200k_tokens"] is True


async def test_it_reads_the_facts_and_has_no_key_of_ours():
    command = "cat; echo; echo key=$ANTHROPIC_API_KEY cols=$COLUMNS; pwd"
    printed = await run_script(command, FACTS, ENV, 77)
    first, rest = printed.output.split("\n", 1)
    assert json.loads(first) == script_input(FACTS)
    assert rest.split() == ["key=", "cols=77", "/"]


async def test_a_folder_that_is_gone_is_no_failure():
    printed = await run_script("pwd", replace(FACTS, cwd="/none/such"), ENV, 80)
    assert printed == Printed("/\n")


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("echo nope >&2; exit 3", "status line: exit 3: nope"),
        ("exit 1", "status line: exit 1"),
        ("kill -9 $$", "status line: killed"),
        ("printf '\\033[31mred\\n' >&2; exit 2", "status line: exit 2: \\x1b[31mred"),
        ("head -c 200000 /dev/zero", "status line: it prints more than 64 kB"),
    ],
)
async def test_a_failure_is_told_in_a_line(command: str, problem: str):
    assert await run_script(command, FACTS, ENV, 80) == Printed(problem=problem)


async def test_it_has_five_seconds(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(script_module, "_MAX_SECONDS", 0.2)
    printed = await run_script("sleep 30 & sleep 30", FACTS, ENV, 80)
    assert printed.problem.startswith("status line: no result within")


@asynccontextmanager
async def runner(
    script: StatusScript, tmp_path: Path, facts: Callable[[], ScriptFacts | None] | None = None
) -> AsyncGenerator[tuple[ScriptRunner, list[Printed]]]:
    shown: list[Printed] = []
    one = ScriptRunner(
        script, facts or (lambda: replace(FACTS, cwd=str(tmp_path))), shown.append, ENV
    )
    try:
        yield one, shown
    finally:
        await one.close()


async def until(holds: Callable[[], object], seconds: float = 5.0) -> None:
    deadline = monotonic() + seconds
    while not holds():
        assert monotonic() < deadline
        await asyncio.sleep(0.01)


def is_dead(pid: int) -> bool:
    """Gone, or only not yet collected by whoever inherited it."""
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return state.stdout.strip()[:1] in {"", "Z"}


async def test_many_changes_are_one_run(tmp_path: Path):
    async with runner(StatusScript("echo x >>runs; echo hi"), tmp_path) as (one, shown):
        began = monotonic()
        for _ in range(20):
            one.changed()
            await asyncio.sleep(0.005)
        await until(lambda: shown)
        assert monotonic() - began >= 0.3
        assert shown == [Printed("hi\n")]
        one.changed()
        await until(lambda: (tmp_path / "runs").read_text() == "x\nx\n")
        await asyncio.sleep(0.1)
        assert shown == [Printed("hi\n")]  # the same again is not drawn again


async def test_a_newer_run_ends_the_one_that_is_on_with_all_its_children(tmp_path: Path):
    command = "[ -e second ] && echo two && exit; touch second; sleep 30 & echo $! >child; wait"
    async with runner(StatusScript(command), tmp_path) as (one, shown):
        one.changed()
        await until(lambda: (tmp_path / "child").exists() and (tmp_path / "child").read_text())
        child = int((tmp_path / "child").read_text())
        one.changed()
        await until(lambda: shown)
        assert shown == [Printed("two\n")]
        assert is_dead(child)


async def test_closing_ends_what_runs(tmp_path: Path):
    async with runner(StatusScript("echo $$ >pid; exec sleep 30"), tmp_path) as (one, shown):
        one.changed()
        await until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    assert is_dead(int((tmp_path / "pid").read_text()))
    assert shown == []
    one.changed()
    assert one._timer is None


async def test_it_comes_back_after_a_failure_and_waits_for_the_engine(tmp_path: Path):
    known: list[ScriptFacts] = []
    script = StatusScript("[ -e ok ] && echo fine || exit 4")
    async with runner(script, tmp_path, lambda: known[0] if known else None) as (one, shown):
        one.changed()
        await asyncio.sleep(0.45)
        assert shown == []
        known.append(replace(FACTS, cwd=str(tmp_path)))
        one.changed()
        await until(lambda: shown == [Printed(problem="status line: exit 4")])
        (tmp_path / "ok").touch()
        one.changed()
        await until(lambda: shown[-1] == Printed("fine\n"))


@pytest.mark.slow
async def test_the_refresh_interval_runs_it_again(tmp_path: Path):
    script = StatusScript("echo x >>runs; wc -l <runs", refresh=1.0)
    async with runner(script, tmp_path) as (one, shown):
        one.changed()
        await until(lambda: len(shown) >= 2)
        assert [printed.output.strip() for printed in shown[:2]] == ["1", "2"]


class Bar(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.bar = StatusLine(LOOK)

    def compose(self) -> ComposeResult:
        yield self.bar

    def lines(self) -> list[str]:
        return [self.bar.render_line(y).text.strip() for y in range(self.bar.size.height)]


async def test_its_lines_stand_above_ours_and_go_with_it():
    app = Bar()
    async with app.run_test(size=(40, 24)) as pilot:
        app.bar.tell(model="sonnet-5.5")
        app.bar.show_script("one\ntwo\n")
        await pilot.pause()
        assert app.lines()[:2] == ["one", "two"]
        assert "sonnet" not in app.lines()[2]
        app.bar.show_script("status line: exit 1", failed=True)
        await pilot.pause()
        assert app.lines()[0] == "status line: exit 1"
        assert "sonnet-5.5" in app.lines()[1]
        app.bar.show_script("")
        await pilot.pause()
        assert len(app.lines()) == 1


async def test_a_short_screen_keeps_its_room():
    app = Bar()
    async with app.run_test(size=(40, 12)) as pilot:
        app.bar.show_script("\n".join("abcdefgh"))
        await pilot.pause()
        assert app.lines()[:2] == ["a", "b"]
        assert len(app.lines()) == 3
        await pilot.resize_terminal(40, 5)
        await pilot.pause()
        assert len(app.lines()) == 1


async def test_it_runs_when_what_the_line_tells_changes(tmp_path: Path):
    app = Bar()
    async with app.run_test(size=(40, 24)) as pilot:
        known = replace(FACTS, cwd=str(tmp_path))
        command = "echo x >>runs; [ -e bad ] && exit 1; echo $COLUMNS; wc -l <runs"
        one = attach_script(app.bar, StatusScript(command, padding=3), lambda: known, ENV)
        try:
            await until(lambda: len(app.lines()) == 3)
            assert app.lines()[:2] == ["40", "1"]
            assert app.bar.render_line(0).text.startswith("    40")
            app.bar.tell(phase="thinking", tokens=5, since=1.0)
            app.bar.tell(phase="")
            app.bar.hint("ctrl+c again quits", 5)
            assert one._timer is None
            app.bar.tell(model="opus")
            await until(lambda: app.lines()[1] == "2")
            (tmp_path / "bad").touch()
            app.bar.tell(vim_mode="NORMAL")
            await until(lambda: app.lines()[0] == "status line: exit 1")
            await pilot.pause()
            assert "opus" in app.lines()[-1] or app.bar.facts.hint
        finally:
            await one.close()
