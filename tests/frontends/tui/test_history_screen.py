"""The sheet that searches earlier prompts."""

import asyncio
import io
import json
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, perf_counter, time

import pytest
from rich.cells import cell_len
from rich.console import Console
from textual import events
from textual.app import App
from textual.pilot import Pilot

from agentcli.frontends.shared.prompt_history import PastPrompt, PromptHistory
from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.look.themes import DARK
from agentcli.frontends.tui.screens.history import HistoryScreen
from agentcli.frontends.tui.screens.history_match import Matcher, age, end_of, excerpt, spots


@dataclass
class Shown:
    app: App[None]
    pilot: Pilot[None]
    sheet: HistoryScreen
    answers: list[PastPrompt | None] = field(default_factory=list[PastPrompt | None])

    def lines(self) -> list[str]:
        width, height = self.app.size
        console = Console(width=width, height=height, file=io.StringIO(), record=True)
        console.print(self.app.screen._compositor.render_update(full=True))
        return [line.rstrip() for line in console.export_text().splitlines()]

    @property
    def found(self) -> list[str]:
        return [past.display for past in self.sheet.matches]

    async def until(self, holds: Callable[[], object]) -> None:
        deadline = monotonic() + 5
        while monotonic() < deadline:
            if holds():
                await self.pilot.pause()
                return
            await asyncio.sleep(0.005)
        raise AssertionError("did not happen; on screen:\n" + "\n".join(self.lines()))


@asynccontextmanager
async def sheet(
    history: PromptHistory, size: tuple[int, int] = (80, 24), query: str = ""
) -> AsyncGenerator[Shown]:
    app: App[None] = App()
    async with app.run_test(size=size) as pilot:
        screen = HistoryScreen(make_look(DARK), history, query)
        shown = Shown(app, pilot, screen)
        app.push_screen(screen, shown.answers.append)
        await shown.until(lambda: screen.is_mounted and screen._complete)
        yield shown


@pytest.fixture
def history(tmp_path: Path) -> PromptHistory:
    other = PromptHistory(tmp_path, "/code/other", "s0")
    before = PromptHistory(tmp_path, "/code/shop", "s1")
    mine = PromptHistory(tmp_path, "/code/shop", "s2")
    before.add("fix the cart\nand its tests")
    other.add("deploy elsewhere")
    before.add("why is the total wrong")
    mine.add("use Decimal in the cart")
    return mine


async def test_newest_first_and_enter_hands_back_the_prompt(history: PromptHistory):
    async with sheet(history) as shown:
        assert shown.found == [
            "use Decimal in the cart",
            "why is the total wrong",
            "fix the cart\nand its tests",
        ]
        assert "history · this project · 3" in "\n".join(shown.lines())
        assert any(line.startswith("›   now  use Decimal") for line in shown.lines())
        assert any("fix the cart ⏎ and its tests" in line for line in shown.lines())
        await shown.pilot.press("ctrl+r", "enter")
        await shown.until(lambda: shown.answers)
        assert shown.answers[0] is not None
        assert shown.answers[0].display == "why is the total wrong"


async def test_typing_narrows_and_marks(history: PromptHistory):
    async with sheet(history) as shown:
        await shown.pilot.press(*"cart fix")
        assert shown.found == ["fix the cart\nand its tests"]
        assert "1 of 3" in "\n".join(shown.lines())
        row = shown.sheet._row(shown.sheet.matches[0], 5, 80)
        accent = shown.sheet.look.accent.color
        marked = [s.text for s in row.strip if s.style and s.style.color == accent]
        assert marked[-2:] == ["fix", "cart"]
        await shown.pilot.press("ctrl+w")
        assert shown.found == ["use Decimal in the cart", "fix the cart\nand its tests"]
        assert shown.sheet.chosen == shown.sheet.matches[0]
        await shown.pilot.press("ctrl+u", *"zzz")
        assert shown.found == []
        assert "nothing matches" in "\n".join(shown.lines())
        await shown.pilot.press("enter")
        assert shown.answers == []


async def test_scopes_go_round(history: PromptHistory):
    async with sheet(history) as shown:
        await shown.pilot.press("ctrl+s")
        await shown.until(lambda: len(shown.found) == 4)
        assert "all projects" in "\n".join(shown.lines())
        await shown.pilot.press("ctrl+s")
        await shown.until(lambda: shown.found == ["use Decimal in the cart"])
        assert "this session" in "\n".join(shown.lines())


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_leaving_changes_nothing(history: PromptHistory, key: str):
    async with sheet(history) as shown:
        await shown.pilot.press("down", key)
        await shown.until(lambda: shown.answers)
        assert shown.answers == [None]


async def test_the_sheet_keeps_its_height_while_typing(history: PromptHistory):
    async with sheet(history) as shown:
        height = shown.sheet.view.size.height
        await shown.pilot.press(*"zzz")
        assert shown.sheet.view.size.height == height


