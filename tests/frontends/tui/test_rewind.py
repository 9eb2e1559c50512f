"""Going back to an earlier prompt: the sheet, what it wishes for, and what comes of it."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual import events

from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.look.themes import DARK
from agentcli.frontends.tui.screens.rewind import RewindScreen, open_rewind
from agentcli.frontends.tui.screens.rewind_plan import plan_rows
from agentcli.frontends.tui.screens.rewind_rows import stop_row
from agentcli.frontends.tui.screens.rewind_wish import Extra, options_for
from agentcli.protocol.errors import SessionError, UsageError
from agentcli.protocol.events import Event, PromptAdded
from agentcli.protocol.history import FileChange, PromptPoint, RestorePlan, RestoreReport
from tests.frontends.tui.fake_history import FakeHistory
from tests.frontends.tui.harness import Window, window
from tests.frontends.tui.past import CART, MONEY, PLAN, PREVIOUS, TAX, points
from tests.frontends.tui.scenes import endless, long_history

LOOK = make_look(DARK)


@dataclass
class Back:
    shown: Window
    sheet: RewindScreen

    @property
    def history(self) -> FakeHistory:
        return self.shown.engine.history

    @property
    def done(self) -> list[tuple[object, ...]]:
        """What the engine was asked to do; reading apart."""
        return [call for call in self.history.calls if call[0] not in ("prompts", "plan_restore")]

    async def press(self, *keys: str) -> None:
        await self.shown.pilot.press(*keys)
        await self.shown.pilot.pause()

    async def choose(self, *keys: str) -> None:
        """Open the second step of the newest prompt, wait for the plan, press *keys*."""
        await self.press("enter")
        await self.shown.until(lambda: self.sheet.options)
        await self.press(*keys)

    async def closed(self) -> None:
        await self.shown.until(lambda: len(self.shown.app.screen_stack) == 1)


@asynccontextmanager
async def rewind(
    plan: RestorePlan | None = None,
    size: tuple[int, int] = (80, 24),
    past: list[Event] | None = None,
    prompts: list[PromptPoint] | None = None,
    undo: bool = False,
    previous: Path | None = None,
) -> AsyncGenerator[Back]:
    async with window(size=size, history=past or long_history(2)) as shown:
        await shown.until(lambda: shown.app.equipment is not None and shown.app.equipment.attached)
        history = shown.engine.history
        history.points = points(time.time()) if prompts is None else prompts
        history.plan = PLAN if plan is None else plan
        history.can_undo, history.previous = undo, previous
        open_rewind(shown.app)
        await shown.until(lambda: isinstance(shown.app.screen, RewindScreen))
        sheet = shown.app.screen
        assert isinstance(sheet, RewindScreen)
        yield Back(shown, sheet)


def chosen(back: Back) -> str:
    stop = back.sheet.list.chosen
    assert stop is not None
    return stop.text


async def test_newest_first_with_age_files_and_commands():
    async with rewind() as back:
        rows = back.shown.lines()
        text = back.shown.screen()
        assert "rewind · 4" in text
        order = [text.index(word) for word in ("use Decimal", "round()", "configurable", "total")]
        assert order == sorted(order)
        assert any(
            row.startswith("›    2m  use Decimal") and row.endswith("3 files +140 −12 · 2 commands")
            for row in rows
        )
        assert "now make it configurable ⏎ with a setting" in text
        assert chosen(back) == "use Decimal and keep the API"


async def test_typing_searches_prompts_and_files_and_marks():
    async with rewind() as back:
        await back.press(*"conf")
        assert chosen(back).startswith("now make it")
        assert "rewind · 1 of 4" in back.shown.screen()
        row = stop_row(points(0)[1], False, "conf", 80, 0, LOOK)
        accent = [s.text for s in row.strip if s.style and s.style.color == LOOK.accent.color]
        assert "conf" in accent
        await back.press("ctrl+u", "end", *"total")
        assert chosen(back).startswith("the total")
        await back.press("ctrl+u", *"money.py")
        assert chosen(back) == "use Decimal and keep the API"
        await back.press("ctrl+u", *"zzz", "enter")
        assert "nothing matches" in back.shown.screen()
        assert isinstance(back.shown.app.screen, RewindScreen)
        await back.press("ctrl+u")
        back.sheet.post_message(events.Paste("round()\ndo"))
        await back.shown.until(lambda: chosen(back).startswith("what does"))


async def test_the_sheet_keeps_its_height_while_typing():
    async with rewind() as back:
        height = back.sheet.view.size.height
        await back.press(*"zzz")
        assert back.sheet.view.size.height == height


async def test_the_second_step_tells_what_would_happen():
    async with rewind() as back:
        await back.choose()
        text = back.shown.screen()
        assert "2 commands ran since; what they changed stays" in text
        for line in (
            "~ src/cart.py   put back",
            "~ src/tax.py    put back · changed by somebody else since",
            "− src/money.py  deleted",
            "+ src/old.py    made again",
            "! ~/notes.md    stays as it is: it is a symbolic link now",
            "› 1 conversation and code   4 files and the conversation",
            "  6 never mind",
        ):
            assert line in text
        assert ("plan_restore", "p4") in back.history.calls
        # what needs the eye comes first
        assert text.index("notes.md") < text.index("tax.py") < text.index("cart.py   put")


async def test_the_plan_is_waited_for_and_no_key_decides_before():
    async with rewind() as back:
        gate = asyncio.Event()

        async def slow(entry_id: str) -> RestorePlan:
            await gate.wait()
            return PLAN

        back.sheet._ask_plan = slow
        await back.press("enter")
        assert "looking at files …" in back.shown.screen()
        await back.press("enter", "1", "2")
        assert isinstance(back.shown.app.screen, RewindScreen)
        gate.set()
        await back.shown.until(lambda: back.sheet.options)
        assert back.done == []


async def test_a_plan_that_comes_too_late_belongs_to_no_other_prompt():
    async with rewind() as back:
        gate = asyncio.Event()

        async def plan(entry_id: str) -> RestorePlan:
            while entry_id == "p4" and not gate.is_set():
                try:
                    await gate.wait()
                except asyncio.CancelledError:
                    continue
            return PLAN if entry_id == "p4" else RestorePlan(entry_id)

        back.sheet._ask_plan = plan
        await back.press("enter", "escape", "down", "enter")
        await back.shown.until(lambda: back.sheet.options)
        gate.set()
        await back.shown.pilot.pause(0.02)
        assert back.sheet.options[0].kind == "conversation"


@pytest.mark.parametrize(
    ("keys", "conversation", "code"),
    [
        (("enter",), True, True),
        (("1",), True, True),
        (("down", "enter"), True, False),
        (("2",), True, False),
        (("down", "down", "enter"), False, True),
        (("3",), False, True),
    ],
)
async def test_conversation_and_code(keys: tuple[str, ...], conversation: bool, code: bool):
    async with rewind() as back:
        back.history.pasts["p4"] = [PromptAdded("e", "only this is left")]
        back.history.report = RestoreReport((CART, TAX), (MONEY,), ("~/notes.md: a link",), "u")
        await back.choose(*keys)
        await back.closed()
        await back.shown.until(lambda: back.done)
        assert back.done == [("rewind", "p4", conversation, code)]
        if conversation:
            await back.shown.shows("only this is left")
            assert back.shown.app.composer.text == "use Decimal and keep the API"
        else:
            assert back.shown.app.composer.text == ""
        if code:
            await back.shown.shows(
                "put back 2 files: src/cart.py, src/tax.py · deleted 1 file: src"
            )
            await back.shown.shows("~/notes.md: a link")
        else:
            assert "put back" not in back.shown.screen()


async def test_no_file_to_restore_offers_no_code():
    async with rewind(RestorePlan("", (FileChange(CART, "restore", problem="gone"),))) as back:
        await back.choose()
        assert [option.kind for option in back.sheet.options] == [
            "conversation",
            "from",
            "up_to",
            None,
        ]
        assert "stays as it is: gone" in back.shown.screen()
        await back.press("enter")
        await back.shown.until(lambda: back.done)
        assert back.done == [("rewind", "p4", True, False)]


async def test_files_that_cannot_be_looked_at_leave_the_conversation():
    async with rewind() as back:
        back.history.fails["plan_restore"] = SessionError("the backups cannot be read")
        await back.choose()
        assert "files cannot be restored: the backups cannot be read" in back.shown.screen()
        assert back.sheet.options[0].kind == "conversation"


async def test_esc_goes_one_step_back_and_changes_nothing():
    async with rewind() as back:
        await back.press("down")
        await back.choose("down", "escape")
        assert chosen(back).startswith("what does") and back.sheet.point is None
        assert "rewind · 4" in back.shown.screen()
        await back.press("escape")
        await back.closed()
        assert back.done == [] and back.shown.app.composer.text == ""


@pytest.mark.parametrize("keys", [("6",), ("end", "enter"), ("ctrl+c",)])
async def test_never_mind(keys: tuple[str, ...]):
    async with rewind() as back:
        await back.choose(*keys)
        await back.closed()
        assert back.done == []


async def test_summaries_take_what_is_typed():
    async with rewind() as back:
        await back.choose("down", "down", "down")
        assert "› 4 summarize from here: ▏what should be kept in mind" in back.shown.screen()
        await back.press(*"keep the 3 rules", "backspace", "s", "enter")
        await back.closed()
        await back.shown.until(lambda: back.done)
        assert back.done == [("summarize", "p4", "from", "keep the 3 rules")]


async def test_the_focus_of_one_summary_is_not_lost_on_the_other():
    async with rewind() as back:
        await back.choose("up", "end", "up")
        back.sheet.post_message(events.Paste("the\nAPI"))
        await back.shown.shows("summarize up to here: the API▏")
        await back.press("up", "down", "enter")
        await back.shown.until(lambda: back.done)
        assert back.done == [("summarize", "p4", "up_to", "the API")]


async def test_digits_choose_while_nothing_is_said():
    async with rewind() as back:
        await back.choose("down", "down", "down", "5")
        await back.shown.until(lambda: back.done)
        assert back.done == [("summarize", "p4", "up_to", "")]


async def test_rows_for_undo_and_the_session_before():
    async with rewind(undo=True, previous=PREVIOUS) as back:
        assert chosen(back) == "use Decimal and keep the API"
        await back.press("up")
        assert chosen(back) == "go back to the session before /clear"
        back.history.pasts["s0"] = [PromptAdded("e", "the old session")]
        await back.press("enter")
        await back.shown.shows("the old session")
        assert back.done == [("resume", PREVIOUS, False)]


async def test_undoing_a_rewind_tells_of_the_files():
    async with rewind(undo=True) as back:
        back.history.report = RestoreReport((CART,))
        back.history.pasts["undo"] = [PromptAdded("e", "all is here again")]
        await back.press("up", "enter")
        await back.shown.shows("all is here again")
        await back.shown.shows("put back 1 file: src/cart.py")
        assert back.done == [("undo",)]


async def test_after_clear_only_the_session_before_is_left():
    async with rewind(prompts=[], previous=PREVIOUS) as back:
        assert chosen(back) == "go back to the session before /clear"


async def test_a_refusal_is_one_line_and_nothing_changes():
    async with rewind() as back:
        back.history.fails["rewind"] = UsageError("that prompt is not there any more")
        back.shown.app.composer.put("a draft")
        await back.choose("1")
        await back.shown.shows("✗ that prompt is not there any more")
        assert back.shown.app.composer.text == "a draft"
        assert "question 0" in back.shown.screen()


async def test_a_draft_becomes_an_earlier_prompt():
    async with rewind() as back:
        back.shown.app.composer.put("a draft")
        await back.choose("1")
        await back.shown.until(lambda: back.shown.app.composer.text.startswith("use Decimal"))
        assert back.shown.app.composer.recall.own[-1] == "a draft"


async def test_pictures_pastes_and_commands_come_back_as_they_were():
    async with rewind() as back:
        composer = back.shown.app.composer
        picture = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
        back.history.returns = [
            {"type": "text", "text": "look at "},
            {"type": "image", "source": picture},
        ]
        await back.choose("2")
        await back.shown.until(lambda: composer.text == "look at [Image #1]")
        assert not composer.shell_mode
    async with rewind() as back:
        composer = back.shown.app.composer
        long = "line\n" * 40
        composer.paste(long)
        label = composer.text
        composer.clear_to_history()
        back.history.returns = long
        await back.choose("2")
        await back.shown.until(lambda: composer.text == label)
    async with rewind() as back:
        composer = back.shown.app.composer
        back.history.returns = "!npm test"
        await back.choose("2")
        await back.shown.until(lambda: composer.text == "npm test")
        assert composer.shell_mode


async def test_nothing_to_go_back_to_and_a_turn_that_is_on():
    async with window() as shown:
        open_rewind(shown.app)
        await shown.shows("there is no prompt to go back to yet")
        assert len(shown.app.screen_stack) == 1
    async with window(endless) as shown:
        shown.engine.history.points = points(time.time())
        await shown.send("go")
        await shown.shows("working on it")
        open_rewind(shown.app)
        await shown.shows("a turn is on; esc stops it, then rewind")
        assert len(shown.app.screen_stack) == 1


async def test_the_window_is_wide_and_it_is_low():
    async with rewind(size=(120, 30)) as back:
        rows = [line for line in back.shown.lines() if "│" in line]
        assert rows[0].endswith("│ use Decimal and keep the API")
        assert any(row.endswith("│   src/money.py") for row in rows)
    async with rewind(size=(40, 12)) as back:
        await back.choose()
        lines = back.shown.lines()
        assert any(line.startswith("› 1 conversation and code") for line in lines)
        await back.press("end")
        assert any(line.startswith("› 6 never mind") for line in back.shown.lines())
        await back.press("pagedown")
        assert "↑ " in back.shown.screen()


async def test_hidden_characters_are_shown_as_such():
    evil = PromptPoint("p", "evil \x1b]0;x\x07 prompt", 0, ("/code/a\x1b[31m.py",), 1)
    plan = RestorePlan("p", (FileChange("/code/b\x1b[0m\u202e.py", "delete"),))
    async with rewind(plan, prompts=[evil], size=(120, 24)) as back:
        text = back.shown.screen()
        # in the list and beside it
        assert text.count("\\x1b]0;x\\x07") == 2 and "a\\x1b[31m.py" in text
        await back.choose()
        assert "b\\x1b[0m\\u202e.py" in back.shown.screen()


async def test_of_many_prompts_only_those_in_sight_are_drawn():
    many = [PromptPoint(f"p{at}", f"prompt {at} about the cart", at) for at in range(10_000)]
    async with rewind(prompts=many) as back:
        assert len(back.sheet.view.parts.body) == 14
        await back.press("end")
        assert chosen(back) == "prompt 0 about the cart"
        await back.press("pageup", "up", "home", *"9998")
        assert chosen(back) == "prompt 9998 about the cart"
        assert "1 of 10,000" in back.shown.screen()


# pure


def test_options_follow_the_plan():
    assert [option.kind for option in options_for(None)] == ["conversation", "from", "up_to", None]
    one = options_for(RestorePlan("", (FileChange(CART, "delete"),)))
    assert one[0].about == "1 file and the conversation"


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120])
def test_nothing_is_wider_than_the_screen(width: int):
    wide = PromptPoint("p", "日本語のプロンプト" * 20, 0, ("/x",) * 3, 4_000, 12_000, 1_200)
    for stop in (wide, Extra("undo", "undo the last rewind"), *points(0)):
        row = stop_row(stop, True, "プ", width, 5e9, LOOK)
        assert row.strip.cell_length <= width
    long = FileChange("/code/shop/" + "deep/" * 30 + "日本.py", "restore", foreign=True)
    odd = FileChange("/code/x.py", "delete", problem="why " * 30)
    for row in plan_rows(RestorePlan("", (long, odd), 1), "/code/shop", "/code", width, LOOK):
        assert cell_len(row.strip.text) <= width
