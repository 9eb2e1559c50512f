"""Editing in the composer: whole characters, the caret, kill and yank."""

from textual import events

from agentcli.frontends.tui.complete.candidate import Edit
from tests.frontends.tui.composing import composing

FAMILY = "👨‍👩‍👧"


# characters


async def test_three_backspaces_remove_three_characters():
    async with composing() as desk:
        await desk.paste(f"あ〽️{FAMILY}e\u0301")
        await desk.press("backspace", "backspace", "backspace")
        assert desk.text == "あ"


async def test_joiners_and_wide_spaces_can_be_typed():
    async with composing() as desk:
        await desk.type(f"あ〽️{FAMILY}e\u0301\u3000می\u200cخواهم\u00a0")
        assert desk.text == f"あ〽️{FAMILY}e\u0301\u3000می\u200cخواهم\u00a0"
        await desk.press("ctrl+u")
        await desk.type(f"あ〽️{FAMILY}e\u0301")
        await desk.press("backspace", "backspace", "backspace")
        assert desk.text == "あ"


async def test_arrows_and_delete_take_whole_characters():
    async with composing() as desk:
        await desk.paste(f"🇩🇪{FAMILY}क्षx")
        columns: list[int] = []
        for _ in range(4):
            await desk.press("left")
            columns.append(desk.composer.cursor_location[1])
        assert columns == [10, 7, 2, 0]
        await desk.press("right", "delete")
        assert desk.text == "🇩🇪क्षx"
        await desk.press("shift+right")
        assert desk.composer.selected_text == "क्ष"
        await desk.press("ctrl+d", "ctrl+d")
        assert desk.text == "🇩🇪"


async def test_a_mark_typed_behind_a_letter_joins_it():
    async with composing() as desk:
        await desk.type("ae\u0301b")
        await desk.press("left", "left", "backspace")
        assert desk.text == "e\u0301b"


async def test_the_terminal_cursor_is_at_the_caret():
    async with composing(size=(24, 12)) as desk:
        await desk.paste("あいう")
        assert desk.app.cursor_position == (2 + 6, 11)
        await desk.press("left")
        assert desk.app.cursor_position == (2 + 4, 11)
        await desk.type("x" * 20)
        await desk.pilot.pause()
        # a wide character begins and ends a word: あい, 20 letters, う
        assert desk.rows == ["あい", "x" * 20, "う"]
        assert desk.app.cursor_position == (2, 11)
        await desk.press("left")
        assert desk.app.cursor_position == (2 + 19, 10)
        await desk.pilot.resize_terminal(24, 20)
        await desk.until(lambda: desk.app.cursor_position == (2 + 19, 18))


async def test_the_terminal_cursor_follows_when_the_text_scrolls():
    async with composing(size=(30, 12)) as desk:
        await desk.paste("a\nb")
        for _ in range(6):
            await desk.press("ctrl+j")
        await desk.type("あ")
        assert desk.composer.size.height == 4
        assert desk.composer.scroll_offset.y == 4
        assert desk.app.cursor_position == (4, 11)
        assert desk.rows == ["", "", "", "あ"]


async def test_the_caret_covers_the_whole_character():
    async with composing() as desk:
        await desk.paste(f"a{FAMILY}b")
        await desk.press("left", "left")
        pieces = [segment.text for segment in desk.composer.render_line(0)]
        assert pieces[:3] == ["a", FAMILY, "b"]


# kill and yank


async def test_kills_in_a_row_come_back_together():
    async with composing() as desk:
        await desk.type("one two three four")
        await desk.press("alt+backspace", "ctrl+w", "ctrl+y")
        assert desk.text == "one two three four"
        await desk.press("ctrl+a", "alt+d", "alt+d", "ctrl+k", "ctrl+e", "ctrl+y")
        assert desk.text == "one two three four"


async def test_a_move_in_between_parts_the_kills_and_alt_y_rotates():
    async with composing() as desk:
        await desk.type("one two")
        await desk.press("ctrl+w", "ctrl+a", "ctrl+k", "ctrl+y")
        assert desk.text == "one "
        await desk.press("alt+y")
        assert desk.text == "two"
        await desk.press("alt+y")
        assert desk.text == "one "
        await desk.press("left", "alt+y")
        assert desk.text == "one "


