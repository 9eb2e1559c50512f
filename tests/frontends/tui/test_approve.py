"""The approval sheet: what it shows, and which keys decide what."""

import asyncio

import pytest
from textual import events

from agentcli.frontends.tui.screens import approve
from agentcli.protocol.asks import Allow, Deny
from agentcli.protocol.rules import Rule, RuleUpdate
from tests.frontends.tui.fake_engine import FakeEngine
from tests.frontends.tui.harness import window
from tests.frontends.tui.scenes import ask_bash, ask_edit, bash_ask, long_history


async def test_y_allows_once():
    async with window(ask_bash) as shown:
        await shown.send("publish")
        await shown.shows("needs your approval")
        await shown.pilot.press("y")
        await shown.idle()
        assert shown.engine.replies == [Allow()]
        assert "needs your approval" not in shown.screen()


async def test_enter_and_space_decide_nothing():
    async with window(ask_bash) as shown:
        await shown.send("publish")
        await shown.shows("needs your approval")
        await shown.pilot.press("enter", "space", "enter")
        assert shown.engine.replies == []
        assert "needs your approval" in shown.screen()


@pytest.mark.parametrize("key", ["n", "escape", "ctrl+c"])
async def test_no_stops_the_run(key: str):
    async with window(ask_bash) as shown:
        await shown.send("publish")
        await shown.shows("needs your approval")
        await shown.pilot.press(key)
        await shown.idle()
        assert shown.engine.replies == [Deny(stop_run=True)]


async def test_a_comment_goes_to_the_model():
    async with window(ask_bash) as shown:
        await shown.send("publish")
        await shown.shows("needs your approval")
        await shown.pilot.press("c", *"use npm pack", "enter")
        await shown.idle()
        assert shown.engine.replies == [Deny(message="use npm pack")]


async def test_an_empty_comment_is_a_plain_no_and_escape_goes_back():
    async with window(ask_bash) as shown:
        await shown.send("publish")
        await shown.shows("needs your approval")
        await shown.pilot.press("c", "x", "escape")
        assert shown.engine.replies == []
        await shown.shows("y once")
        await shown.pilot.press("c", "backspace", "enter")
        await shown.idle()
        assert shown.engine.replies == [Deny(stop_run=True)]


async def test_always_shows_the_rule_and_the_place_before_it_saves():
    async with window(ask_bash) as shown:
        await shown.send("publish")
        await shown.shows("always: Bash(npm publish *)")
        await shown.pilot.press("a")
        await shown.shows("2 this project, only me: Bash(npm publish *)")
        assert shown.engine.replies == []
        await shown.pilot.press("escape", "a", "2")
        await shown.idle()
        rule = RuleUpdate(rules=(Rule("Bash", "npm publish *"),), destination="localSettings")
        assert shown.engine.replies == [Allow(remember=(rule,))]


async def test_a_mode_is_set_for_the_session_only():
    async with window(ask_edit) as shown:
        await shown.send("edit")
        await shown.shows("needs your approval")
        await shown.pilot.press("a", "2", "1")
        await shown.idle()
        update = RuleUpdate(mode="acceptEdits", destination="session")
        assert shown.engine.replies == [Allow(remember=(update,))]


async def test_a_diff_is_shown_with_line_numbers():
    async with window(ask_edit) as shown:
        await shown.send("edit")
        await shown.shows("+2 −2")
        screen = shown.screen()
        assert "41 -         subtotal += round(line.price * line.qty, 2)" in screen
        assert "42 +     return round(subtotal * (1 - discount), 2)" in screen


async def test_the_conversation_ends_above_the_sheet():
    async with window(ask_edit) as shown:
        await shown.send("edit the cart")
        await shown.shows("needs your approval")
        lines = shown.lines()
        rule = next(row for row, line in enumerate(lines) if "needs your approval" in line)
        assert any("● Edit src/cart.py" in line for line in lines[:rule])
        assert shown.app.transcript.region.bottom == rule
        await shown.pilot.press("y")
        await shown.idle()
        assert shown.app.transcript.styles.margin.bottom == 0


async def test_a_long_command_can_be_read_to_its_end():
    command = "\n".join(f"echo line-{number}" for number in range(60)) + "\nrm -rf build"

    async def script(engine: FakeEngine, text: str) -> None:
        await engine.ask(bash_ask(engine, command))

    async with window(script, size=(60, 16)) as shown:
        await shown.send("go")
        await shown.shows("needs your approval")
        assert "rm -rf build" not in shown.screen()
        assert "y once" in shown.lines()[-2] + shown.lines()[-1]
        await shown.pilot.press("end")
        await shown.shows("rm -rf build")
        await shown.pilot.press("home")
        await shown.shows("echo line-0")


async def test_how_much_is_out_of_sight_is_told():
    command = "\n".join(f"echo line-{number}" for number in range(60))

    async def script(engine: FakeEngine, text: str) -> None:
        await engine.ask(bash_ask(engine, command))

    async with window(script, size=(60, 16)) as shown:
        await shown.send("go")
        await shown.shows("needs your approval")
        shows = sum("echo line-" in line for line in shown.lines()[-11:])
        assert f"↓ {60 - shows} more lines" in shown.screen()
        await shown.pilot.press("down")
        await shown.shows(f"↓ {59 - shows} more lines · ↑ 1 above")
        await shown.pilot.press("end")
        await shown.shows(f"end · ↑ {60 - shows} above")
        assert "echo line-59" in shown.screen()


