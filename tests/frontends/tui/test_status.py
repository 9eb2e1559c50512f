"""The status line at every width."""

import asyncio
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style
from textual.app import App, ComposeResult

from agentcli.frontends.tui.conversation import short_model
from agentcli.frontends.tui.look.library import DARK
from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.status.draw import status_runs
from agentcli.frontends.tui.status.facts import StatusFacts, tell_count
from agentcli.frontends.tui.status.line import Activity, StatusLine

LOOK = make_look(DARK)
IDLE = StatusFacts(
    model="sonnet-5.5", directory="~/shop", branch="main", context_share=0.18, cost_usd=0.04
)
BUSY = IDLE._replace(phase="thinking", since=88.0, tokens=1800)


def line(facts: StatusFacts, width: int) -> str:
    return "".join(text for text, _ in status_runs(facts, width, LOOK, 100.0, "◐"))


@pytest.mark.parametrize(
    ("facts", "width", "text"),
    [
        (IDLE, 70, " ○ ask  sonnet-5.5  ~/shop  main" + " " * 14 + "  ctx 18%  $0.04  ? help"),
        (IDLE, 40, " ○ ask  sonnet-5.5" + " " * 6 + "  ctx 18%  $0.04"),
        (IDLE, 20, " ○ ask  sonnet-5.5"),
        (
            BUSY,
            80,
            " ◐ thinking 12s · 1.8k tok · esc interrupt  sonnet-5.5  ~/shop  main     ctx 18%",
        ),
        (BUSY, 40, " ◐ thinking 12s · esc interrupt"),
        (BUSY, 20, " ◐ thinking 12s"),
    ],
)
def test_widths(facts: StatusFacts, width: int, text: str):
    assert line(facts, width).rstrip() == text


def test_a_retry_and_a_hint_come_first():
    retry = BUSY._replace(phase="overloaded", attempt=2, retry_at=106.0)
    assert line(retry, 60).startswith(" ↻ overloaded, retry 2 in 6s · esc stop")
    assert line(BUSY._replace(hint="ctrl+c again quits"), 60).startswith(" ctrl+c again quits")


def test_a_try_that_nothing_is_heard_of_is_on():
    retry = BUSY._replace(phase="summarising", attempt=2, retry_at=98.0)
    assert line(retry, 60).startswith(" ◐ summarising 12s")


@pytest.mark.parametrize("width", [30, 40, 80])
def test_a_long_reason_hides_neither_the_next_try_nor_the_key(width: int):
    reason = "Cannot connect to 127.0.0.1:45678: connection refused"
    told = line(BUSY._replace(phase=reason, attempt=3, retry_at=106.0), width).rstrip()
    assert told.startswith(" ↻ Cannot")
    assert ("…, retry 3 in 6s" if width < 80 else reason[:40]) in told
    assert "retry 3 in 6s" in told
    assert width == 30 or "esc stop" in told


_WORDS = st.text(st.sampled_from("ab 漢é/👨‍👩‍👧\u0301"), max_size=60)


@given(
    st.integers(0, 200),
    st.builds(
        StatusFacts,
        mode=st.sampled_from(["default", "acceptEdits", "plan", "bypassPermissions"]),
        model=_WORDS,
        effort=st.sampled_from(["", "high"]),
        directory=_WORDS,
        branch=_WORDS,
        changes=st.sampled_from(["", "+3 −1"]),
        context_share=st.none() | st.floats(0, 3),
        cost_usd=st.none() | st.floats(0, 1e5),
        phase=_WORDS,
        phase_kind=st.sampled_from(["model", "tool", "ask"]),
        since=st.floats(-1e5, 100),
        phase_since=st.floats(-1e5, 100),
        tokens=st.integers(0, 10**8),
        retry_at=st.sampled_from([0.0, 106.0, 5000.0]),
        hint=st.sampled_from(["", "ctrl+c again quits"]),
        vim_mode=st.sampled_from(["", "INSERT", "NORMAL"]),
        scripted=st.booleans(),
    ),
)
def test_the_line_never_exceeds_the_screen(width: int, facts: StatusFacts):
    told = line(facts, width)
    assert cell_len(told) <= width
    assert width == 0 or told.startswith(" ")


def test_a_tool_tells_its_own_time_and_that_of_a_long_turn():
    tool = BUSY._replace(phase="Bash npm test", phase_kind="tool", phase_since=66.0)
    assert line(tool, 90).startswith(" ◐ Bash npm test 34s · 1.8k tok · esc interrupt  sonnet-5.5")
    long = tool._replace(since=-25.0)
    assert line(long, 90).startswith(
        " ◐ Bash npm test 34s · turn 2m 05s · 1.8k tok · esc interrupt"
    )
    assert line(tool._replace(stop_keys="ctrl+b background"), 90).startswith(
        " ◐ Bash npm test 34s · 1.8k tok · ctrl+b background"
    )