async def test_ctrl_u_and_ctrl_k_stay_in_the_line_and_then_join_lines():
    async with composing() as desk:
        desk.composer.put("one\ntwo words\nthree")
        desk.composer.move_cursor((1, 3))
        await desk.press("ctrl+k")
        assert desk.text == "one\ntwo\nthree"
        await desk.press("ctrl+k")
        assert desk.text == "one\ntwothree"
        await desk.press("ctrl+u")
        assert desk.text == "one\nthree"
        await desk.press("ctrl+u")
        assert desk.text == "onethree"
        await desk.press("ctrl+y")
        assert desk.text == "one\ntwo words\nthree"


async def test_ctrl_w_stops_at_a_sign_or_only_at_space():
    async with composing() as desk:
        await desk.type("cp src/app.py")
        await desk.press("ctrl+w")
        assert desk.text == "cp src/app."
        desk.composer.by_space = True
        await desk.press("ctrl+w")
        assert desk.text == "cp "


async def test_line_ends_first_and_then_the_ends_of_the_text():
    async with composing() as desk:
        desk.composer.put("one\n  two\nthree")
        desk.composer.move_cursor((1, 3))
        at: list[tuple[int, int]] = []
        for key in ("ctrl+a", "ctrl+a", "ctrl+e", "ctrl+e", "alt+less_than_sign", "alt+f", "alt+f"):
            await desk.press(key)
            at.append(desk.composer.cursor_location)
        assert at == [(1, 0), (0, 0), (0, 3), (2, 5), (0, 0), (0, 3), (1, 0)]
        await desk.press("alt+greater_than_sign", "alt+b")
        assert desk.composer.cursor_location == (2, 0)


async def test_transpose_undo_and_redo():
    async with composing() as desk:
        await desk.type("teh")
        desk.composer.transpose()
        assert desk.text == "the"
        await desk.press("ctrl+underscore")
        assert desk.text == "teh"
        await desk.press("alt+slash")
        assert desk.text == "the"


async def test_what_was_cut_and_what_was_deleted_after_it_come_back_one_by_one():
    async with composing() as desk:
        await desk.type("one two three")
        await desk.press("ctrl+w", "backspace", "backspace")
        assert desk.text == "one tw"
        await desk.press("ctrl+underscore")
        assert desk.text == "one two "
        await desk.press("ctrl+underscore")
        assert desk.text == "one two three"


async def test_ranges_and_groups_for_modal_editing():
    async with composing() as desk:
        composer = desk.composer
        composer.put(f"one\ntwo {FAMILY}\nx")
        composer.set_cursor(5)
        assert composer.cursor_location == (1, 1)
        assert composer.cursor_index == 5
        with composer.one_undo():
            composer.replace_range(4, 7, "2\n2")
            composer.replace_range(0, 3, "1")
            # half a character is the whole one
            start = composer.text.index(FAMILY)
            composer.replace_range(start, start + 1, "")
        assert composer.text == "1\n2\n2 \nx"
        assert composer.cursor_index == 6
        composer.undo()
        assert composer.text == f"one\ntwo {FAMILY}\nx"
        composer.redo()
        assert composer.text == "1\n2\n2 \nx"
        await desk.pilot.pause()
        assert desk.rows == ["1", "2", "2", "x"]


async def test_a_new_line_replaces_the_selection():
    async with composing() as desk:
        await desk.type("one two")
        await desk.press("ctrl+shift+left", "ctrl+j", "x")
        assert desk.text == "one \nx"


async def test_the_key_filter_comes_first():
    async with composing() as desk:
        seen: list[str] = []

        async def take_x(event: events.Key) -> bool:
            seen.append(event.key)
            return event.key == "x"

        desk.composer.key_filter = take_x
        await desk.press("a", "x", "!")
        assert desk.text == "a!"
        assert seen == ["a", "x", "exclamation_mark"]


async def test_typing_lays_nothing_out():
    async with composing() as desk:
        await desk.type("a")
        layouts: list[object] = []
        desk.app.screen.screen_layout_refresh_signal.subscribe(desk.app, layouts.append)
        await desk.type("bcdef あ")
        await desk.press("left", "backspace")
        assert desk.text == "abcdefあ"
        assert layouts == []


async def test_a_completion_is_put_in_place_of_its_word():
    async with composing() as desk:
        await desk.type("see @sr and more")
        desk.composer.apply(Edit(4, 7, "@src/app.py ", 16))
        assert desk.text == "see @src/app.py  and more"
        assert desk.composer.cursor_index == 16
        desk.composer.put("/mod")
        desk.composer.apply(Edit(0, 4, "/model", 6, submit=True))
        await desk.pilot.pause()
        assert desk.app.sent[0].text == "/model"
