"""What the events of the engine look like in the transcript."""

import asyncio
from typing import get_args

import pytest

from agentcli.frontends.tui.event_view import AnyEvent
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.entries import NoticeEntry
from agentcli.frontends.tui.transcript.rows import Row
from agentcli.frontends.tui.transcript.speech import ThinkingEntry
from agentcli.protocol import events as protocol_events
from agentcli.protocol.calls import ToolResult
from agentcli.protocol.events import (
    BlockDropped,
    BlockFinished,
    BlockStarted,
    Event,
    HistoryChanged,
    Notice,
    Retrying,
    RunFinished,
    RunStarted,
    ToolFinished,
    ToolProgress,
    ToolStarted,
)
from agentcli.protocol.modes import Outcome
from tests.frontends.tui.fake_engine import FakeEngine
from tests.frontends.tui.harness import emit, window
from tests.frontends.tui.scenes import delta, long_history, whole_turn


def test_every_event_is_drawn_by_the_match():
    known = {
        value
        for value in vars(protocol_events).values()
        if isinstance(value, type) and issubclass(value, Event) and value is not Event
    }
    assert set(get_args(AnyEvent)) == known


async def test_a_turn_is_told_in_lines():
    async with window(whole_turn) as shown:
        await shown.send("fix it")
        await shown.idle()
        screen = shown.screen()
        for line in (
            "› fix it",
            "∴ thought",
            '✓ Grep "discount" in src  4 in 2 files',
            "✓ Read src/cart.py  1–88 of 512",
            "✓ Edit src/cart.py  +2 −2",
            "✗ Bash npm test  exit 1 · 8.2s",
            "  FAILED tests/test_cart.py",
            "✓ Bash python -m unittest  ok · 2 lines",
            "  Fixed: total() rounded each line before the discount.",
        ):
            assert line in screen


async def test_calls_group_and_speech_is_set_apart():
    async with window(whole_turn) as shown:
        await shown.send("fix it")
        await shown.idle()
        lines = shown.lines()
        grep = next(row for row, line in enumerate(lines) if "Grep" in line)
        assert lines[grep - 1] == "∴ thought"
        assert "Read" in lines[grep + 1]
        assert lines[grep + 2] == ""
        assert "Edit" in lines[grep + 4]


async def test_thinking_shows_its_last_lines_then_folds():
    async with window() as shown:
        text = "".join(f"thought {number}\n" for number in range(20))
        await emit(shown, BlockStarted("m", 0, "thinking"))
        for piece in text.splitlines(keepends=True):
            shown.engine.emit(protocol_events.BlockDelta("m", 0, "thinking", piece))
        await shown.shows("thought 19")
        assert "∴ thinking" in shown.screen()
        assert "thought 3\n" not in shown.screen()
        await emit(shown, BlockFinished("m", 0, {"type": "thinking", "thinking": text}, "e"))
        assert "thought 19" not in shown.screen()
        entry = shown.app.transcript.entries[-1]
        assert isinstance(entry, ThinkingEntry)
        entry.seconds = 3.2
        shown.app.transcript.changed(entry)
        await shown.shows("∴ thought for 3s")


async def test_a_dropped_block_goes_away():
    async with window() as shown:
        await emit(shown, *delta("half a sentence"))
        assert "half a sentence" in shown.screen()
        await emit(shown, BlockDropped("live", 0))
        assert "half a sentence" not in shown.screen()


async def test_a_call_that_was_never_written_goes_with_the_run():
    async with window() as shown:
        await emit(shown, RunStarted("r"), BlockStarted("m", 0, "tool_use", "Write"))
        await shown.shows("● Write")
        assert "writing Write" in shown.screen()
        await emit(shown, RunFinished("interrupted", "", {}, 0.0, 1, 1))
        assert "● Write" not in shown.screen()


async def test_parallel_calls_get_their_own_results():
    async with window() as shown:
        one, two = (shown.engine.announce("Bash", {"command": f"run {n}"}) for n in (1, 2))
        await emit(shown, ToolStarted(one), ToolStarted(two))
        assert "2 calls" in shown.screen()
        await emit(shown, ToolFinished(two, ToolResult("bad", True), "e"))
        assert "✗ Bash run 2" in shown.screen()
        assert "◐ Bash run 1" in shown.screen()


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        ("error", "✗ Overloaded; try again"),
        ("interrupted", "■ interrupted"),
        ("max_turns", "■ stopped: the turn limit was reached"),
    ],
)
async def test_how_a_run_ended(outcome: Outcome, text: str):
    async with window() as shown:
        error = "Overloaded; try again" if outcome == "error" else None
        await emit(shown, RunStarted("r"), RunFinished(outcome, "", {}, 0.0, 1, 1, error))
        assert text in shown.screen()
        assert "esc interrupt" not in shown.lines()[-1]


async def test_the_output_of_a_running_call_grows_where_it_is_unfolded():
    async with window() as shown:
        call = shown.engine.announce("Bash", {"command": "make"})
        await emit(shown, ToolStarted(call), ToolProgress(call.id, "step 1\n"))
        assert "step 1" not in shown.screen()
        await shown.pilot.press("ctrl+o")
        await emit(shown, ToolProgress(call.id, "step 2\n"), ToolProgress(call.id, "step 3\n"))
        lines = shown.lines()
        first = lines.index("  step 1")
        assert lines[first + 1 : first + 3] == ["  step 2", "  step 3"]


