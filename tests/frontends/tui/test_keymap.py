"""Which action a key means: contexts, chords, what was taken away; and how keys are written."""

import pytest

from agentcli.frontends.tui.keymap.documented import DOCUMENTED
from agentcli.frontends.tui.keymap.keymap import Keymap, Pressed
from agentcli.frontends.tui.keymap.notation import BadKey, parse_chord, types_text, write_key
from agentcli.frontends.tui.keymap.sheets import SHEET_ACTIONS

DEFAULTS = {
    "Menu": {("up",): "menu:up"},
    "Chat": {
        ("up",): "chat:up",
        ("ctrl+u",): "chat:cut",
        ("ctrl+x", "ctrl+e"): "chat:edit",
        ("ctrl+x", "ctrl+k"): "chat:kill",
    },
    "Global": {("ctrl+c",): "app:interrupt", ("ctrl+l",): "app:redraw"},
}
HERE = ("Menu", "Chat", "Global")


def press(keymap: Keymap, *keys: str, seconds: float = 0.1) -> Pressed | None:
    """Press the keys one after the other; what the last one meant."""
    pressed = None
    for number, key in enumerate(keys):
        pressed = keymap.press(HERE, key, 100 + number * seconds)
    return pressed


def test_the_nearest_context_counts():
    keymap = Keymap(DEFAULTS)
    assert keymap.press(HERE, "up", 0) == Pressed("menu:up")
    assert keymap.press(("Chat", "Global"), "up", 0) == Pressed("chat:up")
    assert keymap.press(("Global",), "up", 0) is None


def test_a_chord_is_two_keys_in_time():
    keymap = Keymap(DEFAULTS)
    assert press(keymap, "ctrl+x") == Pressed(pending=("ctrl+x",))
    assert keymap.pending == ("ctrl+x",)
    assert press(Keymap(DEFAULTS), "ctrl+x", "ctrl+e") == Pressed("chat:edit")
    assert press(Keymap(DEFAULTS), "ctrl+x", "ctrl+e", seconds=2) is None


def test_a_dead_end_uses_the_key_up_and_ends_the_chord():
    keymap = Keymap(DEFAULTS)
    assert press(keymap, "ctrl+x", "a") == Pressed()
    assert keymap.pending == ()
    assert press(keymap, "up") == Pressed("menu:up")


def test_the_interrupt_is_lost_in_no_chord():
    assert press(Keymap(DEFAULTS), "ctrl+x", "ctrl+c") == Pressed("app:interrupt")


def test_a_dropped_chord_is_forgotten():
    keymap = Keymap(DEFAULTS)
    press(keymap, "ctrl+x")
    keymap.drop_chord()
    assert press(keymap, "ctrl+e") is None


def test_a_key_that_was_taken_away_does_nothing_at_all():
    keymap = Keymap(DEFAULTS, {"Chat": {("ctrl+u",): None, ("f5",): None, ("enter",): None}})
    for key in ("ctrl+u", "f5", "enter"):
        assert press(keymap, key) == Pressed(), key


def test_a_character_that_was_taken_away_is_typed():
    defaults = {"Chat": {("question_mark",): "app:help"}}
    keymap = Keymap(defaults, {"Chat": {("question_mark",): None, ("a",): None, ("space",): None}})
    for key in ("question_mark", "a", "space"):
        assert keymap.press(("Chat",), key, 0) is None, key


def test_taken_away_in_the_nearest_context_is_taken_away():
    keymap = Keymap(DEFAULTS, {"Menu": {("up",): None}})
    assert press(keymap, "up") == Pressed()
    assert keymap.press(("Chat",), "up", 0) == Pressed("chat:up")


def test_a_chord_wins_over_its_first_key_until_all_of_them_are_taken_away():
    one = {("ctrl+x",): "chat:cut", ("ctrl+x", "ctrl+e"): None}
    assert press(Keymap(DEFAULTS, {"Chat": one}), "ctrl+x") == Pressed(pending=("ctrl+x",))
    both = {**one, ("ctrl+x", "ctrl+k"): None}
    assert press(Keymap(DEFAULTS, {"Chat": both}), "ctrl+x") == Pressed("chat:cut")


