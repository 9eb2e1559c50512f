"""Every key action of the window in one table: names as in keybindings.json, default keys, the
words of help and palette, and what is called. Help, palette and keymap are made from it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from agentcli.frontends.tui.keymap.keymap import Bindings, Keymap, default_bindings, show_chord

if TYPE_CHECKING:
    from agentcli.frontends.tui.app import AgentApp

Context = Literal["Global", "Chat", "Autocomplete", "Scroll"]
Section = Literal["Write", "Steer", "Read"]
Run = Callable[["AgentApp"], Awaitable[object] | object]


def _always(_: "AgentApp") -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Action:
    """``keys`` are Textual's names, a chord with spaces. ``when`` false: the key goes on to the
    focused widget. Without ``about`` help and palette do not show it."""

    name: str
    context: Context
    section: Section
    keys: tuple[str, ...]
    about: str
    run: Run
    when: Callable[["AgentApp"], bool] = _always


def _empty(app: "AgentApp") -> bool:
    return not app.composer.text


ACTIONS: tuple[Action, ...] = (
    Action("chat:submit", "Chat", "Write", ("enter",), "send; while a turn runs: queue",
           lambda app: app.composer.enter()),
    Action("chat:newline", "Chat", "Write", ("ctrl+j", "shift+enter", "alt+enter", "ctrl+enter"),
           "new line; also \\ before enter", lambda app: app.composer.insert("\n")),
    Action("history:previous", "Chat", "Write", ("up", "ctrl+p"),
           "line up, then earlier prompts; takes a queued one back",
           lambda app: app.composer.go_up()),
    Action("history:next", "Chat", "Write", ("down", "ctrl+n"), "line down, then later prompts",
           lambda app: app.composer.go_down()),
    Action("chat:cancel", "Chat", "Steer", ("escape",),
           "interrupt; what was done so far is kept. Twice: clear the draft",
           lambda app: app.composer.leave()),
    Action("chat:undo", "Chat", "Write", ("ctrl+underscore", "ctrl+slash", "ctrl+shift+underscore"),
           "undo", lambda app: app.composer.undo()),
    Action("autocomplete:accept", "Autocomplete", "Write", ("tab",), "complete",
           lambda app: app.composer.complete()),
    Action("autocomplete:previous", "Autocomplete", "Write", ("up", "ctrl+p"), "",
           lambda app: app.menu.move(-1)),
    Action("autocomplete:next", "Autocomplete", "Write", ("down", "ctrl+n"), "",
           lambda app: app.menu.move(1)),
    Action("autocomplete:dismiss", "Autocomplete", "Write", ("escape",), "",
           lambda app: app.menu.close()),
    Action("chat:cycleMode", "Chat", "Steer", ("shift+tab",), "next permission mode",
           lambda app: app.cycle_mode()),
    Action("app:interrupt", "Global", "Steer", ("ctrl+c",), "copy, interrupt or clear; twice: quit",
           lambda app: app.stops.interrupt()),
    Action("app:exit", "Global", "Steer", ("ctrl+d",), "on an empty line, twice: quit",
           lambda app: app.stops.end_of_input(), when=_empty),
    Action("app:suspend", "Global", "Steer", ("ctrl+z",), "suspend",
           lambda app: app.action_suspend_process()),
    Action("app:redraw", "Global", "Steer", ("ctrl+l",), "draw the screen anew",
           lambda app: app.action_redraw()),
    Action("app:help", "Chat", "Read", ("question_mark",), "help, on an empty line",
           lambda app: app.host.show_help(), when=_empty),
    Action("scroll:pageUp", "Scroll", "Read", ("pageup",), "a page up",
           lambda app: app.transcript.scroll_page(-1)),
    Action("scroll:pageDown", "Scroll", "Read", ("pagedown",), "a page down",
           lambda app: app.transcript.scroll_page(1)),
    Action("scroll:top", "Scroll", "Read", ("ctrl+home",), "to the beginning",
           lambda app: app.transcript.go_home()),
    Action("scroll:bottom", "Scroll", "Read", ("ctrl+end",), "to the end, and follow it",
           lambda app: app.transcript.go_end()),
    Action("scroll:follow", "Chat", "Read", ("end",), "",
           lambda app: app.transcript.go_end(), when=_empty),
    Action("app:toggleTranscript", "Global", "Read", ("ctrl+o",),
           "unfold the last one, all of them, none", lambda app: app.transcript.unfold_next()),
)  # fmt: skip

FIXED: tuple[tuple[Section | Literal["Approve"], tuple[tuple[str, str], ...]], ...] = (
    ("Write", (("ctrl+u  ctrl+k  ctrl+w", "delete to the start, to the end, a word"),)),
    (
        "Read",
        (
            ("wheel", "scroll"),
            ("click", "fold or unfold; drag selects, ctrl+c copies"),
        ),
    ),
    (
        "Approve",
        (
            ("y", "run it once"),
            ("a", "always: shows what would be saved, and where"),
            ("n  esc", "no, and stop"),
            ("c", "no, with a comment for the model"),
            ("↑ ↓  pgup  pgdn", "scroll; pages the conversation if all is in sight"),
        ),
    ),
)
"""Keys that belong to a widget and cannot be bound otherwise."""

BY_NAME = {action.name: action for action in ACTIONS}


def default_keys() -> Bindings:
    """The bindings before anything was changed."""
    return default_bindings((action.context, action.name, action.keys) for action in ACTIONS)


def help_sections(keymap: Keymap) -> list[tuple[str, list[tuple[str, str]]]]:
    """Title, and pairs of keys and meaning, of everything as it is bound now. Pure."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for action in ACTIONS:
        chords = keymap.keys_of(action.name)
        if action.about and chords:
            keys = "  ".join(show_chord(chord) for chord in chords[:2])
            sections.setdefault(action.section, []).append((keys, action.about))
    for title, pairs in FIXED:
        sections.setdefault(title, []).extend(pairs)
    return list(sections.items())
