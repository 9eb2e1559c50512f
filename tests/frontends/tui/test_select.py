"""Selecting with the mouse: what is marked, where it stays, and what a copy takes."""

import pytest
from textual import events

from agentcli.frontends.tui.transcript.answer import AnswerEntry
from agentcli.frontends.tui.transcript.entries import NoticeEntry
from agentcli.frontends.tui.transcript.speech import PromptEntry
from tests.frontends.tui.reader import Reader, command, notices, reader

LONG = "the quick brown fox jumps over the lazy dog and runs away into the deep dark wood at night"


async def drag(shown: Reader, start: tuple[int, int], *way: tuple[int, int]) -> None:
    """Press at *start*, move along *way* and let go; (column, row) on the screen."""
    await shown.pilot.mouse_down(offset=start)
    for place in way:
        await shown.pilot.hover(offset=place)
    await shown.pilot.mouse_up(offset=way[-1])


def marked(shown: Reader) -> str:
    """The text that is shown as selected."""
    picked = shown.view.lines.look.picked.bgcolor
    rows = (
        "".join(text for text, style, _ in strip if style is not None and style.bgcolor == picked)
        for strip in shown.strips()
    )
    return "\n".join(row for row in rows if row)


async def test_a_drag_marks_and_copies_both_cells_included():
    async with reader() as shown:
        await shown.add(AnswerEntry("copy these words please\n"))
        row = shown.row_of("copy these")
        await drag(shown, (7, row), (9, row), (11, row))
        assert shown.selected() == marked(shown) == "these"
        await drag(shown, (11, row), (9, row), (7, row))
        assert shown.selected() == marked(shown) == "these"


async def test_wide_characters_are_taken_by_their_cells():
    async with reader() as shown:
        await shown.add(AnswerEntry("日本語のテキスト here\n"))
        row = shown.row_of("日本語")
        await drag(shown, (4, row), (7, row))
        assert shown.selected() == "本語"


async def test_a_copy_has_no_gutter_no_padding_and_no_wraps():
    async with reader(size=(40, 24)) as shown:
        await shown.add(PromptEntry(LONG), AnswerEntry("short\n"), NoticeEntry("info", "told"))
        last = shown.row_of("told")
        await drag(shown, (0, 0), (5, 1), (39, last))
        assert shown.selected() == f"{LONG}\n\nshort\n\ntold"


async def test_calls_that_stand_together_are_copied_together():
    async with reader() as shown:
        await shown.add(command("one", "x"), command("two", "y"), NoticeEntry("info", "told"))
        await drag(shown, (2, 0), (9, 1), (20, 3))
        assert shown.selected() == "Bash one  ok\nBash two  ok\n\ntold"


async def test_part_of_a_wrapped_line_is_joined_again():
    async with reader(size=(40, 24)) as shown:
        await shown.add(PromptEntry("x " + LONG))
        await drag(shown, (4, 0), (20, 1), (30, 2))
        text = shown.selected()
        assert text is not None and "\n" not in text and text in LONG


async def test_whole_blocks_give_their_markdown():
    async with reader() as shown:
        source = "# Title\n\na **bold** word\n\n```python\nx = 1\n```\n\n- a\n- b\n"
        await shown.add(AnswerEntry(source), NoticeEntry("info", "told"))
        await drag(shown, (0, 0), (3, 3), (0, shown.row_of("told") - 1))
        assert shown.selected() == source.rstrip("\n")


async def test_a_double_click_takes_the_word_a_path_is_one():
    async with reader() as shown:
        await shown.add(AnswerEntry("look at src/shop/cart.py:41, then go.\n"))
        row = shown.row_of("look at")
        await shown.pilot.click(offset=(14, row), times=2)
        assert shown.selected() == marked(shown) == "src/shop/cart.py:41"
        await shown.pilot.click(offset=(36, row), times=2)
        assert shown.selected() == "go"


async def test_a_word_that_was_cut_by_the_edge_is_taken_whole():
    async with reader(size=(30, 24)) as shown:
        path = "/very/long/path/" + "x" * 40 + "/file.py"
        await shown.add(PromptEntry(path))
        await shown.pilot.click(offset=(5, 1), times=2)
        assert shown.selected() == path


async def test_a_triple_click_takes_the_line_over_its_wraps_a_fourth_the_entry():
    async with reader(size=(40, 24)) as shown:
        await shown.add(PromptEntry("first\n" + LONG), NoticeEntry("info", "told"))
        await shown.pilot.click(offset=(10, 2), times=3)
        assert shown.selected() == LONG
        await shown.pilot.click(offset=(10, 2), times=4)
        assert shown.selected() == "first\n" + LONG


async def test_a_double_click_on_a_call_selects_and_leaves_the_fold():
    async with reader() as shown:
        tool = command("npm test", "12 passed")
        await shown.add(tool)
        await shown.pilot.click(offset=(9, shown.row_of("npm")), times=2)
        assert shown.selected() == "npm" and tool.folded


async def test_a_click_drops_the_selection():
    async with reader() as shown:
        await shown.add(AnswerEntry("copy these words\n"))
        row = shown.row_of("copy")
        await drag(shown, (2, row), (9, row))
        assert marked(shown)
        await shown.pilot.click(offset=(40, row + 5))
        assert shown.selected() is None and not marked(shown)