def test_changes_show_in_the_keys_of_an_action():
    keymap = Keymap(DEFAULTS, {"Chat": {("ctrl+u",): None, ("f2",): "chat:cut"}})
    assert keymap.keys_of("chat:cut") == [("f2",)]
    assert keymap.meaning(HERE, "f2") == "chat:cut"
    assert keymap.meaning(HERE, "ctrl+u") == ""


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("ctrl+e", "ctrl+e"),
        ("control+E", "ctrl+e"),
        ("ctrl+K", "ctrl+k"),
        ("K", "K"),
        ("shift+k", "K"),
        ("k", "k"),
        ("é", "é"),
        ("opt+p", "alt+p"),
        ("option+p", "alt+p"),
        ("meta+p", "alt+p"),
        ("cmd+k", "super+k"),
        ("shift+ctrl+c", "ctrl+shift+c"),
        ("alt+shift+K", "alt+shift+k"),
        ("return", "enter"),
        ("esc", "escape"),
        ("shift+tab", "shift+tab"),
        ("Shift+Enter", "shift+enter"),
        ("pageup", "pageup"),
        ("PgDn", "pagedown"),
        ("ctrl+home", "ctrl+home"),
        ("backspace", "backspace"),
        ("F12", "f12"),
        ("space", "space"),
        ("?", "question_mark"),
        ("/", "slash"),
        ("+", "plus"),
        ("ctrl++", "ctrl+plus"),
        ("ctrl+-", "ctrl+minus"),
        ("alt+<", "alt+less_than_sign"),
        ("ctrl+\\", "ctrl+backslash"),
    ],
)
def test_a_written_key_is_that_key(written: str, key: str):
    assert parse_chord(written)[0] == (key,)


@pytest.mark.parametrize(
    ("written", "arrives"),
    [
        ("meta+p", "meta+p"),
        ("ctrl+space", "ctrl+@"),
        ("ctrl+_", "ctrl+shift+minus"),
        ("ctrl+shift+-", "ctrl+underscore"),
        ("ctrl+/", "ctrl+underscore"),
    ],
)
def test_a_written_key_may_arrive_under_another_name(written: str, arrives: str):
    assert (arrives,) in parse_chord(written)


def test_chords_are_parts_with_blanks_between():
    assert parse_chord("ctrl+k  ctrl+s") == [("ctrl+k", "ctrl+s")]
    assert set(parse_chord("ctrl+x alt+s")) == {("ctrl+x", "alt+s"), ("ctrl+x", "meta+s")}


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("ctrl+c", "reserved"),
        ("Control+D", "reserved"),
        ("ctrl+m", "enter"),
        ("ctrl+i", "tab"),
        ("ctrl+[", "escape"),
        ("ctrl+h", "backspace"),
        ("ctrl+x ctrl+c", "reserved"),
        ("capslock", "do not report"),
        ("hyper+a", "hyper is no modifier"),
        ("foo", "foo is no key"),
        ("ctrl+", "is no key"),
        ("shift+1", "write the character"),
        ("wheelup", "not available"),
        ("", "no key"),
        ("a b c d e", "more than 4"),
    ],
)
def test_a_bad_key_is_told(written: str, why: str):
    with pytest.raises(BadKey, match=why):
        parse_chord(written)


@pytest.mark.parametrize(
    ("key", "written"),
    [
        ("ctrl+slash", "ctrl+/"),
        ("K", "shift+k"),
        ("question_mark", "?"),
        ("shift+enter", "shift+enter"),
        ("ctrl+@", "ctrl+space"),
        ("escape", "escape"),
        ("delete", "delete"),
    ],
)
def test_a_key_is_written_as_in_the_file(key: str, written: str):
    assert write_key(key) == written
    assert (key,) in parse_chord(written)


def test_which_keys_type_text():
    assert all(types_text(key) for key in ("a", "Z", "space", "question_mark", "slash", "é"))
    names = ("escape", "enter", "tab", "delete", "up", "f1", "ctrl+a", "shift+tab", "alt+a")
    assert not any(types_text(key) for key in names)


def test_documented_keys_can_be_written():
    for actions in DOCUMENTED.values():
        for action, keys in actions.items():
            for key in filter(None, (part.strip() for part in keys.split(","))):
                if key not in {"ctrl+c", "ctrl+d", "wheelup", "wheeldown"}:
                    assert parse_chord(key), action


def test_a_sheet_has_no_key_twice_in_one_context():
    keys = [(context, key) for context, _, keys in SHEET_ACTIONS for key in keys]
    assert len(keys) == len(set(keys))


def test_no_habit_says_yes():
    yes = {key for _, name, keys in SHEET_ACTIONS if name == "confirm:yes" for key in keys}
    assert not yes & {"enter", "space", "tab"}