async def test_a_wide_window_shows_the_whole_prompt_beside_the_list(history: PromptHistory):
    async with sheet(history, size=(120, 30), query="tests") as shown:
        rows = [line for line in shown.lines() if "│" in line]
        assert rows[0].startswith("›   now  fix the cart ⏎ and its tests")
        assert rows[0].endswith("│ fix the cart")
        assert rows[1].endswith("│ and its tests")


async def test_narrow_and_low_windows(history: PromptHistory):
    async with sheet(history, size=(20, 10)) as shown:
        assert any(line.startswith("›   now") for line in shown.lines())
        await shown.pilot.press("end")
        assert any(line.startswith("›") and "fix" in line for line in shown.lines())


async def test_a_paste_goes_into_the_query(history: PromptHistory):
    async with sheet(history) as shown:
        shown.sheet.post_message(events.Paste("the\ncart"))
        await shown.until(lambda: shown.found[:1] == ["use Decimal in the cart"])
        assert len(shown.found) == 2


async def test_hidden_characters_are_shown_as_such(history: PromptHistory):
    history.add("evil \x1b]0;x\x07 prompt")
    async with sheet(history, size=(120, 20)) as shown:
        # in the list and beside it
        assert "\n".join(shown.lines()).count("\\x1b]0;x\\x07") == 2


def write_many(home: Path, count: int) -> None:
    now = int(time() * 1000)
    with (home / "history.jsonl").open("w") as file:
        for number in range(count):
            line = {
                "display": f"prompt {number} about the {'cart' if number % 2 else 'total'} " * 5,
                "pastedContents": {},
                "timestamp": now - (count - number) * 60_000,
                "project": "/code/shop",
                "sessionId": "s1",
            }
            file.write(json.dumps(line) + "\n")


async def test_ten_thousand_prompts_never_hold_the_loop(tmp_path: Path):
    write_many(tmp_path, 10_000)
    history = PromptHistory(tmp_path, "/code/shop", "s2")
    async with sheet(history) as shown:
        assert "· 10,000 " in "\n".join(shown.lines()).replace(" ─", "  ")
        matcher = Matcher(shown.sheet._loaded, "prompt total")
        before = perf_counter()
        steps = 1
        while not matcher.step(0.001):
            steps += 1
        assert len(matcher.found()) == 5_000
        assert steps > 1 or perf_counter() - before < 0.002
        await shown.pilot.press(*"9999")
        await shown.until(lambda: len(shown.found) == 1)
        await shown.pilot.press("enter")
        await shown.until(lambda: shown.answers)


async def test_enter_while_still_reading_takes_only_what_fits(tmp_path: Path):
    write_many(tmp_path, 5_000)
    history = PromptHistory(tmp_path, "/code/shop", "s2")
    app: App[None] = App()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = HistoryScreen(make_look(DARK), history)
        answers: list[PastPrompt | None] = []
        app.push_screen(screen, answers.append)
        await pilot.press(*"4998", "enter")
        for _ in range(100):
            if answers:
                break
            await pilot.press("enter")
        assert answers[0] is not None
        assert answers[0].display.startswith("prompt 4998 ")


# pure


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        *[
            (5, "now"),
            (60, "1m"),
            (3_599, "59m"),
            (7_200, "2h"),
            (86_400, "1d"),
            (1_209_599, "13d"),
        ],
        *[(1_209_600, "2w"), (364 * 86_400, "1y"), (800 * 86_400, "2y"), (-5, "now")],
    ],
)
def test_age(seconds: int, told: str):
    assert age(1e9, 1e9 + seconds) == told
    assert age(0, 1e9) == ""


def test_letters_close_together_match_after_words():
    texts = ["fix tests", "fixt", "f i x t", "fish in a box, tests", "fixt"]
    matcher = Matcher([PastPrompt(text, 0) for text in texts], "fixt")
    assert matcher.step(1)
    assert [past.display for past in matcher.found()] == ["fixt", "fix tests"]
    assert spots("fix tests", "fixt") == {0, 1, 2, 4}


def test_a_match_far_behind_is_brought_into_sight():
    text = "word " * 100 + "needle here"
    shown = excerpt(text, "needle", 40)
    assert shown.startswith("…") and "needle" in shown[:40]
    assert excerpt("a\n\n  b\tc", "b", 40) == "a ⏎ b c"
    assert re.fullmatch(r"(word )+w?", excerpt(text, "word", 40))


async def test_a_long_query_shows_its_end(history: PromptHistory):
    async with sheet(history, (40, 12), "word " * 20 + "日本\nlast") as shown:
        line = next(line for line in shown.lines() if line.startswith("› …"))
        assert line.endswith("日本 last▏")


@pytest.mark.parametrize("text", ["", "ab", "abcdefghij", "日本語テスト", "a\tb\nc"])
@pytest.mark.parametrize("width", [1, 2, 5, 40])
def test_the_end_of_a_text_fits(text: str, width: int):
    told = end_of(text, width)
    assert cell_len(told) <= width
    assert (
        told.removeprefix("…")
        == text.replace("\n", " ").replace("\t", " ")[len(text) - len(told.removeprefix("…")) :]
    )
