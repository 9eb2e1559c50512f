"""Search in the transcript: what is found, where it leads, and what it costs."""

import re

import pytest
from textual.events import Paste

from agentcli.frontends.tui.transcript import search as search_module
from agentcli.frontends.tui.transcript.answer import AnswerEntry
from agentcli.frontends.tui.transcript.entries import NoticeEntry
from agentcli.frontends.tui.transcript.hits import find_offsets, query_pattern
from agentcli.frontends.tui.transcript.speech import ThinkingEntry
from agentcli.frontends.tui.transcript.tool_entry import ToolEntry
from agentcli.protocol.calls import ToolCall, ToolResult
from tests.frontends.tui.reader import Reader, command, notices, reader


def marked(shown: Reader) -> list[tuple[str, bool]]:
    """The pieces of the window that are marked as matches, and which is the current one."""
    pieces: list[tuple[str, bool]] = []
    for strip in shown.strips():
        for text, style, _ in strip:
            if style is not None and (style.underline or (style.reverse and style.bold)):
                pieces.append((text, bool(style.reverse)))
    return pieces


@pytest.mark.parametrize(
    ("query", "text", "count"),
    [
        ("needle", "Needle and needle", 2),
        ("Needle", "Needle and needle", 1),
        ("two words", "two\n  words, two words", 2),
        ("a.b", "aXb a.b", 1),
        ("[x](", "a [x](y)", 1),
        ("größe", "GRÖSSE Größe", 1),
        ("", "anything", 0),
        ("   ", "anything", 0),
    ],
)
def test_what_a_query_finds(query: str, text: str, count: int):
    pattern = query_pattern(query)
    assert (len(find_offsets(text, pattern, query)) if pattern else 0) == count


def test_the_text_of_an_entry_has_what_is_folded():
    tool = command("npm test", "first\nlast line")
    source = tool.source_text()
    assert source.text == "Bash npm test\nfirst\nlast line"
    assert source.text[: source.head] == "Bash npm test"
    edit = ToolEntry("Edit", ToolCall("e", "Edit", {"file_path": "a.py"}))
    hunk = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-old", "+new"]}
    edit.result = ToolResult("done", details={"structuredPatch": [hunk]})
    assert edit.source_text().text == "Edit a.py\nold\nnew"
    thought = ThinkingEntry()
    thought.text, thought.live = "a deep thought", False
    assert thought.source_text().text == "a deep thought"


async def test_the_nearest_match_above_is_shown_and_marked():
    async with reader(turns=40) as shown:
        shown.view.search("needle")
        assert await shown.found() == "4/4"
        await shown.shows("answer 30 with a needle")
        assert marked(shown) == [("needle", True)]
        shown.view.previous_match()
        await shown.shows("answer 20 with a needle")
        assert shown.view.finder.told == "3/4"
        shown.view.next_match()
        shown.view.next_match()
        await shown.shows("answer 0 with a needle")
        assert shown.view.finder.told == "1/4"


async def test_all_matches_in_sight_are_marked_one_of_them_as_the_current():
    async with reader() as shown:
        await shown.add(AnswerEntry("one fish\n\ntwo fish\n\nred fish\n\n"))
        shown.view.search("fish")
        assert await shown.found() == "3/3"
        assert marked(shown) == [("fish", False), ("fish", False), ("fish", True)]
        shown.view.previous_match()
        assert marked(shown) == [("fish", False), ("fish", True), ("fish", False)]


async def test_a_match_across_a_wrap_is_marked_on_both_rows():
    async with reader(size=(30, 24)) as shown:
        await shown.add(AnswerEntry("some words before the blue elephant goes\n\n"))
        shown.view.search("the blue elephant")
        assert await shown.found() == "1/1"
        assert " ".join(text for text, _ in marked(shown)) == "the blue elephant"


async def test_a_folded_match_is_unfolded_and_folded_again_when_left():
    async with reader() as shown:
        tools = [command(f"run {n}", f"alpha {n}\nbeta {n}") for n in range(3)]
        await shown.add(*tools)
        shown.view.search("beta")
        assert await shown.found() == "3/3"
        await shown.shows("  beta 2")
        assert [tool.folded for tool in tools] == [True, True, False]
        shown.view.previous_match()
        await shown.shows("  beta 1")
        assert [tool.folded for tool in tools] == [True, False, True]
        shown.view.end_search(keep=True)
        assert [tool.folded for tool in tools] == [True, False, True]


async def test_a_match_in_the_title_of_a_call_leaves_it_folded():
    async with reader() as shown:
        tool = command("npm test", "12 passed")
        await shown.add(tool)
        shown.view.search("npm")
        assert await shown.found() == "1/1"
        assert tool.folded and marked(shown) == [("npm", True)]


async def test_esc_restores_the_place_and_enter_keeps_it():
    async with reader(turns=40) as shown:
        await shown.pilot.press("pageup")
        before = shown.lines()[:21]
        shown.bar.open_search()
        await shown.pilot.press(*"needle")
        assert await shown.found() == "4/4"
        await shown.pilot.press("up", "up")
        await shown.shows("answer 10 with a needle")
        await shown.pilot.press("escape")
        assert shown.lines()[:21] == before
        assert shown.app.composer.has_focus and not marked(shown)
        shown.bar.open_search()
        await shown.pilot.press(*"needle", "up", "up", "enter", "N")
        await shown.shows("answer 0 with a needle")
        await shown.pilot.press("n")
        await shown.shows("answer 10 with a needle")
        await shown.pilot.press("escape")
        assert "answer 10 with a needle" in shown.screen()
        assert shown.app.composer.has_focus and not shown.view.finder.active


