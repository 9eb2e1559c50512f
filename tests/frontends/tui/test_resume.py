"""The list of sessions: finding, looking into, renaming, deleting and going on with one."""

import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter, time
from typing import Any

import pytest
from textual import events

from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.look.themes import DARK
from agentcli.frontends.tui.screens.resume import ResumeScreen
from agentcli.frontends.tui.screens.session_list import (
    SessionRows,
    find,
    measure,
    prepare,
    tell_size,
)
from agentcli.frontends.tui.screens.session_preview import preview_rows
from agentcli.protocol.errors import SessionError
from agentcli.protocol.events import BlockFinished, PromptAdded
from agentcli.protocol.history import SessionInfo
from agentcli.protocol.ids import new_uuid
from agentcli.session.catalog import Catalog
from agentcli.session.store import session_file
from tests.frontends.tui.harness import Window, window
from tests.frontends.tui.scenes import long_history, paragraphs
from tests.frontends.tui.sessions import ELSEWHERE, SESSIONS, info, past_of, stock

TOTAL, CART, CHANGES, JAPANESE, BUILD = SESSIONS


@asynccontextmanager
async def picker(
    command: str = "/resume", size: tuple[int, int] = (80, 24)
) -> AsyncGenerator[Window]:
    async with window(size=size) as shown:
        stock(shown.engine)
        await shown.send(command)
        await shown.until(lambda: listed(shown))
        yield shown


def listed(shown: Window) -> bool:
    """Is the list on top, and read?"""
    screen = shown.app.screen
    return isinstance(screen, ResumeScreen) and screen._listed is not None


def sheet(shown: Window) -> ResumeScreen:
    screen = shown.app.screen
    assert isinstance(screen, ResumeScreen)
    return screen


def titles(shown: Window) -> list[str]:
    return [one.title for one in sheet(shown).matches]


async def closed(shown: Window) -> None:
    await shown.until(lambda: len(shown.app.screen_stack) == 1)


# the list


async def test_rows_tell_title_age_branch_and_size():
    async with picker() as shown:
        assert "sessions · this project · 5" in shown.screen()
        first, second = shown.lines()[2:4]
        assert first.startswith("› the total is wrong when a line has a disc")
        assert first.split()[-4:] == ["1h", "main", "84", "kB"]
        assert second.startswith("  cart refactoring  ") and "3h  cart-split" in second
        assert second.endswith("1.2 MB")
        assert "deploy the site" not in shown.screen()


async def test_typing_finds_in_titles_prompts_and_branches_and_says_what_it_found():
    async with picker() as shown:
        await shown.pilot.press(*"decimal")
        assert titles(shown) == [CHANGES.title]
        await shown.shows("and mention Decimal")
        assert "1 of 5" in shown.screen()
        await shown.pilot.press("ctrl+u", *"cart split")
        assert titles(shown) == [CART.title]
        await shown.pilot.press("ctrl+u", *"zzz")
        await shown.shows("nothing matches; ctrl+a looks everywhere")
        await shown.pilot.press("enter")
        assert shown.engine.history.calls == []


async def test_the_match_has_the_accent():
    drawer = SessionRows(
        measure(prepare(SESSIONS), 80, False, "/code"), "discount", make_look(DARK), 0, "/code", ""
    )
    row = drawer.row(prepare(SESSIONS)[0])
    accent = make_look(DARK).accent
    assert [text for text, style, _ in row.strip if style == accent and text.strip()] == [
        "discount"
    ]


async def test_a_query_can_come_with_the_command_and_by_paste():
    async with picker("/resume no such title") as shown:
        assert titles(shown) == []
        await shown.pilot.press("ctrl+u")
        sheet(shown).post_message(events.Paste("the\nbuild"))
        await shown.until(lambda: titles(shown) == [BUILD.title])


async def test_escape_changes_nothing():
    async with picker() as shown:
        before = shown.app.composer.text
        await shown.pilot.press("down", "down", "escape")
        await closed(shown)
        assert shown.engine.history.calls == []
        assert shown.app.composer.text == before


