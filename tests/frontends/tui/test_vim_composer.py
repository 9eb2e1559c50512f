"""Vim keys on the real composer: text, caret, selection, what was pasted, and who gets a key."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from agentcli.frontends.tui.vim import filter as vim_filter
from agentcli.frontends.tui.vim.filter import VimKeys
from agentcli.frontends.tui.vim.view import FoldedText
from tests.frontends.tui.composing import Desk, composing


@dataclass
class VimDesk:
    desk: Desk
    vim: VimKeys
    searches: list[int] = field(default_factory=list[int])
    modes: list[str] = field(default_factory=list[str])

    @property
    def text(self) -> str:
        return self.desk.text

    @property
    def caret(self) -> int:
        return self.desk.composer.cursor_index

    async def type(self, keys: str) -> None:
        """Type *keys*, of which ``<escape>`` and the like are names."""
        for part in keys.replace("<", " <").replace(">", "> ").split():
            if part.startswith("<"):
                await self.desk.press(part[1:-1])
            else:
                await self.desk.type(part)


@asynccontextmanager
async def vim_composing(
    typed: str = "", remaps: frozenset[str] = frozenset()
) -> AsyncGenerator[VimDesk]:
    async with composing(typed) as desk:
        composer = desk.composer
        searches: list[int] = []
        modes: list[str] = []
        vim = VimKeys(
            composer,
            lambda: searches.append(1),
            remaps,
            parts=lambda text: [(span.start, span.end) for span in composer.chips.spans(text)],
            on_mode=modes.append,
        )
        desk.app.key_first = vim.take
        yield VimDesk(desk, vim, searches, modes)


async def test_insert_types_and_escape_interrupts_nothing():
    async with vim_composing() as here:
        await here.type("one.two<escape>")
        assert (here.text, here.caret, here.vim.mode) == ("one.two", 6, "NORMAL")
        assert here.desk.app.escapes == []
        assert here.modes == ["-- NORMAL --"]
        await here.type("<escape>")
        assert here.desk.app.escapes == [False]


async def test_commands_change_the_text_and_type_nothing():
    async with vim_composing("one two three") as here:
        await here.type("<escape>0dwxQz")
        assert (here.text, here.caret) == ("wo three", 0)
        await here.type("u")
        assert here.text == "two three"
        await here.type("u<ctrl+r>")
        assert here.text == "two three"


async def test_a_change_and_the_same_again():
    async with vim_composing("aa bb cc") as here:
        await here.type("<escape>0cwxy<escape>w.")
        assert (here.text, here.vim.mode) == ("xy xy cc", "NORMAL")


async def test_a_selection_is_shown():
    async with vim_composing("one two") as here:
        await here.type("<escape>0ve")
        assert here.desk.composer.selected_text == "one"
        await here.type("l")
        assert here.desk.composer.selected_text == "one "
        await here.type("d")
        assert here.text == "two"
        assert here.desk.composer.selected_text == ""


async def test_enter_sends_in_normal_and_the_next_prompt_begins_in_insert():
    async with vim_composing("go") as here:
        await here.type("<escape><enter>")
        assert [sent.text for sent in here.desk.app.sent] == ["go"]
        here.vim.reset()
        await here.type("xu")
        assert here.text == "xu"


async def test_the_first_line_goes_on_to_earlier_prompts():
    async with vim_composing() as here:
        here.desk.composer.recall.add("earlier")
        await here.type("now<escape>k")
        assert here.text == "earlier"
        await here.type("j")
        assert here.text == "now"
        await here.type("u")
        assert here.text == "earlier", "a recalled prompt can be taken back like any change"


async def test_a_slash_searches_the_history():
    async with vim_composing("x") as here:
        await here.type("<escape>/")
        assert (here.searches, here.text) == ([1], "x")


async def test_help_is_asked_for_on_an_empty_line_only():
    async with vim_composing() as here:
        asked: list[str] = []

        async def perform(action: str) -> bool:
            asked.append(action)
            return True

        here.desk.app.perform = perform
        await here.type("<escape><question_mark>")
        assert asked == ["app:help"]
        await here.type("ix<escape><question_mark>")
        assert asked == ["app:help"]


async def test_other_keys_keep_their_meaning_in_normal():
    async with vim_composing("some words") as here:
        await here.type("<escape><ctrl+u>")
        assert here.text == "s"


async def test_what_was_pasted_and_folded_is_one_character():
    async with vim_composing() as here:
        await here.type("a")
        await here.desk.paste("line\n" * 9)
        await here.type("b<escape>")
        label = here.text[1:-1]
        assert label.startswith("[Pasted text")
        await here.type("0l")
        assert here.caret == 1
        await here.type("l")
        assert here.caret == 1 + len(label)
        await here.type("hx")
        assert here.text == "ab"
        await here.type("p")
        assert here.text == f"ab{label}"
        await here.type("u")
        assert here.text == "ab"


@pytest.mark.parametrize(
    ("seconds", "text", "mode"), [(1.0, "a", "NORMAL"), (-1.0, "ajj", "INSERT")]
)
async def test_two_keys_may_mean_escape_in_time(
    seconds: float, text: str, mode: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(vim_filter, "_REMAP_SECONDS", seconds)
    async with vim_composing(remaps=frozenset({"jj"})) as here:
        await here.type("ajj")
        assert (here.text, here.vim.mode) == (text, mode)


async def test_keys_of_a_remap_that_are_apart_are_typed():
    async with vim_composing(remaps=frozenset({"jk"})) as here:
        await here.type("jaj<left>k")
        assert (here.text, here.vim.mode) == ("jakj", "INSERT")


def test_folded_places_lead_there_and_back():
    text = "ab[x 1]c[y 2]"
    folded = FoldedText().fold(text, [(2, 7), (8, 13)])
    assert len(folded.text) == 5
    places = [folded.outer(index) for index in range(6)]
    assert places == [0, 1, 2, 7, 8, 13]
    assert [folded.inner(place) for place in places] == list(range(6))
    assert folded.inner(4) == 2, "inside of a folded part is at its begin"


def test_a_folded_part_comes_back_whole():
    folding = FoldedText()
    text = "ab[x 1]c"
    folded = folding.fold(text, [(2, 7)])
    assert folding.unfold(folded.text) == text
    assert folding.fold(text, [(2, 7)]).text == folded.text
