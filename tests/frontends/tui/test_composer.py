"""Typing: newlines, history, queue, interrupt, leaving, commands."""

import threading

import pytest
from textual import events

from agentcli.engine.asking import Asker
from agentcli.frontends.tui.port import EnginePort
from agentcli.protocol.errors import UsageError
from tests.frontends.tui.fake_engine import FakeEngine
from tests.frontends.tui.harness import make_app, window
from tests.frontends.tui.scenes import endless


async def test_enter_sends_and_empties():
    async with window() as shown:
        await shown.pilot.press(*"hello", "enter")
        await shown.idle()
        assert shown.engine.prompts == ["hello"]
        assert shown.app.composer.text == ""
        assert "› hello" in shown.screen()


async def test_blank_text_is_not_sent():
    async with window() as shown:
        await shown.pilot.press("space", "ctrl+j", "enter")
        assert shown.engine.prompts == []


@pytest.mark.parametrize("key", ["shift+enter", "ctrl+j", "alt+enter"])
async def test_newline_keys(key: str):
    async with window() as shown:
        await shown.pilot.press("a", key, "b")
        assert shown.app.composer.text == "a\nb"
        assert shown.engine.prompts == []
        assert shown.app.composer.size.height == 2


async def test_backslash_enter_is_a_newline():
    async with window() as shown:
        await shown.pilot.press("a", "backslash", "enter", "b", "enter")
        await shown.idle()
        assert shown.engine.prompts == ["a\nb"]


async def test_a_paste_stays_whole_and_harmless():
    async with window() as shown:
        shown.app.composer.post_message(events.Paste("one\r\ntwo\x1b[31m\nthree"))
        await shown.until(lambda: shown.app.composer.text == "one\ntwo\nthree")
        assert shown.engine.prompts == []


async def test_carriage_returns_in_a_paste_are_line_breaks():
    async with window() as shown:
        shown.app.composer.post_message(events.Paste("one\rtwo\r\nthree\r"))
        await shown.until(lambda: shown.app.composer.text == "one\ntwo\nthree\n")


async def test_the_composer_grows_to_a_third_of_the_screen_at_most():
    async with window(size=(80, 24)) as shown:
        shown.app.composer.put("\n".join("x" for _ in range(40)))
        await shown.until(lambda: shown.app.composer.size.height == 8)


async def test_typing_in_one_line_does_not_lay_out():
    async with window() as shown:
        await shown.pilot.press("a")
        await shown.pilot.pause()
        layouts: list[object] = []
        shown.app.screen.screen_layout_refresh_signal.subscribe(shown.app, layouts.append)
        await shown.pilot.press(*"bcdef")
        await shown.pilot.pause()
        assert shown.app.composer.text == "abcdef"
        assert layouts == []


async def test_up_and_down_walk_through_earlier_prompts():
    async with window() as shown:
        await shown.send("first")
        await shown.send("second")
        await shown.pilot.press(*"draft", "up")
        assert shown.app.composer.text == "second"
        await shown.pilot.press("up", "up")
        assert shown.app.composer.text == "first"
        await shown.pilot.press("down", "down")
        assert shown.app.composer.text == "draft"


async def test_up_moves_inside_a_draft_of_several_lines_first():
    async with window() as shown:
        await shown.send("earlier")
        await shown.pilot.press("a", "ctrl+j", "b", "up")
        assert shown.app.composer.text == "a\nb"
        assert shown.app.composer.cursor_location == (0, 1)
        await shown.pilot.press("up")
        assert shown.app.composer.text == "earlier"


async def test_prompts_queue_while_a_turn_runs_and_can_be_taken_back():
    async with window(endless) as shown:
        await shown.send("work")
        await shown.shows("working on it")
        await shown.send("then the docs")
        await shown.shows("⋯ then the docs   (↑ edit)")
        await shown.pilot.press("up")
        await shown.until(lambda: shown.app.composer.text == "then the docs")
        assert shown.engine.queue == []
        assert "⋯" not in shown.screen()


async def test_escape_interrupts_and_the_queue_goes_on():
    async with window(endless) as shown:
        await shown.send("work")
        await shown.shows("working on it")
        assert "esc interrupt" in shown.screen()
        await shown.send("next")
        await shown.shows("⋯ next")
        await shown.pilot.press("escape")
        await shown.shows("■ interrupted")
        await shown.shows("› next")
        await shown.pilot.press("escape")
        await shown.idle()


