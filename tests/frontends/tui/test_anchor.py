"""The place of a reader: nothing that grows, folds, goes or is resized moves it."""

import random
from typing import Any

import pytest

from agentcli.frontends.tui.look.library import DARK
from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.transcript.answer import AnswerEntry
from agentcli.frontends.tui.transcript.entries import Entry, NoticeEntry
from agentcli.frontends.tui.transcript.heights import HeightIndex
from agentcli.frontends.tui.transcript.layout import Layout
from agentcli.frontends.tui.transcript.rows import Row
from agentcli.frontends.tui.transcript.speech import ThinkingEntry
from agentcli.frontends.tui.transcript.strips import RowCache
from agentcli.frontends.tui.transcript.viewport import Viewport
from tests.frontends.tui.reader import command, conversation, notices, reader

LOOK = make_look(DARK)
WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omikron".split()


def words(count: int, seed: int) -> str:
    chosen = random.Random(seed)
    return " ".join(chosen.choice(WORDS) for _ in range(count))


@pytest.mark.parametrize("seed", range(20))
def test_heights_agree_with_a_plain_list(seed: int):
    chosen = random.Random(seed)
    index, plain = HeightIndex(), list[int]()
    for _ in range(300):
        match chosen.randrange(6):
            case 0 | 1 | 2:
                plain.append(chosen.randrange(5))
                index.append(plain[-1])
            case 3 if plain:
                place = chosen.randrange(len(plain))
                plain[place] = chosen.randrange(9)
                index.set(place, plain[place])
            case 4 if plain:
                place = chosen.randrange(len(plain))
                del plain[place]
                index.pop(place)
            case _:
                pass
        assert index.total == sum(plain) and len(index) == len(plain)
        if plain:
            place = chosen.randrange(len(plain))
            assert index.top(place) == sum(plain[:place])
            line = chosen.randrange(-2, sum(plain) + 2)
            ends = [sum(plain[: n + 1]) for n in range(len(plain))]
            expected = next((n for n, end in enumerate(ends) if end > max(line, 0)), len(plain) - 1)
            assert index.find(line) == expected


class Counting(list[int]):
    """Counts how often an element is read or written."""

    visits = 0

    def __getitem__(self, key: Any) -> Any:
        Counting.visits += 1
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        Counting.visits += 1
        super().__setitem__(key, value)


def test_a_question_to_ten_thousand_heights_visits_a_few_of_them():
    index = HeightIndex()
    for _ in range(10_000):
        index.append(3)
    index._sums = Counting(index._sums)
    Counting.visits = 0
    for place in (0, 5_000, 9_999):
        index.set(place, 7)
        assert index.top(place) == 3 * place + 4 * (place > 0) + 4 * (place > 5_000)
        index.find(index.top(place))
    index.append(5)
    assert Counting.visits < 400


def test_the_cache_is_bounded_by_rows_and_keeps_what_a_window_needs():
    cache = RowCache(LOOK)
    cache.reset(80, LOOK)
    entries = [AnswerEntry("\n\n".join(WORDS * 3)) for _ in range(400)]
    for entry in entries:
        cache.get(entry)
    kept = [entry for entry in entries if cache.knows(entry)]
    assert 100 <= len(kept) < 300 and kept == entries[-len(kept) :]