async def test_a_drag_in_a_call_does_not_fold_it():
    async with reader() as shown:
        tool = command("npm test", "12 passed")
        await shown.add(tool)
        row = shown.row_of("npm")
        await drag(shown, (7, row), (9, row))
        assert tool.folded and shown.selected() == "npm"


async def test_the_selection_stays_on_its_text_while_everything_moves():
    async with reader(turns=10) as shown:
        tool = command("early", "\n".join(f"line {n}" for n in range(50)))
        await shown.add(tool, *notices(30), AnswerEntry("copy these words\n"))
        row = shown.row_of("copy these")
        await drag(shown, (7, row), (11, row))
        answer = AnswerEntry()
        await shown.add(answer)
        for number in range(8):
            answer.feed(f"paragraph {number}\n\n")
            shown.view.changed(answer)
            shown.view.flush()
        assert shown.selected() == marked(shown) == "these"
        shown.view.scroll_lines(-5)
        assert shown.selected() == marked(shown) == "these"
        shown.view.set_fold([tool], False)
        assert shown.selected() == marked(shown) == "these"
        shown.view.take_away(shown.view.entries[0])
        shown.view.flush()
        assert shown.selected() == marked(shown) == "these"


async def test_what_is_selected_may_go_away():
    async with reader() as shown:
        await shown.add(*notices(3))
        await drag(shown, (2, 0), (9, 4))
        shown.view.take_away(shown.view.entries[2])
        shown.view.flush()
        await shown.pilot.pause()
        assert not marked(shown)
        assert shown.selected() is None


async def test_a_drag_below_the_window_scrolls_until_the_end_and_selects():
    async with reader() as shown:
        await shown.add(*notices(30))
        shown.view.go_home()
        await shown.pilot.pause()
        await shown.pilot.mouse_down(offset=(2, 4))
        await shown.pilot.hover(offset=(20, 23))
        await shown.until(lambda: shown.view.port.line >= shown.view.port.end)
        await shown.pilot.mouse_up(offset=(20, 23))
        text = shown.selected()
        assert text is not None
        assert text.split("\n\n") == [f"notice {number}" for number in range(2, 30)]
        at_end = shown.view.port.line
        await shown.pilot.pause(0.15)
        assert shown.view.port.line == at_end


async def test_a_drag_to_the_first_row_scrolls_up():
    async with reader() as shown:
        await shown.add(*notices(30))
        await shown.pilot.mouse_down(offset=(11, 10))
        await shown.pilot.hover(offset=(2, 0))
        await shown.until(lambda: shown.view.port.line == 0)
        await shown.pilot.mouse_up(offset=(2, 0))
        text = shown.selected()
        assert text is not None and text.startswith("notice 0\n\nnotice 1")
        assert not shown.view.follow


async def test_text_does_not_run_away_under_a_drag_and_is_followed_after_it():
    async with reader() as shown:
        await shown.add(*notices(60))
        before = shown.lines()[:18]
        await shown.pilot.mouse_down(offset=(2, 4))
        await shown.pilot.hover(offset=(8, 6))
        await shown.add(*notices(5))
        assert shown.lines()[:18] == before
        await shown.pilot.mouse_up(offset=(8, 6))
        await shown.add(NoticeEntry("info", "the newest"))
        assert "the newest" in shown.screen()
        assert shown.selected() is not None


async def test_a_sheet_that_opens_ends_the_drag():
    from textual.screen import ModalScreen

    async with reader() as shown:
        await shown.add(*notices(60))
        await shown.pilot.mouse_down(offset=(2, 4))
        await shown.pilot.hover(offset=(20, 23))
        await shown.app.push_screen(ModalScreen[None]())
        await shown.pilot.pause(0.1)
        assert shown.app.mouse_captured is None
        shown.app.pop_screen()
        await shown.pilot.pause()
        line = shown.view.port.line
        await shown.pilot.hover(offset=(20, 10))
        assert shown.view.port.line == line


async def test_another_width_drops_the_selection():
    async with reader() as shown:
        await shown.add(*notices(3))
        await drag(shown, (2, 0), (9, 2))
        assert shown.selected()
        await shown.pilot.resize_terminal(60, 24)
        await shown.until(lambda: shown.selected() is None)


@pytest.mark.parametrize("button", [2, 3])
async def test_other_buttons_do_nothing(button: int):
    async with reader() as shown:
        tool = command("npm test", "12 passed")
        await shown.add(tool)
        await shown.pilot.mouse_down(offset=(9, 0), button=button)
        await shown.pilot.hover(offset=(4, 0))
        await shown.pilot.click(offset=(9, 0), button=button)
        assert tool.folded and shown.selected() is None


async def test_the_wheel_scrolls_during_a_drag():
    async with reader() as shown:
        await shown.add(*notices(60))
        await shown.pilot.mouse_down(offset=(2, 10))
        await shown.pilot.hover(offset=(8, 10))
        line = shown.view.port.line
        shown.view.post_message(
            events.MouseScrollUp(shown.view, 5, 5, 0, 0, 0, shift=False, meta=False, ctrl=False)
        )
        await shown.until(lambda: shown.view.port.line == line - 3)
        await shown.pilot.mouse_up(offset=(8, 10))
