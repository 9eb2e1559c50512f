"""Pastes: chips that are whole, open in place and are sent in full; images; dropped files."""

import base64
from pathlib import Path
from time import process_time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual import events

from agentcli.frontends.tui.composer.chips import Image
from tests.frontends.tui.composing import composing

LONG = "".join(f"line {number}\n" for number in range(20))
LABEL = "[Pasted text #1 +19 lines]"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)


async def test_a_long_paste_is_a_chip_and_sent_in_full():
    async with composing() as desk:
        await desk.type("look: ")
        await desk.paste(LONG)
        await desk.type(" ok")
        assert desk.text == f"look: {LABEL} ok"
        assert desk.composer.size.height == 1
        assert desk.app.hints[0] == "tab shows what was pasted"
        await desk.press("enter")
        sent = desk.app.sent[0]
        assert sent.text == sent.content == f"look: {LONG} ok"
        assert sent.display == f"look: {LABEL} ok"
        assert sent.pasted == {1: LONG}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\nc", "a\nb\nc"),
        ("a\nb\nc\n", "a\nb\nc\n"),
        ("a\nb\nc\nd", "[Pasted text #1 +3 lines]"),
        ("x" * 800, "x" * 800),
        ("x" * 801, "[Pasted text #1]"),
        ("a\r\nb\r\nc", "a\nb\nc"),
    ],
)
async def test_what_becomes_a_chip(text: str, shown: str):
    async with composing() as desk:
        await desk.paste(text)
        assert desk.text == shown


async def test_the_threshold_can_be_set():
    async with composing() as desk:
        desk.composer.paste_chars, desk.composer.paste_breaks = 5, 0
        await desk.paste("a b c")
        await desk.paste("a\nb")
        assert desk.text == "a b c[Pasted text #1 +1 lines]"


async def test_one_key_removes_a_chip_and_undo_brings_it_back():
    async with composing() as desk:
        await desk.type("a")
        await desk.paste(LONG)
        await desk.type("b")
        await desk.press("left", "backspace")
        assert desk.text == "ab"
        await desk.press("ctrl+underscore")
        assert desk.text == f"a{LABEL}b"
        await desk.press("left", "left", "delete")
        assert desk.text == f"{LABEL}b"
        await desk.press("delete")
        assert desk.text == "b"
        await desk.press("ctrl+underscore", "enter")
        assert desk.app.sent[0].text == f"{LONG}b"


async def test_the_caret_passes_a_chip_in_one_step():
    async with composing() as desk:
        await desk.type("a")
        await desk.paste(LONG)
        await desk.type("b")
        columns: list[int] = []
        for key in ("left", "left", "left", "alt+f", "alt+f", "alt+b", "shift+left"):
            await desk.press(key)
            columns.append(desk.composer.cursor_location[1])
        width = len(LABEL)
        # a chip is a word, and part of the one it stands in
        assert columns == [1 + width, 1, 0, 2 + width, 2 + width, 0, 0]


async def test_tab_at_a_chip_opens_it_in_place_and_undo_closes_it():
    async with composing() as desk:
        await desk.paste(LONG)
        await desk.type("!")
        await desk.press("tab")
        assert desk.text == f"{LABEL}!"
        await desk.press("left", "tab")
        assert desk.text == f"{LONG}!"
        await desk.press("ctrl+underscore")
        assert desk.text == f"{LABEL}!"
        await desk.press("enter")
        assert desk.app.sent[0].text == f"{LONG}!"


async def test_the_same_paste_again_opens_the_chip():
    async with composing() as desk:
        await desk.paste(LONG)
        await desk.paste(LONG)
        assert desk.text == LONG
        await desk.press("ctrl+underscore", "right", "space")
        await desk.paste(LONG)
        assert desk.text == f"{LABEL} [Pasted text #2 +19 lines]"


async def test_what_is_copied_is_the_paste_itself():
    async with composing() as desk:
        await desk.paste(LONG)
        desk.composer.select_all()
        assert desk.composer.selected_text == LONG


async def test_a_double_click_opens_a_chip():
    async with composing() as desk:
        await desk.type("ab ")
        await desk.paste(LONG)
        await desk.type("word")
        await desk.pilot.click(offset=(2 + 3 + len(LABEL), 23), times=2)
        assert desk.composer.selected_text == "word"
        await desk.pilot.click(offset=(10, 23), times=2)
        assert desk.text == f"ab {LONG}word"


async def test_a_click_on_a_chip_goes_to_its_nearer_end():
    async with composing() as desk:
        await desk.paste(LONG)
        for x, column in ((4, 0), (2 + len(LABEL) - 2, len(LABEL))):
            await desk.pilot.click(offset=(x, 23))
            assert desk.composer.cursor_location == (0, column)
            await desk.pilot.pause(0.55)


async def test_chips_have_a_colour_of_their_own():
    async with composing() as desk:
        await desk.type("a")
        await desk.paste(LONG)
        styles = {segment.text: segment.style for segment in desk.composer.render_line(0)}
        chip, plain = styles[LABEL], styles["a"]
        assert chip and plain and chip.color != plain.color
        assert chip.bgcolor == plain.bgcolor