async def test_escape_twice_clears_the_draft_and_once_does_not():
    async with window() as shown:
        await shown.pilot.press(*"draft", "escape")
        assert shown.app.composer.text == "draft"
        assert "esc again clears" in shown.screen()
        await shown.pilot.press("escape")
        assert shown.app.composer.text == ""


async def test_ctrl_c_clears_then_quits():
    async with window() as shown:
        await shown.pilot.press(*"draft", "ctrl+c")
        assert shown.app.composer.text == ""
        assert "ctrl+c again quits" in shown.screen()
        await shown.pilot.press("ctrl+c")
        await shown.until(lambda: shown.app.return_value == 0)


async def test_ctrl_c_interrupts_a_turn():
    async with window(endless) as shown:
        await shown.send("work")
        await shown.shows("working on it")
        await shown.pilot.press("ctrl+c")
        await shown.idle()
        assert "interrupted" in shown.screen()
        assert shown.app.is_running


async def test_ctrl_d_deletes_in_text_and_quits_twice_on_an_empty_line():
    async with window() as shown:
        await shown.pilot.press("a", "b", "home", "ctrl+d")
        assert shown.app.composer.text == "b"
        await shown.pilot.press("ctrl+d", "ctrl+d")
        assert shown.app.return_value is None
        await shown.pilot.press("ctrl+d")
        await shown.until(lambda: shown.app.return_value == 0)


async def test_ctrl_q_does_not_quit():
    async with window() as shown:
        await shown.pilot.press("ctrl+q")
        assert shown.app.is_running
        assert shown.app.return_value is None


async def test_shift_tab_cycles_the_mode():
    async with window() as shown:
        assert "○ ask" in shown.screen()
        await shown.pilot.press("shift+tab")
        await shown.shows("» accept edits")
        await shown.pilot.press("shift+tab")
        await shown.shows("◇ plan")


async def test_what_is_sent_before_the_engine_is_ready_is_kept():
    ready = threading.Event()
    engines: list[FakeEngine] = []
    app = make_app(engines=engines, initial_prompt="first")
    make_engine = app.conversation._make_engine

    def slow(asker: Asker) -> EnginePort:
        ready.wait(10)
        return make_engine(asker)

    app.conversation._make_engine = slow
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"second", "enter", "x")
        assert app.composer.text == "x"
        assert engines == []
        ready.set()
        for _ in range(200):
            await pilot.pause(0.02)
            if engines and engines[0].prompts == ["first", "second"]:
                break
        assert engines[0].prompts == ["first", "second"]


async def test_an_engine_that_cannot_be_made_is_told_in_one_red_line():
    app = make_app()

    def broken(asker: object) -> FakeEngine:
        raise UsageError("no key; set one")

    app.conversation._make_engine = broken
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(100):
            await pilot.pause(0.02)
            if app.conversation.failure:
                break
        await pilot.pause(0.1)
        texts = [getattr(entry, "text", "") for entry in app.transcript.entries]
        assert "Usage: no key; set one" in texts
        await pilot.press(*"hello", "enter")
        assert app.composer.text == "hello"
        assert app.is_running


async def test_the_engine_is_closed_at_the_end():
    async with window() as shown:
        engine = shown.engine
    assert engine.closed


async def test_keys_that_come_at_once_are_handled_in_their_order():
    async with window() as shown:
        composer = shown.app.composer
        for key, char in [*(("x", "x"),) * 3, ("backspace", "\x7f"), ("left", None), ("y", "y")]:
            composer.post_message(events.Key(key, char))
        composer.post_message(events.Key("enter", "\r"))
        await shown.until(lambda: shown.engine.prompts == ["xyx"])


async def test_ctrl_c_never_quits_with_a_text_in_the_composer():
    async with window() as shown:
        await shown.pilot.press("x", "ctrl+c", "up")
        assert shown.app.composer.text == "x"
        await shown.pilot.press("ctrl+c")
        assert shown.app.composer.text == ""
        assert shown.app.is_running and shown.app.return_value is None
        await shown.pilot.press("ctrl+c")
        await shown.until(lambda: shown.app.return_value == 0)