@pytest.mark.parametrize("seed", range(25))
def test_the_place_survives_whatever_happens(seed: int):
    """A random life of a transcript: the row at the top stays the same text."""
    chosen = random.Random(seed)
    lines = Layout(LOOK)
    lines.reset(80, LOOK)
    port = Viewport(lines)
    port.height = 20
    live: list[AnswerEntry] = []

    def add(entry: Entry) -> None:
        lines.add(entry)
        update(entry)

    def update(*entries: Entry) -> None:
        for entry in entries:
            entry.version += 1
        lines.update(list(entries), port.line, port.line + port.height)

    for number in range(60):
        add(AnswerEntry(f"{number} {words(chosen.randrange(80), number)}\n"))
    port.settle()
    port.scroll(-chosen.randrange(30, 80))
    for step in range(150):
        top = lines.spot(port.line)
        assert top is not None
        was_text = row_text(lines, port.line)
        moved = False
        match chosen.randrange(9):
            case 0:
                add(NoticeEntry("info", words(chosen.randrange(60), step)))
            case 1:
                entry = AnswerEntry()
                live.append(entry)
                add(entry)
            case 2 if live:
                entry = chosen.choice(live)
                entry.feed(words(30, step) + "\n\n")
                update(entry)
            case 3:
                tool = command(f"run {step}", "\n".join(WORDS))
                tool.folded = bool(chosen.randrange(2))
                add(tool)
            case 4:
                folding = [entry for entry in lines.entries if entry.foldable]
                if folding and (entry := chosen.choice(folding)) is not top[0]:
                    entry.folded = not entry.folded
                    update(entry)
            case 5:
                entry = chosen.choice(lines.entries)
                if entry is not top[0] and entry not in live and len(lines.entries) > 40:
                    port.forget(entry)
            case 6:
                thought = ThinkingEntry()
                thought.text = words(60, step)
                add(thought)
                port.settle()
                thought.live = False
                update(thought)
            case 7:
                port.scroll(chosen.randrange(-30, 10))
                moved = True
            case _:
                lines.refine(5)
        port.settle()
        after = lines.spot(port.line)
        assert after is not None
        if not moved and not port.follow and port.line < port.end:
            assert after[0] is top[0]
            if top[1] < len(lines.rows(top[0])) and top[0] not in live:
                assert row_text(lines, port.line) == was_text
        elif port.follow:
            port.scroll(-chosen.randrange(1, 60))
        assert 0 <= port.line <= port.end
        assert port.unseen <= lines.total


def row_text(lines: Layout, line: int) -> str:
    row = lines.row_at(line)
    return "" if row is None else row.strip.text.strip()


@pytest.mark.parametrize("seed", range(8))
def test_many_widths_lead_back_to_the_same_text(seed: int):
    chosen = random.Random(seed)
    lines = Layout(LOOK)
    lines.reset(80, LOOK)
    port = Viewport(lines)
    port.height = 20
    for number in range(40):
        text = (words(chosen.randrange(20, 200), number + part) for part in range(4))
        lines.add(AnswerEntry("\n\n".join(text) + "\n"))
    port.settle()
    port.scroll(-chosen.randrange(40, 100))
    before = lines.spot(port.line), row_text(lines, port.line)
    for _ in range(50):
        port.resize(chosen.randrange(1, 160), chosen.randrange(1, 50), LOOK)
        assert before[0] is not None
        top = lines.spot(port.line)
        assert top is not None
        assert top[0] is before[0][0] or port.line == port.end
    port.resize(80, 20, LOOK)
    assert (lines.spot(port.line), row_text(lines, port.line)) == before


async def test_a_storm_of_sizes_ends_in_the_one_right_picture():
    async with reader(size=(80, 24), turns=60) as shown:
        shown.view.scroll_lines(-100)
        await shown.pilot.pause()
        before = shown.lines()
        for number in range(50):
            await shown.pilot.resize_terminal(20 + number * 3 % 97, 10 + number % 30)
        await shown.pilot.resize_terminal(80, 24)
        await shown.until(lambda: shown.lines() == before)


@pytest.mark.parametrize("size", [(20, 10), (1, 10), (80, 1), (2, 2), (1, 1), (3, 40)])
async def test_no_size_is_too_small(size: tuple[int, int]):
    async with reader(turns=8) as shown:
        await shown.add(
            AnswerEntry("# T\n\n| a | b |\n|---|---|\n| c | d |\n\n```py\nx=1\n```\n日本\n")
        )
        for follow in (True, False):
            if not follow:
                shown.view.scroll_lines(-5)
            before = shown.lines()
            await shown.pilot.resize_terminal(*size)
            shown.view.jump_prompt(-1)
            shown.view.search("answer")
            shown.view.end_search()
            shown.view.go_home()
            shown.bar.open_reading()
            await shown.pilot.press("j", "G", "v", "k", "escape", "q")
            assert "this entry cannot be drawn" not in shown.screen()
            shown.view.go_end()
            await shown.pilot.resize_terminal(80, 24)
            if follow:
                await shown.until(lambda before=before: shown.lines() == before)


async def test_a_long_answer_is_not_left_when_the_width_changes():
    async with reader() as shown:
        text = "\n\n".join(f"paragraph {n} {words(30, n)}" for n in range(100))
        await shown.add(AnswerEntry(text), *notices(5))
        shown.view.scroll_lines(-150)
        await shown.pilot.pause()
        words_at_top = next(line for line in shown.lines() if "paragraph" in line).split()[:3]
        await shown.pilot.resize_terminal(50, 24)
        await shown.until(lambda: " ".join(words_at_top) in shown.screen())