def test_a_question_stands_still():
    ask = BUSY._replace(phase="waiting for your answer", phase_kind="ask")
    assert line(ask, 60).startswith(" ? waiting for your answer  sonnet-5.5")
    assert "interrupt" not in line(ask, 200)


@pytest.mark.parametrize(
    ("share", "style"), [(0.79, LOOK.dim), (0.8, LOOK.warn), (0.949, LOOK.warn), (0.95, LOOK.bad)]
)
def test_the_context_meter_warns(share: float, style: Style):
    runs = status_runs(IDLE._replace(context_share=share), 80, LOOK, 100.0, "◐")
    assert ("  ctx " + f"{share:.0%}", style) in runs


def test_a_full_context_is_told_before_anything_else():
    assert "ctx 97%" in line(IDLE._replace(context_share=0.97), 18)
    assert "ctx 18%" not in line(IDLE, 18)


def test_what_else_it_tells():
    facts = IDLE._replace(effort="high", changes="+3 −1", vim_mode="NORMAL", keys="enter send")
    told = line(facts, 100)
    assert told.startswith(" ○ ask  sonnet-5.5 high  ~/shop  main +3 −1")
    assert told.endswith("  ctx 18%  $0.04  NORMAL  enter send")
    assert "INSERT" not in line(facts._replace(vim_mode="INSERT"), 100)
    assert "NORMAL" not in line(facts._replace(vim_hidden=True), 100)


def test_a_long_directory_keeps_its_end():
    told = line(IDLE._replace(directory="~/work/clients/acme/services/billing"), 80)
    assert "  …/services/billing  " in told


def test_a_script_takes_the_facts_over():
    told = line(IDLE._replace(scripted=True), 80)
    assert told.split() == ["○", "ask", "?", "help"]


class Bar(App[None]):
    def __init__(self, reduced_motion: bool = False) -> None:
        super().__init__()
        self.bar = StatusLine(LOOK, reduced_motion)
        self.told: list[Activity] = []
        self.bar.on_activity = self.told.append

    def compose(self) -> ComposeResult:
        yield self.bar


def timers(bar: StatusLine) -> list[float]:
    return [timer._interval for timer in bar._timers]


async def test_the_clock_runs_only_while_something_moves():
    app = Bar()
    async with app.run_test(size=(80, 24)):
        bar = app.bar
        assert timers(bar) == []
        bar.tell(phase="thinking", since=monotonic())
        assert timers(bar) == [1 / 8]
        bar.tell(phase="overloaded", retry_at=monotonic() + 5)
        await asyncio.sleep(0)
        assert timers(bar) == [1.0]
        bar.tell(phase="waiting for your answer", phase_kind="ask", retry_at=0.0)
        await asyncio.sleep(0)
        assert timers(bar) == []
        bar.tell(phase="Bash", phase_kind="tool")
        assert timers(bar) == [1 / 8]
        bar.tell(phase="", phase_kind="model")
        await asyncio.sleep(0)
        assert timers(bar) == []
        assert app.told == ["busy", "asking", "busy", "idle"]


async def test_reduced_motion_has_no_spinner():
    app = Bar(reduced_motion=True)
    async with app.run_test(size=(80, 24)):
        app.bar.tell(phase="thinking", since=monotonic())
        assert timers(app.bar) == [1.0]
        before = app.bar.render_line(0).text
        app.bar._tick()
        assert app.bar.render_line(0).text[:3] == before[:3] == " ◐ "


async def test_a_failed_turn_is_told_until_the_next():
    app = Bar()
    async with app.run_test():
        app.bar.tell(phase="thinking")
        app.bar.tell(True, phase="")
        app.bar.tell(model="sonnet")
        app.bar.tell(phase="thinking")
        assert app.told == ["busy", "failed", "busy"]


async def test_each_phase_has_its_own_time():
    app = Bar()
    async with app.run_test():
        app.bar.tell(phase="Bash a", phase_kind="tool", since=1.0)
        first = app.bar.facts.phase_since
        app.bar.tell(tokens=5)
        assert app.bar.facts.phase_since == first
        await asyncio.sleep(0.01)
        app.bar.tell(phase="Bash b")
        assert app.bar.facts.phase_since > first
        assert app.bar.facts.since == 1.0


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (950, "950"),
        (1800, "1.8k"),
        (9_960, "10k"),
        (24_100, "24k"),
        (999_700, "1.0M"),
        (1_200_000, "1.2M"),
    ],
)
def test_counts(number: int, told: str):
    assert tell_count(number) == told


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("claude-sonnet-5-5", "sonnet-5.5"),
        ("claude-opus-5-5-20261001", "opus-5.5-20261001"),
        ("claude-sonnet-5", "sonnet-5"),
        ("gateway/llama", "gateway/llama"),
    ],
)
def test_model_names(model: str, told: str):
    assert short_model(model) == told
