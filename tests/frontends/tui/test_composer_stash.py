"""The draft put away, cleared into the history, and brought back."""

from agentcli.frontends.tui.composer.chips import Image
from agentcli.frontends.tui.composer.draft import Draft
from tests.frontends.tui.composing import composing

LONG = "row\n" * 30
LABEL = "[Pasted text #1 +29 lines]"


# put away and cleared


async def test_a_stashed_draft_comes_back_after_the_next_prompt():
    async with composing() as desk:
        await desk.type("later ")
        await desk.paste(LONG)
        await desk.press("left", "ctrl+s")
        assert desk.text == ""
        assert desk.app.hints[-1] == "stashed; the same key brings it back"
        await desk.type("now")
        await desk.press("enter")
        assert desk.text == f"later {LABEL}"
        assert desk.composer.cursor_location == (0, 6)
        await desk.press("enter")
        assert [sent.text for sent in desk.app.sent] == ["now", f"later {LONG}"]


async def test_stash_on_the_empty_composer_brings_the_draft_back():
    async with composing() as desk:
        await desk.press("!", "l", "s", "ctrl+s")
        assert not desk.composer.shell_mode
        await desk.press("ctrl+s")
        assert desk.text == "ls" and desk.composer.shell_mode
        await desk.press("ctrl+u", "ctrl+s")
        assert desk.text == ""


async def test_words_about_what_is_over_do_not_stay():
    async with composing() as desk:
        await desk.type("one")
        await desk.press("ctrl+s", "ctrl+s")
        assert desk.text == "one" and desk.app.hints[-1] == ""
        await desk.paste(LONG)
        assert desk.app.hints[-1] == "tab shows what was pasted"
        await desk.press("enter")
        assert desk.app.hints[-1] == ""


async def test_what_was_stashed_before_goes_to_the_history():
    async with composing() as desk:
        await desk.type("one")
        await desk.press("ctrl+s")
        await desk.type("two")
        await desk.press("ctrl+s", "up")
        assert desk.text == "one"
        await desk.press("ctrl+u", "ctrl+s")
        assert desk.text == "two"


async def test_a_cleared_draft_is_the_newest_in_the_history():
    async with composing() as desk:
        await desk.type("precious")
        desk.composer.clear_to_history()
        assert desk.text == ""
        await desk.press("up")
        assert desk.text == "precious"


async def test_escape_is_told_twice_within_a_second():
    async with composing() as desk:
        await desk.press("escape", "escape", "escape")
        assert desk.app.escapes == [False, True, False]


async def test_a_lost_paste_is_left_out_and_told():
    async with composing() as desk:
        desk.composer.restore(Draft("see [Pasted text #7 +5 lines] there"))
        await desk.press("enter")
        assert desk.app.sent[0].text == "see  there"
        assert "[Pasted text #7 +5 lines] was not kept" in desk.app.hints[-1]
        desk.composer.restore(Draft("[Pasted text #7 +5 lines]"))
        await desk.press("enter")
        assert len(desk.app.sent) == 1


async def test_restoring_keeps_chips_images_caret_and_stash():
    async with composing() as desk:
        await desk.paste(LONG)
        image = Image("image/png", "AA==")
        stashed = Draft("old [Pasted text #1 +4 lines]", contents={1: "x\n" * 5})
        desk.composer.restore(
            Draft(
                "a [Pasted text #1 +4 lines] [Image #2]",
                1,
                False,
                {1: "y\n" * 5, 2: image},
                stashed,
            )
        )
        assert desk.text == "a [Pasted text #2 +4 lines] [Image #3]" or desk.text.startswith("a [")
        assert desk.composer.full_text.startswith("a " + "y\n" * 5)
        assert desk.composer.cursor_location == (0, 1)
        kept = desk.composer.draft()
        assert list(kept.contents.values()) == ["y\n" * 5, image]
        assert kept.stashed is not None
        assert list(kept.stashed.contents.values()) == ["x\n" * 5]


async def test_a_draft_left_behind_never_replaces_what_was_typed_meanwhile():
    async with composing() as desk:
        draft = Draft("[Pasted text #1 +4 lines] before", contents={1: "x\n" * 5})
        await desk.type("quick")
        assert not desk.composer.take_up(draft)
        assert desk.text == "quick"
        await desk.press("up")
        assert desk.composer.full_text == "x\n" * 5 + " before"
        desk.composer.put("")
        assert desk.composer.take_up(Draft("mine"))
        assert desk.text == "mine"


async def test_control_characters_of_a_file_are_never_shown():
    async with composing("a\x1b]0;x\x07b") as desk:
        assert desk.text == "ab"
        desk.composer.restore(
            Draft("\x1b[31mred\x9b[Pasted text #1]", contents={1: "in\x1b[2Jside"})
        )
        assert desk.text == "red[Pasted text #1]"
        desk.composer.text_end()
        desk.composer.expand_paste()
        assert desk.text == "redinside"


async def test_every_change_is_told_to_who_keeps_drafts():
    kept: list[Draft] = []
    async with composing() as desk:
        desk.composer.keep_draft = kept.append
        await desk.type("ab")
        assert kept[-1].text == "ab"
        await desk.press("enter")
        assert kept[-1].empty


# what the status line says about the draft


async def test_a_hint_about_the_text_goes_with_the_next_change():
    async with composing() as desk:
        await desk.type("a")
        desk.composer.hint("about this")
        await desk.press("left")
        assert desk.app.hints[-1] == "about this"
        await desk.type("b")
        assert desk.app.hints[-1] == ""
        desk.composer.hint("went wrong", 6.0, stays=True)
        await desk.type("c")
        assert desk.app.hints[-1] == "went wrong"


async def test_nothing_is_told_of_a_stash_that_came_back_with_the_prompt():
    async with composing() as desk:
        await desk.type("later")
        await desk.press("ctrl+s")
        await desk.type("now")
        await desk.press("enter")
        assert desk.text == "later"
        assert desk.app.hints[-1] == ""