async def test_taking_away_what_is_read_leaves_the_rest_in_place():
    async with reader() as shown:
        entries = notices(60)
        await shown.add(*entries)
        shown.view.scroll_lines(-60)
        await shown.pilot.pause()
        before = shown.lines()[:18]
        above = entries[3]
        assert isinstance(above, NoticeEntry) and above.text not in "\n".join(before)
        shown.view.take_away(above)
        shown.view.flush()
        await shown.pilot.pause()
        assert shown.lines()[:18] == before
        top = shown.view.lines.spot(shown.view.port.line)
        assert top is not None
        shown.view.take_away(top[0])
        shown.view.flush()
        await shown.pilot.pause()
        assert [line for line in before[2:] if line] == [
            line for line in shown.lines()[:17] if line
        ][: len([line for line in before[2:] if line])]


async def test_the_badge_counts_what_came_and_not_what_was_unfolded():
    async with reader(turns=30) as shown:
        await shown.add(command("last", "\n".join(WORDS)))
        shown.view.scroll_lines(-30)
        folding = [entry for entry in shown.view.entries if entry.foldable]
        for entry in (folding[0], folding[-1]):
            shown.view.set_fold([entry], False)
            assert shown.view.unseen == 0
        await shown.add(*notices(3))
        assert shown.view.unseen == 6
        await shown.shows("↓ 6 new lines")
        shown.view.scroll_lines(1000)
        assert shown.view.unseen == 0 and shown.view.follow


async def test_a_gap_closes_with_the_entry_above():
    async with reader() as shown:
        entries = [command("one", "x"), NoticeEntry("info", "between"), command("two", "y")]
        await shown.add(*entries)
        assert shown.row_of("two") == 4
        shown.view.take_away(entries[1])
        shown.view.flush()
        await shown.pilot.pause()
        assert shown.row_of("two") == 1


async def test_ten_thousand_entries_cost_a_key_no_more_than_a_few(
    monkeypatch: pytest.MonkeyPatch,
):
    drawn: list[Entry] = []
    estimated: list[Entry] = []

    class Noted(NoticeEntry):
        def rows(self, width: int, look: Any) -> list[Row]:
            drawn.append(self)
            return super().rows(width, look)

        def estimate(self, width: int) -> int:
            estimated.append(self)
            return super().estimate(width)

    async with reader() as shown:
        for number in range(10_000):
            shown.view.add(Noted("info", f"notice {number} {words(number % 40, number)}"))
        assert len(estimated) == 10_000
        shown.view.flush()
        await shown.pilot.pause()
        assert len(drawn) < 100
        for act in (
            lambda: shown.view.scroll_lines(-3),
            lambda: shown.view.scroll_page(-1),
            lambda: shown.view.add(Noted("info", "one more")),
            lambda: shown.view.changed(shown.view.entries[-1]),
            lambda: shown.view.changed(shown.view.entries[5_000]),
            lambda: shown.view.jump_prompt(-1),
            lambda: shown.view.take_away(shown.view.entries[-2]),
        ):
            drawn.clear()
            estimated.clear()
            act()
            shown.view.flush()
            shown.strips()
            assert len(drawn) <= 30 and len(estimated) <= 2
        shown.view.go_end()
        estimated.clear()
        drawn.clear()
        shown.view.port.resize(60, 20, shown.view.lines.look)
        assert len(estimated) == 0 and len(drawn) <= 30
        while shown.view.lines.refine(200):
            assert len(estimated) <= 200
            estimated.clear()


def test_refining_keeps_what_was_measured_and_bears_that_entries_go():
    lines = Layout(LOOK)
    lines.reset(80, LOOK)
    answers = [AnswerEntry("- a\n- b\n\n# c\n\n# d\n") for _ in range(6)]
    for answer in answers:
        lines.add(answer)
    lines.reset(40, LOOK)
    lines.measure(0, 1000)
    measured = lines.total
    assert measured == sum(len(lines.rows(answer)) for answer in answers)
    lines.remove(answers[0])
    lines.remove(answers[5])
    after = lines.total
    while lines.refine(1):
        pass
    assert lines.total == after < measured


def test_the_sum_of_many_conversations_is_what_it_was():
    lines = Layout(LOOK)
    lines.reset(80, LOOK)
    for entry in conversation(50):
        lines.add(entry)
    guessed = lines.total
    lines.reset(30, LOOK)
    while lines.refine(7):
        pass
    lines.reset(80, LOOK)
    while lines.refine(7):
        pass
    assert lines.total == guessed