async def test_a_huge_paste_costs_nothing_and_is_sent_whole():
    huge = "0123456789" * 5 + "\n"
    huge = huge * 20_000
    async with composing() as desk:
        began = process_time()
        await desk.paste(huge)
        await desk.type("ok")
        spent = process_time() - began
        assert desk.text == "[Pasted text #1 +19999 lines]ok"
        assert spent < 0.5
        await desk.press("left", "left", "tab")
        assert desk.text.startswith("[Pasted text")
        assert "too long" in desk.app.hints[-1]
        await desk.press("enter")
        assert desk.app.sent[0].text == f"{huge}ok"


async def test_control_characters_are_no_load():
    async with composing() as desk:
        began = process_time()
        await desk.paste("ok" + "\x1c" * 20_000 + "\x1b[31mred\x1b[0m\x07end")
        assert process_time() - began < 0.5
        assert desk.text == "okredend"


async def test_keys_right_behind_a_paste_are_kept_in_order():
    async with composing() as desk:
        desk.composer.post_message(events.Paste(LONG))
        desk.composer.post_message(events.Key("x", "x"))
        desk.composer.post_message(events.Paste("y"))
        await desk.pilot.pause()
        assert desk.text == f"{LABEL}xy"


async def test_a_paste_replaces_the_selection():
    async with composing() as desk:
        await desk.type("one two")
        await desk.press("shift+ctrl+left", "ctrl+shift+left")
        await desk.paste("2")
        assert desk.text == "one 2"


async def test_a_pasted_command_on_the_empty_composer_is_shell_mode():
    async with composing() as desk:
        await desk.paste("!ls -l")
        assert desk.composer.shell_mode and desk.text == "ls -l"
        await desk.press("enter")
        assert (desk.app.sent[0].text, desk.app.sent[0].shell) == ("ls -l", True)


# images


async def test_an_attached_image_is_a_chip_and_a_block():
    async with composing() as desk:
        await desk.type("what is ")
        desk.composer.attach_image("image/png", PNG)
        await desk.type("?")
        assert desk.text == "what is [Image #1]?"
        await desk.press("enter")
        data = base64.b64encode(PNG).decode()
        source = {"type": "base64", "media_type": "image/png", "data": data}
        assert desk.app.sent[0].content == [
            {"type": "text", "text": "what is "},
            {"type": "image", "source": source},
            {"type": "text", "text": "?"},
        ]
        assert desk.app.sent[0].pasted == {1: Image("image/png", data)}


async def test_an_image_alone_can_be_sent():
    async with composing() as desk:
        desk.composer.attach_image("image/png", PNG)
        await desk.press("enter")
        content = desk.app.sent[0].content
        assert isinstance(content, list) and [block["type"] for block in content] == ["image"]


async def test_a_dropped_image_is_attached(tmp_path: Path):
    picture = tmp_path / "my pic.png"
    picture.write_bytes(PNG)
    async with composing() as desk:
        await desk.paste(str(picture).replace(" ", "\\ ") + " ")
        await desk.pilot.pause(0.1)
        await desk.type("x")
        assert desk.text == "[Image #1]x"


@pytest.mark.parametrize(
    ("data", "word"),
    [(b"<html>", "is no image"), (PNG + bytes(5 << 20), "5.2 MB")],
    ids=["other", "large"],
)
async def test_a_dropped_file_that_is_no_image_stays_a_path(tmp_path: Path, data: bytes, word: str):
    file = tmp_path / "file.png"
    file.write_bytes(data)
    async with composing() as desk:
        await desk.paste(str(file))
        await desk.pilot.pause(0.1)
        assert desk.text == str(file)
        assert word in desk.app.hints[-1]
        await desk.paste(" /nowhere/at/all.png")
        await desk.pilot.pause(0.1)
        assert desk.text.endswith("all.png")
        assert len(desk.app.hints) == 1


# whatever is pasted


pieces = st.one_of(
    st.text(alphabet="ab \n\r\x1b[]#\u2028é\U0001f468\u200d\x07", max_size=12),
    st.integers(4, 30).map(lambda count: "row\n" * count),
    st.sampled_from([LABEL, "[Image #1]", "!x", "x" * 900]),
)


async def test_pastes_and_keys_in_any_order_are_all_sent():
    async with composing() as desk:
        composer = desk.composer

        @settings(
            max_examples=80,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
            database=None,
        )
        @given(st.lists(pieces, max_size=8))
        def send(parts: list[str]) -> None:
            from agentcli.frontends.tui.composer.pasting import clean_paste

            composer.load_text("")
            composer.insert("<")
            expected = "<"
            for part in parts:
                before = composer.full_text
                composer.paste(clean_paste(part))
                # a label typed by hand means its chip where there is one
                expected += composer.chips.expand(clean_paste(part))
                if composer.full_text != before:
                    assert composer.full_text == expected
                composer.insert("|")
                expected += "|"
            assert composer.full_text == expected
            assert not any(char < " " and char not in "\n\t" for char in composer.full_text)

        send()