async def test_of_very_much_live_output_the_newest_lines_are_kept():
    async with window() as shown:
        call = shown.engine.announce("Bash", {"command": "make"})
        await emit(shown, ToolStarted(call))
        for start in range(0, 20_000, 100):
            lines = "".join(f"line {n}\n" for n in range(start, start + 100))
            shown.engine.emit(ToolProgress(call.id, lines))
        await shown.pilot.press("ctrl+o")
        await emit(shown)
        await shown.shows("line 19999")
        entry = shown.view.blocks.tool(call)
        assert entry.progress.startswith("…\nline ")
        assert len(entry.progress) < 50_000


async def test_a_retry_tells_the_reason_and_leaves_the_advice_for_the_end():
    async with window(size=(60, 24)) as shown:
        reason = "Cannot connect to 127.0.0.1:9: check the network. Or the proxy."
        await emit(shown, RunStarted("r"), Retrying(2, 10, 6.0, reason))
        await shown.shows("↻ Cannot connect to 127.0.0.1:9, retry 2 in 6s · esc stop")


async def test_a_retry_counts_down():
    async with window() as shown:
        await emit(shown, RunStarted("r"), Retrying(2, 10, 6.0, "overloaded"))
        assert "↻ overloaded, retry 2 in 6s · esc stop" in shown.screen()


async def test_notices_and_subagents():
    async with window() as shown:
        await emit(
            shown,
            Notice("warning", "the disk is full"),
            protocol_events.PromptAdded("p", "inner", scope="agent1"),
        )
        assert "! the disk is full" in shown.screen()
        assert "inner" not in shown.screen()


async def test_control_bytes_never_reach_the_screen():
    async with window() as shown:
        call = shown.engine.announce("Bash", {"command": "cat\x1b]0;x\x07"})
        result = ToolResult("\x1b[2Jred\x1b[31m\x07 text")
        await emit(
            shown, *delta("a\x1b[2Jb\x9b31m"), ToolStarted(call), ToolFinished(call, result, "e")
        )
        shown.app.transcript.unfold_next()
        await shown.pilot.pause()
        assert not any(
            ord(char) < 32 or 127 <= ord(char) < 160 for line in shown.lines() for char in line
        )
        assert "  red text" in shown.screen()


async def test_history_is_drawn_at_the_start_and_after_a_change():
    async with window(history=long_history(2)) as shown:
        await shown.shows("answer 1")
        await shown.pilot.press("up")
        assert shown.app.composer.text == "question 1"
        shown.engine.past = long_history(1)
        await emit(shown, HistoryChanged("rewind", "s1"))
        assert "answer 1" not in shown.screen()
        assert "answer 0" in shown.screen()


async def test_an_entry_that_cannot_be_drawn_does_not_end_the_window():
    class Broken(NoticeEntry):
        def rows(self, width: int, look: Look) -> list[Row]:
            raise ZeroDivisionError("oops")

    async with window() as shown:
        shown.app.transcript.add(Broken("info", "x"))
        shown.app.transcript.add(NoticeEntry("info", "still here"))
        await shown.shows("still here")
        assert "this entry cannot be drawn (ZeroDivisionError: oops)" in shown.screen()


async def test_the_clock_runs_only_during_a_turn():
    async with window() as shown:
        assert shown.app.status._clock is None
        await emit(shown, RunStarted("r"))
        assert shown.app.status._clock is not None
        await emit(shown, RunFinished("success", "", {}, 0.0, 1, 1))
        assert shown.app.status._clock is None


async def test_a_burst_of_events_leaves_room_for_keys():
    async def flood(engine: FakeEngine, text: str) -> None:
        for event in delta("x"):
            engine.emit(event)
        for number in range(5_000):
            engine.emit(protocol_events.BlockDelta("live", 0, "text", f"w{number} "))
        await asyncio.sleep(0)

    async with window(flood) as shown:
        await shown.send("go")
        await shown.pilot.press("a", "b")
        assert shown.app.composer.text == "ab"
        await shown.idle()
        await shown.shows("w4999")


async def test_output_of_a_command_of_ones_own_is_shown_unless_it_is_long():
    short = ToolResult("one\ntwo", details={"stdout": "one\ntwo", "exitCode": 0})
    long = ToolResult("many", details={"stdout": "line\n" * 60, "exitCode": 0})

    async def run(engine: FakeEngine, text: str) -> None:
        await engine.call("!", {"command": text}, short if text == "ls" else long)

    async with window(run) as shown:
        await shown.send("ls")
        await shown.shows("  two")
        await shown.send("seq 60")
        await shown.shows("! seq 60")
        await shown.idle()
        assert "  line" not in shown.lines()


async def test_files_that_went_along_are_named_under_the_prompt():
    async with window() as shown:
        await emit(shown, protocol_events.PromptAdded("e", "see @a.py", attached=("a.py", "src/")))
        await shown.shows("  + a.py, src/")
