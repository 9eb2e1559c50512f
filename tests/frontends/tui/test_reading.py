"""Reading the transcript: following, anchors, folding, selection, resizing."""

import os
from pathlib import Path

import pytest
from textual.geometry import Offset
from textual.selection import Selection

from agentcli.frontends.tui.transcript.entries import NoticeEntry
from agentcli.frontends.tui.transcript.tool_entry import ToolEntry
from agentcli.protocol.calls import ToolCall, ToolResult
from agentcli.settings.model import Settings
from tests.frontends.tui.harness import Window, emit, window
from tests.frontends.tui.scenes import delta, long_history, paragraphs, whole_turn


async def test_a_reader_who_scrolled_up_stays_put():
    async with window(history=long_history(40)) as shown:
        await shown.shows("answer 39")
        await shown.pilot.press("pageup", "pageup")
        before = shown.lines()[:-5]
        await emit(shown, *delta(paragraphs(30)))
        after = shown.lines()[:-5]
        assert after[:-1] == before[:-1]
        assert "↓" in shown.screen() and "new lines" in shown.screen()
        await shown.pilot.press("end")
        await shown.shows("paragraph 29")
        assert "new lines" not in shown.screen()
        await emit(shown, *delta("and more", 1))
        assert "and more" in shown.screen()


async def test_scrolling_down_to_the_end_follows_again():
    async with window(history=long_history(40)) as shown:
        await shown.shows("answer 39")
        await shown.pilot.press("pageup")
        assert not shown.app.transcript.follow
        await shown.pilot.press("pagedown", "pagedown")
        assert shown.app.transcript.follow


async def test_home_and_end():
    async with window(history=long_history(60)) as shown:
        await shown.shows("answer 59")
        await shown.pilot.press("ctrl+home")
        await shown.shows("question 0")
        await shown.pilot.press("ctrl+end")
        await shown.shows("answer 59")


async def test_scrolling_up_by_pages_shows_every_line_once():
    async with window(history=long_history(25)) as shown:
        await shown.shows("answer 24")
        seen: set[str] = set()
        for _ in range(25):
            seen |= set(shown.lines())
            await shown.pilot.press("pageup")
        for turn in range(25):
            assert f"  second paragraph of {turn}" in seen


async def test_what_grows_above_does_not_move_what_is_read():
    async with window(history=long_history(40)) as shown:
        tool = ToolEntry("Bash", ToolCall("x", "Bash", {"command": "ls"}))
        await shown.shows("answer 39")
        shown.app.transcript.add(tool)
        for number in range(40):
            shown.app.transcript.add(NoticeEntry("info", f"notice {number}"))
        await shown.pilot.press("pageup")
        before = shown.lines()[:10]
        tool.folded = False
        tool.result = ToolResult("\n".join(f"output {n}" for n in range(30)))
        shown.app.transcript.changed(tool)
        shown.app.transcript.flush()
        await shown.pilot.pause()
        assert shown.lines()[:10] == before


async def test_resizing_keeps_the_entry_at_the_top():
    async with window(history=long_history(60)) as shown:
        await shown.shows("answer 59")
        await shown.pilot.press("pageup", "pageup")
        top = next(line for line in shown.lines() if line.strip())
        await shown.pilot.resize_terminal(60, 20)
        await shown.pilot.pause(0.05)
        assert top in shown.lines()[:4]


async def test_ctrl_o_unfolds_the_last_then_all_then_none():
    async with window(whole_turn, size=(80, 60)) as shown:
        await shown.send("fix it")
        await shown.idle()
        await shown.pilot.press("ctrl+o")
        await shown.shows("  12 passed")
        assert "subtotal += round" not in shown.screen()
        await shown.pilot.press("ctrl+o")
        await shown.shows("-         subtotal += round(line.price * line.qty, 2)")
        await shown.pilot.press("ctrl+o")
        await shown.until(lambda: "12 passed" not in shown.screen())


async def test_a_click_unfolds_in_place():
    async with window(whole_turn) as shown:
        await shown.send("fix it")
        await shown.idle()
        lines = shown.lines()
        row = next(row for row, line in enumerate(lines) if "Edit src" in line)
        await shown.pilot.click("Transcript", offset=(4, row))
        await shown.shows("+         subtotal += line.price * line.qty")
        assert "Edit src" in shown.lines()[row]
        await shown.pilot.click("Transcript", offset=(4, row))
        await shown.until(lambda: "subtotal += line.price" not in shown.screen())
        await shown.pilot.press("z")
        assert shown.app.composer.text == "z"


async def test_long_prompts_show_their_head():
    async with window(size=(80, 50)) as shown:
        await shown.send("\n".join(f"line {number}" for number in range(40)))
        await shown.shows("… 32 more lines")
        assert "line 20" not in shown.screen()
        await shown.pilot.press("ctrl+o")
        await shown.shows("line 39")


async def test_a_selection_copies_source():
    async with window() as shown:
        await emit(shown, *delta("some **bold** words\n\n- a\n"))
        line = next(row for row, text in enumerate(shown.lines()) if "bold" in text)
        selection = Selection(Offset(0, line), Offset(30, line))
        assert shown.app.transcript.get_selection(selection) == ("some **bold** words", "\n")
        part = Selection(Offset(7, line), Offset(11, line))
        assert shown.app.transcript.get_selection(part) == ("bold", "\n")


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a clipboard program was given last."""
    tools, file = tmp_path / "tools", tmp_path / "copied"
    tools.mkdir()
    (tools / "wl-copy").write_text(f"#!/bin/sh\ncat > {file}\n")
    (tools / "wl-copy").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    for name in ("TMUX", "STY", "SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"):
        monkeypatch.delenv(name, raising=False)
    return file


async def drag(shown: Window, text: str, first: int, last: int) -> None:
    await emit(shown, *delta(text))
    row = next(row for row, line in enumerate(shown.lines()) if text in line)
    await shown.pilot.mouse_down("Transcript", offset=(first, row))
    await shown.pilot.hover("Transcript", offset=(last, row))
    await shown.pilot.mouse_up("Transcript", offset=(last, row))


async def test_dragging_selects_and_ctrl_c_copies(copied: Path):
    settings = Settings(copy_on_select=False)
    async with window(settings=settings) as shown:
        await drag(shown, "copy these words", 7, 12)
        assert not copied.exists()
        await shown.pilot.press("ctrl+c")
        await shown.shows("copied 5 characters (wl-copy)")
        assert copied.read_text() == "these"
        assert shown.app.is_running


async def test_dragging_alone_copies_unless_it_is_turned_off(copied: Path):
    async with window() as shown:
        await drag(shown, "copy these words", 7, 12)
        await shown.shows("copied 5 characters (wl-copy)")
        assert copied.read_text() == "these"


async def test_copying_without_a_way_says_so(copied: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("WAYLAND_DISPLAY")
    async with window() as shown:
        await drag(shown, "copy these words", 7, 12)
        await shown.shows("not copied")
        assert not copied.exists()
