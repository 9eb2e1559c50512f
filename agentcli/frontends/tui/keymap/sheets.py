"""The key actions of the sheets: names as in keybindings.json, default keys, contexts."""

from agentcli.frontends.tui.keymap.keymap import Bindings, default_bindings

SCROLLING = (
    ("scroll:lineUp", ("up",)),
    ("scroll:lineDown", ("down",)),
    ("scroll:pageUp", ("pageup",)),
    ("scroll:pageDown", ("pagedown",)),
    ("scroll:top", ("home",)),
    ("scroll:bottom", ("end",)),
)

# Enter and Space are not among the keys of a yes: they are typed by habit.
SHEET_ACTIONS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("Confirmation", "confirm:yes", ("y", "1")),
    ("Confirmation", "confirm:always", ("a", "2")),
    ("Confirmation", "confirm:no", ("n", "3", "escape")),
    ("Confirmation", "confirm:comment", ("c",)),
    ("Confirmation", "confirm:nextField", ("tab",)),
    ("Confirmation", "confirm:previous", ("up",)),
    ("Confirmation", "confirm:next", ("down",)),
    *(("Confirmation", name, keys) for name, keys in SCROLLING if not name.startswith("scroll:l")),
    ("Select", "select:previous", ("up", "ctrl+p")),
    ("Select", "select:next", ("down", "ctrl+n")),
    ("Select", "select:pageUp", ("pageup",)),
    ("Select", "select:pageDown", ("pagedown",)),
    ("Select", "select:first", ("home",)),
    ("Select", "select:last", ("end",)),
    ("Select", "select:accept", ("enter",)),
    ("Select", "select:cancel", ("escape",)),
    ("MessageSelector", "messageSelector:up", ("up", "ctrl+p")),
    ("MessageSelector", "messageSelector:down", ("down", "ctrl+n")),
    ("MessageSelector", "messageSelector:top", ("ctrl+up", "shift+up", "alt+up")),
    ("MessageSelector", "messageSelector:bottom", ("ctrl+down", "shift+down", "alt+down")),
    ("MessageSelector", "messageSelector:select", ("enter",)),
    ("Tree", "select:previous", ("k",)),
    ("Tree", "select:next", ("j",)),
    ("Tree", "tree:outward", ("left", "h")),
    ("Tree", "tree:inward", ("right", "l")),
    ("Tree", "tree:look", ("space",)),
    ("Tree", "tree:branch", ("b",)),
    ("Tree", "tree:files", ("d",)),
    ("Tree", "tree:search", ("slash",)),
    ("Tree", "tree:nextFound", ("n",)),
    ("Tree", "tree:previousFound", ("N",)),
    ("Help", "help:dismiss", ("escape", "q", "enter", "question_mark")),
    *(("Help", name, keys) for name, keys in SCROLLING),
)
"""(context, action, default keys as Textual names them)."""


def sheet_keys() -> Bindings:
    """The bindings of the sheets before anything was changed."""
    return default_bindings(SHEET_ACTIONS)


def sheet_names() -> list[tuple[str, str]]:
    """(context, action) of everything that can be bound on a sheet; the lines of a question too,
    which have other names by default."""
    lines = [("Confirmation", name) for name, _ in SCROLLING]
    return [(context, name) for context, name, _ in SHEET_ACTIONS] + lines