async def test_all_rows_of_a_body_that_fits_are_drawn():
    async def script(engine: FakeEngine, text: str) -> None:
        await engine.ask(bash_ask(engine, "echo 1\necho 2\necho 3"))

    async with window(script, size=(80, 10)) as shown:
        await shown.send("go")
        await shown.shows("needs your approval")
        assert "more line" not in shown.screen()
        assert all(f"echo {number}" in shown.screen() for number in (1, 2, 3))


async def test_a_pasted_comment_keeps_all_its_lines():
    async with window(ask_bash) as shown:
        await shown.send("publish")
        await shown.shows("needs your approval")
        await shown.pilot.press("c")
        assert shown.app.focused is not None
        shown.app.focused.post_message(events.Paste("use npm pack\r\x1b[31m  then stop\n"))
        await shown.shows("› use npm pack then stop")
        row = next(y for y, line in enumerate(shown.lines()) if "› use npm" in line)
        assert "enter send" in shown.lines()[row + 1]
        await shown.pilot.press("enter")
        await shown.idle()
        assert shown.engine.replies == [Deny(message="use npm pack then stop")]


async def test_pages_go_through_the_conversation_when_the_question_is_in_sight():
    async with window(ask_bash, history=long_history(20)) as shown:
        await shown.send("publish")
        await shown.shows("needs your approval")
        assert shown.app.transcript.follow
        await shown.pilot.press("pageup")
        await shown.until(lambda: not shown.app.transcript.follow)
        await shown.shows("question 17")
        assert "needs your approval" in shown.screen()
        await shown.pilot.press("pagedown", "pagedown")
        await shown.until(lambda: shown.app.transcript.follow)
        assert shown.engine.replies == []


async def test_the_command_can_be_scrolled_while_a_comment_is_written():
    command = "\n".join(f"echo line-{number}" for number in range(60))

    async def script(engine: FakeEngine, text: str) -> None:
        await engine.ask(bash_ask(engine, command))

    async with window(script) as shown:
        await shown.send("go")
        await shown.shows("echo line-0")
        await shown.pilot.press("c", "x", "pagedown")
        await shown.until(lambda: "echo line-0" not in shown.lines()[7])
        assert "› x" in shown.screen()
        await shown.pilot.press("pageup", "up")
        await shown.shows("echo line-0")


async def test_a_paste_decides_nothing():
    async with window(ask_bash) as shown:
        await shown.send("publish")
        await shown.shows("needs your approval")
        shown.app.screen.post_message(events.Paste("y"))
        await shown.pilot.pause()
        assert shown.engine.replies == []


async def test_one_choice_is_not_told_as_a_range():
    async with window(ask_edit) as shown:
        await shown.send("edit")
        await shown.shows("needs your approval")
        await shown.pilot.press("a")
        await shown.shows("1 save and run")
        assert "1–1" not in shown.screen()


async def test_a_no_is_told_as_what_it_is():
    async def script(engine: FakeEngine, text: str) -> None:
        await engine.ask(bash_ask(engine, "ls"))
        engine.interrupt()
        await asyncio.sleep(60)

    async with window(script) as shown:
        await shown.send("go")
        await shown.shows("needs your approval")
        await shown.pilot.press("n")
        await shown.shows("■ stopped: not approved")
        assert "interrupted" not in shown.screen()


async def test_hidden_characters_of_a_command_are_shown():
    async def script(engine: FakeEngine, text: str) -> None:
        await engine.ask(bash_ask(engine, "ls \u202e\x1b[31m x"))

    async with window(script) as shown:
        await shown.send("go")
        await shown.shows("ls \\u202e\\x1b[31m x")


async def test_keys_typed_too_early_are_ignored(monkeypatch: pytest.MonkeyPatch):
    async with window(ask_bash) as shown:
        monkeypatch.setattr(approve, "GRACE", 60.0)
        await shown.send("publish")
        await shown.shows("needs your approval")
        await shown.pilot.press("y", "n", "escape")
        assert shown.engine.replies == []
        assert "needs your approval" in shown.screen()


async def test_a_withdrawn_question_vanishes():
    async with window(ask_bash) as shown:
        await shown.send("publish")
        await shown.shows("needs your approval")
        shown.engine.interrupt()
        await shown.idle()
        assert "needs your approval" not in shown.screen()
        assert "interrupted" in shown.screen()
        assert shown.app.focused is shown.app.composer


@pytest.mark.parametrize("size", [(80, 10), (40, 12), (20, 8)])
async def test_the_keys_stay_in_sight_on_small_screens(size: tuple[int, int]):
    async with window(ask_edit, size=size) as shown:
        await shown.send("e")
        await shown.shows("y once")
        assert "needs your ap" in shown.screen()


async def test_a_question_that_came_while_the_person_was_elsewhere_leaves_the_keys_working():
    async with window(ask_bash) as shown:
        await shown.until(lambda: shown.app.equipment is not None and shown.app.equipment.attached)
        shown.app.post_message(events.AppBlur())
        await shown.pilot.pause()
        await shown.send("publish")
        await shown.shows("needs your approval")
        shown.app.post_message(events.AppFocus())
        await shown.pilot.pause()
        await shown.pilot.press("y")
        await shown.idle()
        await shown.pilot.press("h", "i")
        assert shown.app.composer.text == "hi"
        await shown.pilot.press("ctrl+p")
        await shown.shows("type to filter")
