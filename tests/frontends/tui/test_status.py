"""The status line at every width."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agentcli.frontends.tui.conversation import short_model
from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.look.themes import DARK
from agentcli.frontends.tui.status.line import StatusFacts, status_runs, tell_count

LOOK = make_look(DARK)
IDLE = StatusFacts(
    model="sonnet-5.5", directory="~/shop", branch="main", context_share=0.18, cost_usd=0.04
)
BUSY = replace(IDLE, phase="thinking", since=88.0, tokens=1800)


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
    retry = replace(BUSY, phase="overloaded", attempt=2, retry_at=106.0)
    assert line(retry, 60).startswith(" ↻ overloaded, retry 2 in 6s · esc stop")
    assert line(replace(BUSY, hint="ctrl+c again quits"), 60).startswith(" ctrl+c again quits")


@pytest.mark.parametrize("width", [30, 40, 80])
def test_a_long_reason_hides_neither_the_next_try_nor_the_key(width: int):
    reason = "Cannot connect to 127.0.0.1:45678: connection refused"
    told = line(replace(BUSY, phase=reason, attempt=3, retry_at=106.0), width).rstrip()
    assert told.startswith(" ↻ Cannot")
    assert ("…, retry 3 in 6s" if width < 80 else reason[:40]) in told
    assert "retry 3 in 6s" in told
    assert width == 30 or "esc stop" in told


@given(st.integers(1, 120), st.text(st.sampled_from("ab 漢/"), max_size=60), st.booleans())
def test_the_line_never_exceeds_the_screen(width: int, phase: str, retry: bool):
    facts = replace(BUSY, phase=phase, retry_at=106.0 if retry else 0.0)
    assert cell_len(line(facts, width)) <= width


@pytest.mark.parametrize(
    ("number", "told"), [(950, "950"), (1800, "1.8k"), (24_100, "24k"), (1_200_000, "1.2M")]
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
