"""Leaving, naming, copying and shortening a conversation: the commands, and what the window draws
when the conversation has become another one."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from textual.pilot import Pilot

from agentcli.engine.asking import Asker
from agentcli.frontends.tui.app import AgentApp
from agentcli.frontends.tui.exporting import free_name
from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.look.themes import DARK
from agentcli.frontends.tui.transcript.compact_entry import CompactEntry
from agentcli.protocol.errors import SessionBusy, SessionError, UsageError
from agentcli.protocol.events import Compacted, Compacting, HistoryChanged, Notice, Retrying
from agentcli.protocol.history import PromptPoint
from agentcli.session.codec import encode_line
from agentcli.session.entries import Entry
from tests.frontends.shared.test_whole import compaction, turn
from tests.frontends.tui.fake_engine import FakeEngine
from tests.frontends.tui.harness import Window, emit, make_app, no_answer, screen_text, window
from tests.frontends.tui.scenes import endless, long_history
from tests.frontends.tui.sessions import past_of


async def attached(shown: Window) -> None:
    await shown.until(lambda: shown.app.equipment and shown.app.equipment.attached)


def title_of(shown: Window) -> str:
    assert shown.app.equipment is not None
    return shown.app.equipment.link._topic


# /clear


async def test_clear_says_how_to_get_the_old_session_back():
    async with window(history=long_history(2)) as shown:
        await attached(shown)
        await shown.send("/clear")
        await shown.shows(
            "· new session; the one before is kept: /resume, or the first row of /rewind"
        )
        assert "answer 1" not in shown.screen()
        assert shown.engine.history.calls == [("clear", "")]


async def test_clear_gives_the_new_session_a_name():
    async with window() as shown:
        await attached(shown)
        await shown.send("/new fix the cart")
        await shown.until(lambda: shown.engine.history.calls == [("clear", "fix the cart")])
        await shown.until(lambda: title_of(shown) == "fix the cart")


async def test_earlier_prompts_stay_within_reach_after_clear():
    async with window(history=long_history(2)) as shown:
        await attached(shown)
        await shown.send("/clear")
        await shown.shows("· new session")
        await shown.pilot.press("up", "up")
        assert shown.app.composer.text == "question 1"


async def test_a_session_that_was_never_written_leaves_no_way_back():
    async with window() as shown:
        await attached(shown)
        await emit(shown, HistoryChanged("clear", "s2"))
        assert "the one before" not in shown.screen()


# /compact


async def test_compact_hands_its_focus_over_and_draws_a_rule():
    async with window(history=long_history(1)) as shown:
        await attached(shown)
        await shown.send("/compact the cart")
        await shown.shows("◇ compacted 82k → 6k ──")
        assert shown.engine.history.calls == [("compact", "the cart")]
        assert "answer 0" in shown.screen()
        assert not shown.app.status.facts.phase


async def test_while_a_turn_is_on_compact_waits_for_its_end():
    async with window(endless) as shown:
        await attached(shown)
        await shown.send("go")
        await shown.shows("working on it")
        await shown.send("/compact")
        await shown.shows("⋯ /compact")
        assert shown.engine.history.calls == []
        await shown.pilot.press("escape")
        await shown.shows("◇ compacted")
        assert "⋯ /compact" not in shown.screen()


async def test_a_command_that_waits_can_be_taken_back():
    async with window(endless) as shown:
        await attached(shown)
        await shown.send("go")
        await shown.shows("working on it")
        await shown.send("/compact the cart")
        await shown.shows("⋯ /compact")
        await shown.pilot.press("up")
        assert shown.app.composer.text == "/compact the cart"
        await shown.until(lambda: "⋯ /compact" not in shown.screen())
        await shown.pilot.press("escape")
        await shown.idle()
        assert shown.engine.history.calls == []


async def test_a_command_that_waits_is_not_for_the_session_after():
    async with window(endless) as shown:
        await attached(shown)
        await shown.send("go")
        await shown.shows("working on it")
        await shown.send("/branch other")
        await shown.shows("⋯ /branch other")
        await shown.send("/clear")
        await shown.shows("· new session")
        await shown.pilot.press("escape")
        await shown.idle()
        assert [name for name, *_ in shown.engine.history.calls] == ["clear"]


async def test_a_compaction_that_fails_is_one_line_and_ends_the_phase():
    async with window() as shown:
        await attached(shown)
        shown.engine.history.fails["compact"] = UsageError("there is too little to shorten")
        await shown.send("/compact")
        await shown.shows("✗ there is too little to shorten")
        assert shown.screen().count("too little") == 1
        await emit(shown, Compacting("manual"))
        await shown.shows("summarising the conversation")
        await emit(shown, Notice("error", "the summary could not be made"))
        assert not shown.app.status.facts.phase


async def test_the_phase_tells_the_time_and_what_stops_it():
    async with window() as shown:
        await attached(shown)
        await emit(shown, Compacting("manual"))
        await shown.shows("summarising the conversation 0s · esc interrupt")


async def test_a_retry_of_the_summary_goes_on_as_the_summary():
    async with window() as shown:
        await attached(shown)
        await emit(shown, Compacting("manual"), Retrying(2, 10, 6.0, "overloaded"))
        await shown.shows("summarising the conversation, retry 2 in 6s · esc stop")


async def test_a_compaction_within_a_turn_goes_back_to_waiting():
    async def compacting(engine: FakeEngine, text: str) -> None:
        engine.emit(Compacting("auto"))
        await asyncio.sleep(0.15)
        engine.emit(Compacted("auto", 180_000, 9_000, "what was said"))
        await asyncio.sleep(0.15)

    async with window(compacting) as shown:
        await attached(shown)
        await shown.send("go")
        await shown.shows("summarising the conversation")
        await shown.shows("waiting for the model")
        await shown.shows("◇ compacted 180k → 9k · automatic ─")
        await shown.idle()


# the entry


SUMMARY = "The person wants the cart fixed.\n\nA needle was found."


async def test_the_summary_unfolds_and_can_be_searched_and_copied():
    async with window(history=long_history(1)) as shown:
        await attached(shown)
        await emit(shown, Compacted("manual", 82_000, 6_000, SUMMARY))
        assert "needle" not in shown.screen()
        await shown.pilot.press("ctrl+o")
        await shown.shows("  A needle was found.")
        await shown.pilot.press("ctrl+o")
        await shown.until(lambda: "needle" not in shown.screen())
        await shown.pilot.press("ctrl+f", *"needle")
        await shown.shows("  A needle was found.")
        entry = shown.app.transcript.entries[-1]
        assert entry.source_text().text == f"compacted 82k → 6k\n{SUMMARY}"


@pytest.mark.parametrize(
    ("side", "told"), [("up_to", "◇ beginning compacted"), ("from", "◇ end compacted")]
)
async def test_a_part_that_was_compacted_is_named(side: Literal["up_to", "from"], told: str):
    async with window() as shown:
        await emit(shown, Compacted("manual", 82_000, 6_000, "x", side))
        await shown.shows(f"{told} 82k → 6k")


@pytest.mark.parametrize("width", [1, 2, 5, 12, 30, 200])
def test_the_rule_fits(width: int):
    entry = CompactEntry(Compacted("auto", 82_000, 6_000, "\x1b[2J\x07" + SUMMARY * 20))
    entry.folded = False
    rows = entry.rows(width, make_look(DARK))
    assert all(row.strip.cell_length <= width for row in rows)
    assert not any(ord(char) < 32 for row in rows for part in row.strip for char in part.text)


# /branch, /rename, resume of what is told by the engine


async def test_branch_goes_on_in_a_copy():
    async with window(history=long_history(1)) as shown:
        await attached(shown)
        shown.engine.history.pasts["branch"] = long_history(1)
        await shown.send("/branch with Decimal")
        await shown.shows("this is a copy to go on in")
        assert "answer 0" in shown.screen()
        await shown.until(lambda: title_of(shown) == "with Decimal")


async def test_rename_with_a_name():
    async with window() as shown:
        await attached(shown)
        await shown.send("/rename cart totals")
        await shown.shows("this session is “cart totals” now")
        assert title_of(shown) == "cart totals"
        shown.engine.history.fails["rename"] = UsageError("say the new name")
        await shown.send("/rename x")
        await shown.shows("✗ say the new name")


async def test_rename_without_a_name_asks_with_the_present_one():
    async with window() as shown:
        await attached(shown)
        shown.engine.history.title = "cart totals"
        await shown.send("/rename")
        await shown.shows("› cart totals▏")
        await shown.pilot.press("left", "backspace", "delete", *"x", "enter")
        await shown.until(lambda: ("rename", "cart totax") in shown.engine.history.calls)
        for keys in (("escape",), ("enter",), ("ctrl+u", "enter")):
            await shown.send("/rename")
            await shown.shows("› cart totax▏")
            await shown.pilot.press(*keys)
            await shown.until(lambda: len(shown.app.screen_stack) == 1)
        assert len(shown.engine.history.calls) == 1


async def test_the_terminal_title_is_the_name_else_the_last_prompt():
    async with window() as shown:
        await attached(shown)
        await shown.send("fix the cart")
        await shown.idle()
        assert title_of(shown) == "fix the cart"
        shown.engine.history.title = "totals"
        await shown.send("and the tests")
        await shown.idle()
        assert title_of(shown) == "totals"


async def test_a_draft_goes_along_to_the_session_that_is_resumed():
    async with window() as shown:
        await attached(shown)
        shown.engine.history.pasts["s7"] = past_of("earlier words")
        await shown.pilot.press(*"half a thought")
        await shown.engine.history.resume(Path("/code/s7.jsonl"))
        await shown.shows("earlier words")
        await shown.pilot.pause(0.1)
        assert shown.app.composer.text == "half a thought"


async def test_going_back_in_the_same_session_keeps_the_name():
    async with window(history=long_history(2)) as shown:
        await attached(shown)
        await shown.send("fix the cart")
        await shown.idle()
        await emit(shown, HistoryChanged("rewind", "s1"))
        assert title_of(shown) == "fix the cart"


# esc esc


async def test_escape_twice_on_an_empty_composer_opens_rewind():
    async with window(history=long_history(2)) as shown:
        await attached(shown)
        shown.engine.history.points = [PromptPoint("p0", "question 0", 0.0)]
        await shown.pilot.press("escape")
        await shown.shows("esc again to rewind")
        await shown.pilot.press("escape")
        await shown.until(lambda: len(shown.app.screen_stack) == 2)


async def test_the_escape_that_stops_a_turn_is_no_step_to_rewind():
    async with window(endless) as shown:
        await attached(shown)
        await shown.send("go")
        await shown.shows("working on it")
        await shown.pilot.press("escape")
        await shown.idle()
        await shown.pilot.press("escape")
        await shown.shows("esc again to rewind")
        assert len(shown.app.screen_stack) == 1


async def test_escape_late_is_a_first_one_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("agentcli.frontends.tui.stops._REWIND_TWICE", 0.05)
    async with window(history=long_history(2)) as shown:
        await attached(shown)
        await shown.pilot.press("escape")
        await shown.pilot.pause(0.1)
        await shown.pilot.press("escape")
        assert len(shown.app.screen_stack) == 1


# /export


async def exporting_to(shown: Window, project: Path, command: str) -> None:
    await attached(shown)
    message = {"role": "user", "content": "fix the total"}
    line = {"type": "user", "uuid": "u1", "parentUuid": None, "message": message}
    shown.engine.history.exported = [Entry(line)]
    shown.engine.project_dir = project
    shown.engine.history.title = "Fix the cart: total!"
    await shown.send(command)


async def test_export_to_a_file_says_where_it_went(tmp_path: Path):
    async with window() as shown:
        await exporting_to(shown, tmp_path, "/export notes")
        await shown.until(lambda: (tmp_path / "notes.md").exists())
        await shown.shows("· exported to")
        text = (tmp_path / "notes.md").read_text()
        assert text.startswith("# Fix the cart: total!\n") and "fix the total" in text
        await shown.send("/export log.json")
        await shown.until(lambda: (tmp_path / "log.json").exists())
        log = json.loads((tmp_path / "log.json").read_text())
        assert log["entries"][0]["message"]["content"] == "fix the total"


async def test_export_holds_what_was_said_before_a_compaction(tmp_path: Path):
    first, short = turn("1", None, "fix the total"), compaction("b", "1-a")
    shown_file = tmp_path / "s.jsonl"
    shown_file.write_bytes(b"".join(encode_line(entry.data) for entry in [*first, *short]))
    async with window() as shown:
        await attached(shown)
        shown.engine.project_dir, shown.engine.transcript_path = tmp_path, shown_file
        shown.engine.history.exported = short
        await shown.send("/export notes")
        await shown.until(lambda: (tmp_path / "notes.md").exists())
        text = (tmp_path / "notes.md").read_text()
        assert text.index("fix the total") < text.index("gist b")
        shown_file.unlink()
        await shown.send("/export rest")
        await shown.until(lambda: (tmp_path / "rest.md").exists())
        assert "gist b" in (tmp_path / "rest.md").read_text()


async def test_export_writes_over_a_file_only_when_told(tmp_path: Path):
    (tmp_path / "notes.md").write_text("mine")
    async with window() as shown:
        await exporting_to(shown, tmp_path, "/export notes.md")
        await shown.shows("there already")
        await shown.pilot.press("enter", "escape")
        await shown.until(lambda: len(shown.app.screen_stack) == 1)
        assert (tmp_path / "notes.md").read_text() == "mine"
        await shown.send("/export notes.md")
        await shown.shows("there already")
        await shown.pilot.press("o")
        await shown.shows("exported to")
        assert "fix the total" in (tmp_path / "notes.md").read_text()


async def test_export_without_a_file_offers_where_to(tmp_path: Path):
    async with window() as shown:
        await exporting_to(shown, tmp_path, "/export")
        await shown.shows("session-fix-the-cart-total-")
        await shown.pilot.press(*"json", "enter")
        await shown.shows("exported to")
        [file] = tmp_path.iterdir()
        assert file.name.startswith("session-fix-the-cart-total-2") and file.suffix == ".json"


async def test_export_to_a_place_that_takes_nothing_is_one_line(tmp_path: Path):
    async with window() as shown:
        await exporting_to(shown, tmp_path, "/export no/such/folder/notes.md")
        await shown.shows("✗ cannot write")
        assert "No such file or directory" in " ".join(shown.screen().split())


async def test_an_empty_conversation_is_not_exported():
    async with window() as shown:
        await attached(shown)
        await shown.send("/export")
        await shown.shows("✗ there is no conversation to export yet")


async def test_the_clipboard_gets_markdown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    copied: list[str] = []
    async with window() as shown:
        monkeypatch.setattr(shown.app, "copy", copied.append)
        await exporting_to(shown, tmp_path, "/export")
        await shown.shows("copy to the clipboard")
        await shown.pilot.press("enter")
        await shown.until(lambda: copied)
        assert copied[0].startswith("# Fix the cart: total!\n")
        assert list(tmp_path.iterdir()) == []


def test_a_free_name_is_free(tmp_path: Path):
    first = free_name(tmp_path, "a/b: c\n" * 50, ".md")
    first.write_text("x")
    second = free_name(tmp_path, "a/b: c\n" * 50, ".md")
    assert first.parent == second.parent == tmp_path
    assert second.name == first.name.replace(".md", "-2.md")
    assert free_name(tmp_path, "", ".md").name.startswith("session-2")


# a session in use at the start


Make = Callable[[Asker], FakeEngine]


def busy_app(made: list[str], others: bool = True) -> AgentApp:
    """A window whose session is in use; *made* tells which other engine was made."""

    def maker(name: str) -> Make:
        def make(asker: Asker) -> FakeEngine:
            made.append(name)
            return FakeEngine(asker, no_answer, past=past_of(f"begun by {name}"))

        return make

    def refuse(asker: Asker) -> FakeEngine:
        raise SessionBusy("s1 is open in process 4711")

    options: dict[str, Any] = {}
    if others:
        options = {"fork_engine": maker("fork"), "new_engine": maker("new")}
    app = make_app(**options)
    app.conversation._make_engine = refuse
    return app


async def on(app: AgentApp, pilot: Pilot[int], holds: Callable[[], object]) -> None:
    for _ in range(500):
        if holds():
            return
        await pilot.pause(0.01)
    raise AssertionError(screen_text(app))


@pytest.mark.parametrize(("key", "way"), [("f", "fork"), ("n", "new")])
async def test_a_start_on_a_session_in_use_asks_how_to_go_on(key: str, way: str):
    made: list[str] = []
    app = busy_app(made)
    async with app.run_test(size=(80, 24)) as pilot:
        await on(app, pilot, lambda: "s1 is open in process 4711" in screen_text(app))
        await pilot.press("enter", key)
        await on(app, pilot, lambda: f"begun by {way}" in screen_text(app))
        assert made == [way]


async def test_a_start_that_is_given_up_says_why():
    made: list[str] = []
    app = busy_app(made)
    async with app.run_test(size=(80, 24)) as pilot:
        await on(app, pilot, lambda: "fork it" in screen_text(app))
        await pilot.press("escape")
        await on(
            app, pilot, lambda: "✗ Session in use: s1 is open in process 4711" in screen_text(app)
        )
        assert made == []


async def test_where_nothing_else_can_be_made_the_reason_is_told_at_once():
    app = busy_app([], others=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await on(
            app, pilot, lambda: "✗ Session in use: s1 is open in process 4711" in screen_text(app)
        )
        assert len(app.screen_stack) == 1


async def test_what_fails_leaves_the_conversation_as_it_is():
    async with window(history=long_history(1)) as shown:
        await attached(shown)
        for method, command in (("clear", "/clear"), ("branch", "/branch")):
            shown.engine.history.fails[method] = SessionError(f"no {method} now")
            await shown.send(command)
            await shown.shows(f"✗ no {method} now")
        assert "answer 0" in shown.screen()