async def test_all_projects_tell_their_folder():
    async with picker(size=(110, 30)) as shown:
        await shown.pilot.press("ctrl+a")
        await shown.until(lambda: len(titles(shown)) == 7)
        assert "sessions · all projects · 7" in shown.screen()
        assert "~/site" in shown.screen()
        await shown.pilot.press("ctrl+a")
        await shown.until(lambda: len(titles(shown)) == 5)


async def test_this_branch_only(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(
        "agentcli.frontends.tui.session_commands.read_branch", lambda _: "cart-split"
    )
    async with picker() as shown:
        await shown.pilot.press("ctrl+b")
        assert titles(shown) == [CART.title]
        assert "cart-split · 1 of 5" in shown.screen()
        await shown.pilot.press("ctrl+b")
        assert len(titles(shown)) == 5


async def test_without_a_repository_there_is_no_branch():
    async with picker() as shown:
        assert "ctrl+b" not in shown.screen()
        await shown.pilot.press("ctrl+b")
        await shown.shows("this folder is in no git repository")
        assert len(titles(shown)) == 5


async def test_an_empty_list_says_what_to_do():
    async with window() as shown:
        await shown.send("/resume")
        await shown.shows("no sessions here yet; ctrl+a shows all projects")
        await shown.pilot.press("ctrl+a")
        await shown.shows("no sessions yet; a conversation is kept from its first prompt on")
        await shown.pilot.press("enter", "space", "ctrl+r", "ctrl+d", "end", "pagedown", "escape")
        await closed(shown)


async def test_a_home_that_cannot_be_read_is_told(monkeypatch: pytest.MonkeyPatch):
    async with window() as shown:
        catalog = shown.engine.catalog

        def fail(everywhere: bool = False) -> list[SessionInfo]:
            raise SessionError("the folder cannot be read")

        monkeypatch.setattr(catalog, "list", fail)
        await shown.send("/resume")
        await shown.shows("the sessions cannot be read: the folder cannot be read")


async def test_while_the_list_is_read_keys_count_already():
    async with window() as shown:
        stock(shown.engine)
        shown.engine.catalog.gate.clear()
        await shown.send("/resume")
        await shown.shows("loading…")
        await shown.pilot.press(*"build")
        await shown.shows("› build▏")
        shown.engine.catalog.gate.set()
        await shown.until(lambda: titles(shown) == [BUILD.title])


async def test_five_hundred_sessions_cost_a_key_what_is_seen_of_them(
    monkeypatch: pytest.MonkeyPatch,
):
    many = [info(n, f"session {n} about the {'cart' if n % 2 else 'total'}", n) for n in range(500)]
    async with window() as shown:
        shown.engine.catalog.sessions = many
        await shown.send("/resume")
        await shown.until(lambda: listed(shown) and len(titles(shown)) == 500)
        drawn = 0
        row: Any = SessionRows.row

        def counted(*args: Any, **kwargs: Any) -> Any:
            nonlocal drawn
            drawn += 1
            return row(*args, **kwargs)

        with monkeypatch.context() as patch:
            patch.setattr(SessionRows, "row", counted)
            await shown.pilot.press("end")
        assert sheet(shown).chosen == many[-1]
        assert drawn <= 2 * 24
        assert any(line.startswith("› session 499") for line in shown.lines())
        ready = prepare(many)
        before = perf_counter()
        for query in ("c", "ca", "cart", "cart 49", "zz"):
            find(ready, query)
        assert perf_counter() - before < 0.25


async def test_sessions_of_scripts_are_found_by_their_id_only():
    script = info(6, "nightly run", entrypoint="sdk-cli")
    async with window() as shown:
        stock(shown.engine)
        shown.engine.catalog.sessions.insert(0, script)
        await shown.send("/resume")
        await shown.until(lambda: listed(shown))
        assert "nightly run" not in shown.screen()
        await shown.pilot.press("escape")
        await closed(shown)
        await shown.send(f"/resume {script.id}")
        await shown.until(lambda: shown.engine.history.calls == [("resume", script.file, False)])


def write_session(home: Path, cwd: Path, number: int, text: str) -> Path:
    session_id = f"{number:08x}-0000-4000-8000-000000000000"
    file = session_file(home, cwd, session_id)
    file.parent.mkdir(parents=True, exist_ok=True)
    base = {"isSidechain": False, "userType": "external", "cwd": str(cwd), "version": "1.0.0"}
    base |= {"sessionId": session_id, "gitBranch": "main", "timestamp": "2026-11-30T10:00:00.000Z"}
    prompt = {"role": "user", "content": text}
    said = {
        "id": f"m{number}",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": [{"type": "text", "text": f"answer to {text}"}],
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    lines: list[dict[str, Any]] = [
        {"parentUuid": None, **base, "type": "user", "uuid": new_uuid(), "message": prompt},
        {**base, "type": "assistant", "uuid": new_uuid(), "message": said},
    ]
    lines[1]["parentUuid"] = lines[0]["uuid"]
    file.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    return file


async def test_the_sessions_of_a_real_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    home, cwd = tmp_path / "home", tmp_path / "shop"
    cwd.mkdir()
    first = write_session(home, cwd, 1, "fix the cart")
    second = write_session(home, cwd, 2, "add a changelog")
    os.utime(first, (time() - 7_000, time() - 7_000))
    async with window(size=(120, 30)) as shown:
        monkeypatch.setattr(shown.engine, "catalog", Catalog(home, cwd))
        shown.engine.project_dir = cwd
        await shown.send("/resume")
        await shown.until(lambda: listed(shown))
        assert titles(shown) == ["add a changelog", "fix the cart"]
        await shown.shows("answer to add a changelog")
        await shown.pilot.press("down")
        await shown.shows("answer to fix the cart")
        await shown.pilot.press("ctrl+r", "ctrl+u", *"totals", "enter")
        await shown.shows("› totals")
        assert '"customTitle":"totals"' in first.read_text()
        await shown.pilot.press("ctrl+d", "ctrl+d")
        await shown.until(lambda: not first.exists())
        assert second.exists()
        await shown.shows("› add a changelog")
        await shown.pilot.press("enter")
        await shown.until(lambda: shown.engine.history.calls)
        assert shown.engine.history.calls == [("resume", second, False)]


# looking into one


async def test_a_wide_window_shows_the_end_beside_the_list():
    async with picker(size=(120, 30)) as shown:
        await shown.shows("def total(lines):")
        assert any("│ › the total is wrong" in line for line in shown.lines())
        assert "Bash npm test" in shown.screen()
        await shown.pilot.press("down", "down")
        await shown.until(lambda: "def total(lines):" not in shown.screen())
        await shown.shows("› and mention Decimal")


async def test_a_window_that_grows_gets_its_preview():
    async with picker() as shown:
        await shown.pilot.resize_terminal(120, 30)
        await shown.shows("def total(lines):")


async def test_the_wheel_goes_through_the_list():
    async with picker() as shown:
        await shown.pilot._post_mouse_events([events.MouseScrollDown], offset=(5, 5))
        await shown.until(lambda: sheet(shown).chosen == JAPANESE)
        await shown.pilot._post_mouse_events([events.MouseScrollUp], offset=(5, 5))
        await shown.until(lambda: sheet(shown).chosen == TOTAL)


async def test_previews_are_read_once_and_only_where_the_cursor_rests():
    async with picker(size=(120, 30)) as shown:
        await shown.shows("def total(lines):")
        calls = shown.engine.catalog.calls
        await shown.pilot.press("down", "down", "down", "up", "up", "up")
        await shown.pilot.pause(0.2)
        assert calls.count(("preview", TOTAL.id)) == 1


async def test_a_narrow_window_reads_no_preview():
    async with picker() as shown:
        await shown.pilot.pause(0.15)
        assert all(name != "preview" for name, *_ in shown.engine.catalog.calls)


async def test_space_shows_the_whole_end_and_escape_goes_back_to_the_list():
    async with picker() as shown:
        events_of = [
            PromptAdded("p", "hello"),
            BlockFinished("m", 0, {"type": "text", "text": paragraphs(60)}, "a"),
        ]
        shown.engine.catalog.previews[TOTAL.id] = list(events_of)
        await shown.pilot.press("space")
        await shown.shows("paragraph 59")
        await shown.pilot.press("home")
        await shown.shows("› hello")
        await shown.pilot.press("pagedown")
        await shown.until(lambda: "› hello" not in shown.screen())
        await shown.pilot.press("escape")
        await shown.shows("type to search")
        await shown.pilot.press("space")
        await shown.pilot.press("enter")
        await closed(shown)
        assert ("resume", TOTAL.file, False) in shown.engine.history.calls


async def test_space_is_text_behind_a_query_and_tab_previews():
    async with picker() as shown:
        await shown.pilot.press(*"total", "space", *"wrong")
        assert titles(shown) == [TOTAL.title]
        await shown.pilot.press("tab")
        await shown.shows("def total(lines):")
        await shown.pilot.press("tab")
        await shown.shows("› total wrong▏")


async def test_a_session_that_cannot_be_read_says_so(monkeypatch: pytest.MonkeyPatch):
    async with picker(size=(120, 30)) as shown:

        def fail(one: SessionInfo) -> list[PromptAdded]:
            raise SessionError("it is gone")

        monkeypatch.setattr(shown.engine.catalog, "preview", fail)
        await shown.pilot.press("down")
        await shown.shows("cannot be read: it is gone")


def test_a_preview_is_bounded_whatever_the_session_holds():
    text = paragraphs(5_000)
    past = [BlockFinished("m", 0, {"type": "text", "text": text}, "a")] * 50
    rows = preview_rows(past, 60, make_look(DARK))
    assert 100 < len(rows) <= 600
    assert "paragraph 4999" in "".join(segment.text for row in rows[-3:] for segment in row.strip)
    assert all(row.strip.cell_length <= 60 for row in rows)


# renaming and deleting


async def test_a_title_is_renamed_in_place():
    async with picker() as shown:
        await shown.pilot.press("down", "ctrl+r", "home", *"my ", "enter")
        await shown.shows("› my cart refactoring")
        assert ("rename", CART.id, "my cart refactoring") in shown.engine.catalog.calls
        await shown.pilot.press("ctrl+r", "ctrl+u", "x", "escape")
        await shown.shows("› my cart refactoring")
        assert [name for name, *_ in shown.engine.catalog.calls].count("rename") == 1
        await shown.pilot.press("escape")
        await closed(shown)


async def test_the_session_that_is_open_is_renamed_by_the_engine():
    async with window() as shown:
        stock(shown.engine)
        shown.engine.session_id = TOTAL.id
        await shown.send("/resume")
        await shown.shows("here")
        await shown.pilot.press("ctrl+r", "ctrl+u", *"new name", "enter")
        await shown.shows("› new name")
        assert ("rename", "new name") in shown.engine.history.calls
        assert all(name != "rename" for name, *_ in shown.engine.catalog.calls)
        await shown.pilot.press("ctrl+d")
        await shown.shows("the session that you are in; it cannot be deleted")
        await shown.pilot.press("ctrl+d")
        assert all(name != "delete" for name, *_ in shown.engine.catalog.calls)


async def test_deleting_asks_once_more():
    async with picker() as shown:
        await shown.pilot.press("down", "ctrl+d")
        await shown.shows("ctrl+d again deletes “cart refactoring”, 1.2 MB, for good")
        await shown.pilot.press("escape")
        await shown.shows("type to search")
        await shown.pilot.press("ctrl+d", "down", "ctrl+d")
        await shown.shows("again deletes “add a changelog entry”")
        assert all(name != "delete" for name, *_ in shown.engine.catalog.calls)
        await shown.pilot.press("ctrl+d")
        await shown.until(lambda: len(titles(shown)) == 4)
        assert shown.engine.catalog.calls[-1] == ("delete", CHANGES.id)
        assert sheet(shown).chosen == JAPANESE


async def test_a_session_in_use_is_not_deleted():
    async with picker() as shown:
        shown.engine.catalog.busy = {TOTAL.id}
        await shown.pilot.press("ctrl+d", "ctrl+d")
        await shown.shows("is in use; leave it")
        assert len(titles(shown)) == 5


# going on


async def test_enter_goes_on_with_the_session_and_draws_it():
    async with window(history=long_history(2)) as shown:
        stock(shown.engine)
        shown.engine.history.pasts[TOTAL.id] = past_of("what the cart said")
        await shown.until(lambda: shown.app.equipment and shown.app.equipment.attached)
        await shown.send("/resume")
        await shown.shows("the total is wrong")
        await shown.pilot.press("enter")
        await closed(shown)
        await shown.shows("› what the cart said")
        assert shown.engine.session_id == TOTAL.id
        assert "question 1" not in shown.screen()
        await shown.pilot.press("up")
        assert shown.app.composer.text == "what the cart said"
        await shown.pilot.press("up")
        assert shown.app.composer.text in {"/resume", "question 1"}


@pytest.mark.parametrize("wanted", [CART.id, CART.title, "Cart Refactoring"])
async def test_an_id_or_a_whole_title_needs_no_list(wanted: str):
    async with window() as shown:
        stock(shown.engine)
        await shown.send(f"/resume {wanted}")
        await shown.until(lambda: shown.engine.history.calls)
        assert shown.engine.history.calls == [("resume", CART.file, False)]
        assert len(shown.app.screen_stack) == 1


async def test_a_session_of_another_folder_is_gone_on_with_only_after_a_question():
    async with window() as shown:
        stock(shown.engine)
        await shown.send(f"/continue {ELSEWHERE[0].id}")
        await shown.shows("this session worked in ~/site; here the tools work in ~/shop")
        await shown.pilot.press("escape")
        await closed(shown)
        await shown.send("/resume deploy")
        await shown.until(lambda: listed(shown))
        await shown.pilot.press("ctrl+a")
        await shown.until(lambda: listed(shown) and titles(shown) == [ELSEWHERE[0].title])
        await shown.pilot.press("enter")
        await shown.shows("go on here")
        await shown.pilot.press("escape")
        await shown.until(lambda: listed(shown) and titles(shown) == [ELSEWHERE[0].title])
        assert "› deploy▏" in shown.screen()
        await shown.pilot.press("enter")
        await shown.shows("go on here")
        assert shown.engine.history.calls == []
        await shown.pilot.press("g")
        await shown.until(lambda: shown.engine.history.calls)
        assert shown.engine.history.calls == [("resume", ELSEWHERE[0].file, False)]


async def test_the_command_that_goes_on_there_can_be_copied(monkeypatch: pytest.MonkeyPatch):
    copied: list[str] = []
    async with window() as shown:
        stock(shown.engine)
        monkeypatch.setattr(shown.app, "copy", copied.append)
        await shown.send(f"/resume {ELSEWHERE[0].id}")
        await shown.shows("another folder")
        await shown.pilot.press("c")
        await shown.until(lambda: copied)
        assert copied == [f"cd /code/site && agentcli --resume {ELSEWHERE[0].id}"]
        assert shown.engine.history.calls == []


async def test_a_title_that_two_sessions_have_opens_the_list():
    async with window() as shown:
        stock(shown.engine)
        shown.engine.catalog.sessions.append(info(7, CART.title))
        await shown.send(f"/resume {CART.title}")
        await shown.until(lambda: listed(shown) and len(titles(shown)) == 2)


async def test_the_session_that_is_open_is_not_opened_again():
    async with window() as shown:
        stock(shown.engine)
        shown.engine.transcript_path = TOTAL.file
        await shown.send("/resume")
        await shown.shows("the total is wrong")
        await shown.pilot.press("enter")
        await shown.shows("this is the session that you are in")
        assert shown.engine.history.calls == []


@pytest.mark.parametrize(
    ("key", "call"), [("f", ("resume", TOTAL.file, True)), ("n", ("clear", ""))]
)
async def test_a_session_in_use_is_forked_or_left(key: str, call: tuple[object, ...]):
    async with picker() as shown:
        shown.engine.history.busy = {TOTAL.file}
        await shown.pilot.press("enter")
        await shown.shows("open in another agentcli")
        assert "written by another" in shown.screen() and "close it there" not in shown.screen()
        await shown.pilot.press("enter", key)
        await closed(shown)
        await shown.until(lambda: call in shown.engine.history.calls)


async def test_back_from_a_session_in_use_is_the_list_again():
    async with picker() as shown:
        shown.engine.history.busy = {TOTAL.file}
        await shown.pilot.press("enter")
        await shown.shows("open in another agentcli")
        await shown.pilot.press("escape")
        await shown.shows("type to search")
        await shown.pilot.press("escape")
        await closed(shown)
        assert shown.engine.session_id == "s1"


async def test_a_session_that_cannot_be_opened_is_one_line():
    async with picker() as shown:
        shown.engine.history.fails["resume"] = SessionError("the file is gone")
        await shown.pilot.press("enter")
        await shown.shows("✗ the file is gone")
        assert shown.engine.session_id == "s1"


async def test_the_window_can_begin_with_the_list():
    async with window(pick_session=True, pick_query="cart") as shown:
        stock(shown.engine)
        await shown.shows("sessions · this project")
        await shown.pilot.press("escape")
        await closed(shown)


async def test_a_choice_at_the_start_can_be_forked():
    async with window(pick_session=True, pick_query="cart", pick_fork=True) as shown:
        await shown.shows("sessions · this project")
        stock(shown.engine)
        await shown.pilot.press("ctrl+a", "ctrl+a")  # read again
        await shown.shows("› cart refactoring")
        await shown.pilot.press("enter")
        await shown.until(lambda: shown.engine.history.calls == [("resume", CART.file, True)])


async def test_completion_offers_titles():
    async with window() as shown:
        stock(shown.engine)
        await shown.until(lambda: shown.app.equipment and shown.app.equipment.attached)
        await shown.pilot.press(*"/resume ca")
        await shown.shows("› cart refactoring")
        await shown.pilot.press("enter")
        await shown.until(lambda: shown.engine.history.calls == [("resume", CART.file, False)])


# pure


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1 kB"),
        (999_499, "999 kB"),
        (999_500, "1.0 MB"),
        (123_400_000, "123 MB"),
    ],
)
def test_sizes(count: int, told: str):
    assert tell_size(count) == told


@pytest.mark.parametrize("width", [10, 20, 40, 60, 80, 132])
@pytest.mark.parametrize("everywhere", [False, True])
@pytest.mark.parametrize("query", ["", "cart", "decimal"])
def test_every_row_fits(width: int, everywhere: bool, query: str):
    listed = prepare([*SESSIONS, *ELSEWHERE, info(6, "x" * 500), info(7, "")])
    drawer = SessionRows(
        measure(listed, width, everywhere, "/code"), query, make_look(DARK), 0, "/code", ""
    )
    assert all(drawer.row(one, picked=True).strip.cell_length <= width for one in listed)


async def test_hidden_characters_are_shown_as_such():
    async with window() as shown:
        shown.engine.catalog.sessions = [
            info(1, "evil \x1b]0;x\x07 title\nmore", branch="b\x1b[2J")
        ]
        await shown.send("/resume")
        await shown.shows("evil \\x1b]0;x\\x07 title more")
        assert "b\\x1b[2J" in shown.screen()