async def test_the_next_key_belongs_to_the_bar_and_enter_alone_repeats_the_last_query():
    async with reader(turns=40) as shown:
        shown.bar.open_search()
        assert shown.app.screen.focused is shown.bar
        await shown.pilot.press(*"needle", "enter", "escape")
        assert shown.app.composer.has_focus
        shown.bar.open_search()
        await shown.pilot.press("enter")
        assert (await shown.found(), shown.bar.line.text) == ("4/4", "needle")
        await shown.pilot.press("escape")
        shown.bar.open_search()
        assert not shown.bar.line.text


async def test_esc_at_the_end_follows_again():
    async with reader(turns=40) as shown:
        shown.bar.open_search()
        await shown.pilot.press(*"needle")
        await shown.shows("answer 30 with a needle")
        await shown.pilot.press("escape")
        assert shown.view.follow
        await shown.add(AnswerEntry("the newest words"))
        await shown.shows("the newest words")


async def test_the_bar_tells_query_position_and_keys_and_leaves_the_draft_alone():
    async with reader(turns=40) as shown:
        await shown.pilot.press(*"draft")
        status = shown.lines()[-1]
        shown.bar.open_search()
        await shown.pilot.press(*"needle")
        await shown.shows("4/4")
        assert re.match(r" / needle .*esc back · ↑↓ step.*4/4$", shown.lines()[-1])
        await shown.pilot.press("enter")
        await shown.shows("n N step")
        await shown.pilot.press("escape")
        await shown.until(lambda: shown.lines()[-1] == status)
        assert shown.app.composer.value == "draft"


async def test_no_match_says_so_and_goes_back():
    async with reader(turns=40) as shown:
        before = shown.lines()[:21]
        shown.bar.open_search()
        await shown.pilot.press(*"needle")
        await shown.shows("4/4")
        await shown.pilot.press("x")
        await shown.shows("no match")
        assert shown.lines()[:21] == before
        await shown.pilot.press("backspace")
        await shown.shows("4/4")


async def test_what_streams_in_is_found_too():
    async with reader(turns=20) as shown:
        shown.view.search("needle")
        assert await shown.found() == "2/2"
        before = shown.lines()[:21]
        answer = AnswerEntry()
        await shown.add(answer)
        for number in range(30):
            answer.feed(f"paragraph {number}\n\n")
        answer.feed("a new needle\n\n")
        shown.view.changed(answer)
        shown.view.flush()
        await shown.until(lambda: shown.view.finder.told == "2/3")
        assert shown.lines()[:21] == before
        shown.view.next_match()
        await shown.shows("a new needle")
        assert shown.view.finder.told == "3/3"


async def test_a_stale_search_is_dropped(monkeypatch: pytest.MonkeyPatch):
    async with reader(turns=100) as shown:
        monkeypatch.setattr(search_module, "_SLICE", 0.0)
        shown.view.search("answer")
        shown.view.search("needle")
        assert shown.view.finder.busy
        assert await shown.found() == "10/10"


async def test_a_search_looks_at_the_newest_first_and_gives_way(monkeypatch: pytest.MonkeyPatch):
    async with reader() as shown:
        await shown.add(*notices(10_000))
        looked: list[int] = []

        def note(text: str, pattern: re.Pattern[str], query: str) -> list[int]:
            looked.append(int(text.split()[-1]))
            return find_offsets(text, pattern, query)

        ticks = iter(range(10**9))
        monkeypatch.setattr(search_module, "find_offsets", note)
        monkeypatch.setattr(search_module, "thread_time", lambda: next(ticks) * 0.0001)
        shown.view.search("notice 42")
        assert looked == list(range(9_999, 9_999 - len(looked), -1))
        assert 0 < len(looked) <= 40
        monkeypatch.undo()
        assert await shown.found() == "111/111"


async def test_what_is_taken_away_is_no_match_any_more():
    async with reader() as shown:
        entries = [NoticeEntry("info", f"needle {n}") for n in range(3)]
        await shown.add(*entries)
        shown.view.search("needle")
        assert await shown.found() == "3/3"
        shown.view.take_away(entries[2])
        await shown.pilot.pause()
        assert shown.view.finder.told in {"2", "2/2"}
        shown.view.next_match()
        assert shown.view.finder.told == "2/2"
        shown.view.clear()
        assert not shown.view.finder.active


async def test_a_match_that_is_only_in_the_source_leads_to_its_entry():
    async with reader() as shown:
        await shown.add(AnswerEntry("see [the docs](https://example.com/deep) please\n\n"))
        await shown.add(*notices(40))
        shown.view.search("example.com/deep")
        assert await shown.found() == "1/1"
        await shown.shows("the docs")


async def test_with_no_colours_matches_are_underlined_and_reversed():
    async with reader(theme="dark-ansi") as shown:
        await shown.add(AnswerEntry("one fish, two fish\n\n"))
        shown.view.search("fish")
        assert await shown.found() == "2/2"
        assert marked(shown) == [("fish", False), ("fish", True)]


async def test_an_answer_found_in_a_long_transcript_stays_while_its_entry_is_unfolded():
    async with reader(turns=40) as shown:
        shown.view.search("output 7.3")
        assert await shown.found() == "1/1"
        await shown.shows("  output 7.3")
        assert marked(shown) == [("output 7.3", True)]
        shown.view.end_search()
        assert shown.view.follow
        assert "output 7.3" not in shown.screen()


async def test_pasting_a_query_takes_its_first_line():
    async with reader() as shown:
        await shown.add(AnswerEntry("a needle\n"))
        shown.bar.open_search()
        shown.bar.post_message(Paste("\nneedle\nmore"))
        await shown.until(lambda: shown.bar.line.text == "needle")
        assert await shown.found() == "1/1"
