"""Random edits of the composer: nothing is ever cut in two."""

import random
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual.document._document import Selection

from agentcli.frontends.tui.composer.area import Composer
from agentcli.frontends.tui.composer.graphemes import is_boundary
from agentcli.frontends.tui.composer.wrapping import wrap_line
from tests.frontends.tui.composing import composing

FAMILY = "👨‍👩‍👧"


# nothing is ever cut


PIECES = ["a", " ", "あ", FAMILY, "🇩🇪", "e\u0301", "क्ष", "\n", "\t", ".", "\u0301", "\u200d", "👩"]
CHIP = "line\n" * 9


def whole(composer: Composer) -> None:
    """No caret inside of anything, no half of a chip, rows as if wrapped anew."""
    for row, column in composer.selection:
        line = composer.line_at(row)
        assert line.snap(column) == column
        assert is_boundary(line.text, column) or any(column in chip for chip in line.chips)
    text = composer.text
    chips = composer.chips.spans(text)
    assert text.count("[") == text.count("]") == text.count("#") == len(chips)
    wraps = composer.wrapping
    for index, line in enumerate(composer.document.lines):
        edges = [(span.start, span.end) for span in composer.chips.spans(line)]
        assert wraps.get_offsets(index) == wrap_line(line, composer.wrap_width, 4, edges)
    assert wraps.height == sum(
        len(wraps.get_offsets(row)) + 1 for row in range(len(wraps._wrapped))
    )
    y = wraps.location_to_offset(composer.cursor_location).y
    assert 0 <= y < wraps.height


def edits(composer: Composer) -> list[Callable[[random.Random], object]]:
    """What can happen to a text, with chance for where."""

    def anywhere(chance: random.Random) -> int:
        return chance.randint(0, len(composer.text))

    def select(chance: random.Random) -> None:
        composer.set_cursor(anywhere(chance))
        composer.set_cursor(anywhere(chance), select=True)

    def type_one(chance: random.Random) -> None:
        piece = chance.choice(PIECES)
        composer.replace(piece, *composer.selection, maintain_selection_offset=False)

    def replace(chance: random.Random) -> None:
        start, end = sorted((anywhere(chance), anywhere(chance)))
        composer.replace_range(start, min(end, start + 4), chance.choice([*PIECES, ""]))

    def raw_selection(chance: random.Random) -> None:
        row = chance.randint(0, composer.document.line_count)
        composer.selection = Selection((row, chance.randint(0, 40)), (0, chance.randint(0, 40)))

    return [
        select,
        type_one,
        type_one,
        type_one,
        replace,
        raw_selection,
        lambda chance: composer.set_cursor(anywhere(chance)),
        lambda _: composer.paste(CHIP),
        lambda _: composer.attach_image("image/png", b"x"),
        lambda _: composer.action_delete_left(),
        lambda _: composer.action_delete_right(),
        lambda _: composer.action_cursor_left(),
        lambda _: composer.action_cursor_right(),
        lambda _: composer.action_cursor_up(),
        lambda _: composer.action_cursor_down(),
        lambda _: composer.action_cursor_word_left(True),
        lambda _: composer.word_right(),
        lambda _: composer.kill_back(),
        lambda _: composer.kill_to_end(),
        lambda _: composer.yank(),
        lambda _: composer.yank_earlier(),
        lambda _: composer.transpose(),
        lambda _: composer.undo(),
        lambda _: composer.undo(),
        lambda _: composer.redo(),
        lambda _: composer.action_cut(),
    ]


@pytest.mark.parametrize("width", [14, 60])
async def test_random_edits_never_cut_a_character_or_a_chip(width: int):
    async with composing(size=(width, 24)) as desk:
        composer = desk.composer
        actions = edits(composer)
        quick = settings(
            max_examples=60,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
            database=None,
        )

        @quick
        @given(
            st.randoms(use_true_random=False),
            st.lists(st.integers(0, len(actions) - 1), max_size=60),
        )
        def edit(chance: random.Random, steps: list[int]) -> None:
            composer.load_text("")
            for step in steps:
                actions[step](chance)
                whole(composer)
            before = composer.text
            undone = 0
            while composer.history.undo_stack:
                composer.undo()
                whole(composer)
                undone += 1
            assert composer.text == ""
            for _ in range(undone):
                composer.redo()
                whole(composer)
            assert composer.text == before or composer.history.redo_stack

        edit()
        assert desk.app.is_running
