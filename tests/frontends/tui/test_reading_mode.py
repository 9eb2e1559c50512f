"""Reading by keyboard: the line cursor, what it selects and folds, and the way back."""

import pytest

from agentcli.frontends.tui.transcript.answer import AnswerEntry
from agentcli.frontends.tui.transcript.entries import NoticeEntry
from tests.frontends.tui.reader import Reader, command, notices, reader


def cursor_row(shown: Reader) -> int:
    """The row of the window whose gutter is marked."""
    rows = [
        y
        for y, strip in enumerate(shown.strips())
        if any(style is not None and style.reverse for _, style, _ in strip.crop(0, 1))
    ]
    assert len(rows) == 1
    return rows[0]


def cursor_line(shown: Reader) -> str:
    return shown.lines()[cursor_row(shown)]


async def read(shown: Reader, *keys: str) -> None:
    """Enter the mode and press *keys*."""
    shown.bar.open_reading()
    await shown.pilot.press(*keys)


async def test_the_cursor_begins_at_the_last_line_and_moves():
    async with reader() as shown:
        await shown.add(*notices(100))
        await read(shown)
        assert cursor_line(shown) == "· notice 99"
        await shown.pilot.press("k")
        assert cursor_line(shown) == ""
        await shown.pilot.press("k", "up", "up", "j", "down")
        assert cursor_line(shown) == "· notice 98"
        await shown.pilot.press("g")
        assert cursor_line(shown) == "· notice 0" and cursor_row(shown) == 0
        await shown.pilot.press("G")
        assert cursor_line(shown) == "· notice 99"


async def test_the_window_comes_along_and_every_line_is_passed():
    async with reader(turns=30) as shown:
        await read(shown, "g")
        seen = [cursor_line(shown)]
        for _ in range(100):
            await shown.pilot.press("j")
            seen.append(cursor_line(shown))
        text = [line for line in seen if line]
        assert text[:4] == ["› question 0", "✓ Bash run 0  ok", *text[2:4]]
        for turn in range(8):
            assert f"  second paragraph of {turn}" in text
        assert cursor_row(shown) == shown.view.size.height - 1


@pytest.mark.parametrize(
    ("keys", "lines"),
    [
        (("ctrl+d",), 11),
        (("ctrl+f",), 20),
        ((" ",), 20),
        (("pagedown", "pageup"), 0),
        (("ctrl+d", "ctrl+d", "ctrl+u"), 11),
        (("ctrl+f", "ctrl+f", "ctrl+b"), 20),
    ],
)
async def test_pages_keep_the_cursor_at_its_row(keys: tuple[str, ...], lines: int):
    async with reader() as shown:
        await shown.add(*notices(100))
        await read(shown, "g", "j", "j")
        row, line = cursor_row(shown), shown.view.port.line
        await shown.pilot.press(*keys)
        assert (cursor_row(shown), shown.view.port.line) == (row, line + lines)


async def test_a_page_at_the_end_takes_the_cursor_to_the_last_line():
    async with reader(turns=30) as shown:
        await read(shown, "k", "k", "k", "ctrl+f")
        assert cursor_line(shown) == "  second paragraph of 29"


async def test_prompts_and_entries_are_jumped_to():
    async with reader(turns=40) as shown:
        await read(shown, "{")
        assert cursor_line(shown) == "› question 39"
        await shown.pilot.press("{", "{", "{")
        assert cursor_line(shown) == "› question 36"
        assert cursor_row(shown) == 0
        await shown.pilot.press("}", "]")
        assert cursor_line(shown).startswith("✓ Bash run 37")
        await shown.pilot.press("]", "j", "[")
        assert cursor_line(shown) == "  answer 37"
        await shown.pilot.press("}", "}", "}")
        assert cursor_line(shown) == "  second paragraph of 39"


async def test_v_selects_lines_and_y_copies_their_source():
    async with reader() as shown:
        await shown.add(AnswerEntry("a **bold** word\n\n- one\n- two\n\nend\n"))
        await read(shown, "g", "v", "j", "j")
        assert "select" in shown.lines()[-1]
        await shown.pilot.press("y")
        assert shown.app.copied == ["a **bold** word\n\n- one"]
        assert shown.selected() is None
        await shown.pilot.press("G", "V", "k", "k", "enter")
        assert shown.app.copied[-1] == "- two\n\nend"


async def test_a_selection_that_is_cancelled_leaves_the_mode_on():
    async with reader(turns=3) as shown:
        await read(shown, "v", "k", "escape")
        assert shown.selected() is None and shown.bar.reading.on
        await shown.pilot.press("v", "v")
        assert shown.selected() is None


async def test_y_without_a_selection_copies_the_entry():
    async with reader() as shown:
        await shown.add(AnswerEntry("see [this](http://x.y/z)\n"))
        await read(shown, "y")
        assert shown.app.copied == ["see [this](http://x.y/z)"]


