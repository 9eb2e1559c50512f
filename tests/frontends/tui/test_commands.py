"""Slash commands, their completion, the pickers, help and themes in the window."""

from agentcli.frontends.tui.actions import ACTIONS
from agentcli.frontends.tui.slash import find_command, is_command
from tests.frontends.tui.harness import window
from tests.frontends.tui.scenes import long_history, whole_turn


def test_commands_are_told_from_paths_and_prose():
    assert is_command("/help")
    assert is_command("/model opus")
    assert not is_command("/usr/bin/python fails")
    assert not is_command("/ what")
    assert not is_command("//comment")
    assert not is_command("say /help")


def test_a_wrong_name_gets_the_nearest_one():
    assert find_command("/modle x")[2] == "Unknown command /modle; did you mean /model?"
    assert find_command("/zzz")[2] == "Unknown command /zzz; /help lists what there is"
    command, argument, error = find_command("/model  opus ")
    assert command is not None and (command.name, argument, error) == ("model", "opus", "")


async def test_the_menu_completes():
    async with window() as shown:
        await shown.pilot.press("/", "t")
        await shown.shows("› /theme [name]  choose the colours")
        await shown.pilot.press("tab")
        assert shown.app.composer.text == "/theme "
        await shown.shows("› auto             follows the terminal")


async def test_the_menu_moves_and_runs():
    async with window() as shown:
        await shown.pilot.press("/")
        await shown.shows("/clear")
        await shown.pilot.press("up")
        await shown.shows("› /exit")
        await shown.pilot.press("down", "escape")
        assert shown.app.equipment is not None and not shown.app.equipment.menu.is_open
        assert shown.app.composer.text == "/"


async def test_enter_after_fast_typing_runs_what_is_written():
    async with window() as shown:
        await shown.pilot.press("/")
        await shown.shows("› /help")
        shown.app.composer.put("/exit")
        shown.app.composer.enter()
        await shown.until(lambda: shown.app.return_value == 0)


async def test_the_menu_does_not_move_the_conversation():
    async with window(whole_turn) as shown:
        await shown.send("go")
        await shown.idle()
        before = shown.lines()
        await shown.pilot.press("/")
        await shown.shows("/clear")
        after = shown.lines()
        menu = next(row for row, line in enumerate(after) if "/help" in line)
        assert after[:menu] == before[:menu]


async def test_unknown_commands_are_not_sent():
    async with window() as shown:
        await shown.send("/hlep")
        await shown.shows("✗ Unknown command /hlep; did you mean /help?")
        assert shown.engine.prompts == []
        assert shown.app.composer.text == "/hlep"


async def test_help_opens_and_closes():
    async with window() as shown:
        await shown.pilot.press("?")
        await shown.shows("next permission mode")
        await shown.pilot.press("end")
        await shown.shows("/model [name]")
        await shown.pilot.press("escape")
        assert "/model [name]" not in shown.screen()
        await shown.pilot.press("a", "?")
        assert shown.app.composer.text == "a?"


async def test_clear_empties_the_transcript():
    async with window(history=long_history(3)) as shown:
        await shown.shows("answer 2")
        await shown.send("/clear")
        await shown.until(lambda: "answer 2" not in shown.screen())
        assert "agentcli" in shown.lines()[0]


async def test_model_by_name_and_by_list():
    async with window() as shown:
        await shown.send("/model nonsense")
        await shown.shows("✗ unknown model nonsense")
        await shown.send("/model claude-opus-5-5")
        await shown.until(lambda: shown.engine.model == "claude-opus-5-5")
        await shown.shows("opus-5.5")
        await shown.send("/model")
        await shown.shows("type to filter")
        await shown.pilot.press(*"haiku 5.5", "enter")
        await shown.until(lambda: "haiku-5-5" in shown.engine.model)


async def test_escape_leaves_a_picker_and_changes_nothing():
    async with window() as shown:
        await shown.send("/model")
        await shown.shows("type to filter")
        await shown.pilot.press("down", "down", "escape")
        await shown.until(lambda: "type to filter" not in shown.screen())
        assert shown.engine.model == "claude-sonnet-5-5"


async def test_theme_preview_choice_and_way_back():
    saved: list[str] = []
    async with window(save_theme=saved.append) as shown:
        await shown.send("/theme")
        await shown.shows("for light terminals")
        await shown.pilot.press(*"light")
        await shown.until(lambda: shown.app.palette.name == "light")
        await shown.pilot.press("escape")
        await shown.until(lambda: shown.app.palette.name == "dark")
        assert shown.app.theme == "dark"
        assert saved == []
        await shown.send("/theme light")
        await shown.until(lambda: shown.app.theme == "light")
        assert saved == ["light"]
        await shown.send("/theme sepia")
        await shown.shows("Unknown theme sepia; there are auto, dark, dark-ansi")


async def test_exit_leaves():
    async with window() as shown:
        await shown.send("/exit")
        await shown.until(lambda: shown.app.return_value == 0)


async def test_the_palette_finds_by_meaning_and_by_name_and_runs():
    async with window(history=long_history(3)) as shown:
        await shown.until(lambda: shown.app.equipment is not None and shown.app.equipment.attached)
        await shown.pilot.press(*"a draft", "ctrl+p", *"stash")
        await shown.shows("put the draft away")
        await shown.pilot.press("enter")
        await shown.until(lambda: shown.app.composer.text == "")
        await shown.pilot.press("ctrl+p", *"stash", "enter")
        await shown.until(lambda: shown.app.composer.text == "a draft")
        await shown.pilot.press("ctrl+p", *"/effort")
        await shown.shows("how much the model thinks")
        await shown.pilot.press("enter")
        await shown.shows("as the model has it")
        await shown.pilot.press("escape", "ctrl+p", *"no such thing")
        await shown.shows("nothing matches")


async def test_every_action_of_the_palette_runs():
    async with window() as shown:
        await shown.until(lambda: shown.app.equipment is not None and shown.app.equipment.attached)
        for action in ACTIONS:
            if action.in_palette and action.name != "app:suspend":
                assert await shown.app.perform(action.name), action.name
                await shown.pilot.press("escape", "escape")
        assert shown.app.is_running


async def test_names_and_meanings_are_whole_on_a_narrow_screen():
    async with window(size=(20, 10)) as shown:
        await shown.pilot.press("/")
        await shown.shows("  /effort [level]")
        await shown.pilot.press("escape", "ctrl+u", "question_mark")
        await shown.shows("  esc\n    interrupt; what\n    was done so far")