@pytest.mark.parametrize("key", ["o", "enter", " "])
async def test_a_call_is_unfolded_and_folded_where_it_stands(key: str):
    async with reader() as shown:
        tool = command("npm test", "\n".join(f"line {n}" for n in range(5)))
        await shown.add(*notices(5), tool, *notices(5))
        await read(shown, "[")
        while "Bash" not in cursor_line(shown):
            await shown.pilot.press("k")
        row = cursor_row(shown)
        await shown.pilot.press(key)
        await shown.shows("  line 4")
        assert cursor_row(shown) == row and "Bash" in cursor_line(shown)
        await shown.pilot.press("j", "j", "o")
        assert tool.folded and cursor_row(shown) == row


async def test_folding_from_deep_inside_leads_to_the_title():
    async with reader() as shown:
        tool = command("npm test", "\n".join(f"line {n}" for n in range(200)))
        tool.folded = False
        await shown.add(*notices(30), tool, *notices(30))
        await read(shown, "G", "{", "ctrl+d", *["ctrl+f"] * 6, "o")
        assert tool.folded and "Bash npm test" in cursor_line(shown)


async def test_search_inside_the_mode_moves_the_cursor():
    async with reader(turns=40) as shown:
        await read(shown, "/", *"needle", "enter")
        assert cursor_line(shown) == "  answer 30 with a needle in it"
        await shown.pilot.press("N")
        assert cursor_line(shown) == "  answer 20 with a needle in it"
        await shown.pilot.press("n", "n")
        assert cursor_line(shown) == "  answer 0 with a needle in it"
        await shown.pilot.press("escape")
        assert shown.bar.reading.on and not shown.view.finder.active
        assert "q back" in shown.lines()[-1]


@pytest.mark.parametrize("key", ["q", "escape", "ctrl+c"])
async def test_leaving_is_as_if_nothing_had_been(key: str):
    async with reader(turns=40) as shown:
        await shown.pilot.press(*"draft", "left")
        before = shown.lines()
        await read(shown, "g", "}", "}", key)
        await shown.until(lambda: shown.lines() == before)
        assert shown.view.follow
        await shown.pilot.press("x")
        assert shown.app.composer.value == "drafxt"


async def test_i_goes_back_to_typing_where_the_reader_is():
    async with reader(turns=40) as shown:
        await read(shown, "g", "i")
        assert "question 0" in shown.screen() and shown.app.composer.has_focus
        assert not shown.view.follow


async def test_clicking_into_the_composer_leaves_the_mode():
    async with reader(turns=40) as shown:
        await read(shown, "g")
        await shown.pilot.click("Input")
        await shown.until(lambda: not shown.bar.reading.on)
        assert "question 0" in shown.screen() and not shown.bar.display


async def test_the_cursor_stays_on_its_text_while_the_model_streams():
    async with reader(turns=20) as shown:
        await read(shown, "k", "k")
        before, line = shown.lines()[:21], cursor_line(shown)
        answer = AnswerEntry()
        await shown.add(answer)
        for number in range(50):
            answer.feed(f"paragraph {number}\n\n")
            shown.view.changed(answer)
        shown.view.flush()
        assert (shown.lines()[:21], cursor_line(shown)) == (before, line)
        await shown.pilot.press("G")
        assert cursor_line(shown) == "  paragraph 49"


async def test_the_entry_under_the_cursor_may_go_away():
    async with reader() as shown:
        entries = notices(3)
        await shown.add(*entries)
        await read(shown, "v")
        shown.view.take_away(entries[2])
        shown.view.flush()
        await shown.pilot.press("k", "j", "y")
        shown.view.clear()
        await shown.pilot.press("j", "v", "o", "{", "]", "y", "G", "g", "n")
        assert shown.bar.reading.on


async def test_the_hint_says_more_when_asked_and_fits_any_width():
    async with reader() as shown:
        await read(shown)
        await shown.shows("? more")
        await shown.pilot.press("?")
        await shown.shows("i stay here")
        for width in (40, 20, 5, 1):
            await shown.pilot.resize_terminal(width, 24)
            await shown.until(lambda width=width: shown.bar.size.width == width)
            assert shown.bar.render_line(0).cell_length == width


async def test_keys_of_the_window_still_pass():
    async with reader() as shown:
        await shown.add(NoticeEntry("info", "x"))
        shown.app.bind("ctrl+t", "note", show=False)
        await read(shown, "ctrl+t", "x", "z")
        assert shown.app.noted == 1 and shown.app.composer.value == ""


async def test_jumping_between_prompts_without_the_mode():
    async with reader(turns=40) as shown:
        shown.view.jump_prompt(-1)
        await shown.pilot.pause()
        assert shown.top() == "› question 37"
        shown.view.jump_prompt(-1)
        shown.view.jump_prompt(-1)
        await shown.pilot.pause()
        assert shown.top() == "› question 35"
        shown.view.jump_prompt(1)
        await shown.pilot.pause()
        assert shown.top() == "› question 36"
        for _ in range(3):
            shown.view.jump_prompt(1)
        assert shown.view.follow
        for _ in range(50):
            shown.view.jump_prompt(-1)
        assert shown.view.port.line == 0
