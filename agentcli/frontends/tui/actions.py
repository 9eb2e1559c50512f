"""Every key action of the window in one table: names as in keybindings.json, default keys, the
words of help and palette, and what is called. Help, palette and keymap are made from it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from agentcli.frontends.tui.keymap.keymap import Bindings, Keymap, default_bindings, show_chord
from agentcli.frontends.tui.keymap.sheets import sheet_keys, sheet_names

if TYPE_CHECKING:
    from agentcli.frontends.tui.app import AgentApp

Context = Literal["Global", "Chat", "Autocomplete", "Scroll"]
MAIN_CONTEXTS = ("Chat", "Scroll", "Global")
"""Where the person is while nothing lies over the window, the nearest first."""
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
    in_palette: bool = False


def _empty(app: "AgentApp") -> bool:
    return not app.composer.text and not app.composer.shell_mode


def _equipped(app: "AgentApp") -> bool:
    return app.equipment is not None


def _search(app: "AgentApp") -> None:
    if app.equipment is not None:
        app.equipment.reader.open_search()


def _read(app: "AgentApp") -> None:
    if app.equipment is not None:
        app.equipment.reader.open_reading()


def _recall(app: "AgentApp") -> None:
    if app.equipment is not None:
        app.equipment.search_history()


def _dismiss(app: "AgentApp") -> None:
    if app.equipment is not None:
        app.equipment.completer.escape()


def _cycle_mode(app: "AgentApp") -> None:
    if (engine := app.conversation.engine) is not None:
        app.status.tell(mode=engine.cycle_mode())


def _step(app: "AgentApp", direction: int) -> None:
    if app.equipment is not None:
        app.equipment.completer.move(direction)


ACTIONS: tuple[Action, ...] = (
    Action("chat:submit", "Chat", "Write", ("enter",), "send; while a turn runs: queue",
           lambda app: app.composer.enter()),
    Action("chat:newline", "Chat", "Write", ("ctrl+j", "shift+enter", "alt+enter", "ctrl+enter"),
           "new line; also \\ before enter", lambda app: app.composer.newline()),
    Action("history:previous", "Chat", "Write", ("up",),
           "line up, then earlier prompts; takes a queued one back",
           lambda app: app.composer.go_up()),
    Action("history:next", "Chat", "Write", ("down", "ctrl+n"), "line down, then later prompts",
           lambda app: app.composer.go_down()),
    Action("history:search", "Chat", "Write", ("ctrl+r",), "search earlier prompts", _recall,
           when=_equipped, in_palette=True),
    Action("autocomplete:accept", "Chat", "Write", ("tab",),
           "complete; at a [Pasted text]: show it in full", lambda app: app.composer.complete()),
    Action("chat:imagePaste", "Chat", "Write", ("ctrl+v", "alt+v"),
           "attach the picture in the clipboard", lambda app: app.outside.paste_image(),
           in_palette=True),
    Action("chat:externalEditor", "Chat", "Write", ("ctrl+g", "ctrl+x ctrl+e"),
           "write in $EDITOR", lambda app: app.composer.edit_outside(), in_palette=True),
    Action("chat:stash", "Chat", "Write", ("ctrl+s",), "put the draft away; again: bring it back",
           lambda app: app.composer.stash(), in_palette=True),
    Action("chat:undo", "Chat", "Write", ("ctrl+underscore", "ctrl+slash", "ctrl+shift+underscore"),
           "undo", lambda app: app.composer.undo()),
    Action("edit:redo", "Chat", "Write", ("alt+underscore", "alt+slash"), "redo",
           lambda app: app.composer.redo()),
    Action("edit:killToEnd", "Chat", "Write", ("ctrl+k",), "cut to the end of the line",
           lambda app: app.composer.kill_to_end()),
    Action("edit:killToStart", "Chat", "Write", ("ctrl+u",), "cut to the start of the line",
           lambda app: app.composer.kill_to_start()),
    Action("edit:killBack", "Chat", "Write", ("ctrl+w",), "cut the word before",
           lambda app: app.composer.kill_back()),
    Action("edit:killWordLeft", "Chat", "Write", ("alt+backspace", "ctrl+backspace"), "",
           lambda app: app.composer.kill_word_left()),
    Action("edit:killWordRight", "Chat", "Write", ("alt+d", "alt+delete"), "",
           lambda app: app.composer.kill_word_right()),
    Action("edit:yank", "Chat", "Write", ("ctrl+y",), "put back what was cut",
           lambda app: app.composer.yank()),
    Action("edit:yankPop", "Chat", "Write", ("alt+y",), "",
           lambda app: app.composer.yank_earlier()),
    Action("edit:wordLeft", "Chat", "Write", ("alt+b", "ctrl+left", "alt+left"), "a word back",
           lambda app: app.composer.word_left()),
    Action("edit:wordRight", "Chat", "Write", ("alt+f", "ctrl+right", "alt+right"), "a word on",
           lambda app: app.composer.word_right()),
    Action("edit:lineStart", "Chat", "Write", ("ctrl+a",), "to the start of the line",
           lambda app: app.composer.line_start()),
    Action("edit:lineEnd", "Chat", "Write", ("ctrl+e",), "to the end of the line",
           lambda app: app.composer.line_end()),
    Action("edit:textStart", "Chat", "Write", ("alt+less_than_sign",), "",
           lambda app: app.composer.text_start()),
    Action("edit:textEnd", "Chat", "Write", ("alt+greater_than_sign",), "",
           lambda app: app.composer.text_end()),
    Action("edit:transpose", "Chat", "Write", (), "", lambda app: app.composer.transpose()),
    Action("autocomplete:accept", "Autocomplete", "Write", ("tab",), "",
           lambda app: app.composer.complete()),
    Action("autocomplete:previous", "Autocomplete", "Write", ("up", "ctrl+p"), "",
           lambda app: _step(app, -1)),
    Action("autocomplete:next", "Autocomplete", "Write", ("down", "ctrl+n"), "",
           lambda app: _step(app, 1)),
    Action("autocomplete:dismiss", "Autocomplete", "Write", ("escape",), "", _dismiss),
    Action("chat:cancel", "Chat", "Steer", ("escape",),
           "interrupt; what was done so far is kept. Twice: clear the draft, else rewind",
           lambda app: app.composer.leave()),
    Action("chat:cycleMode", "Chat", "Steer", ("shift+tab",), "next permission mode",
           _cycle_mode, in_palette=True),
    Action("chat:modelPicker", "Chat", "Steer", ("alt+p",), "choose the model",
           lambda app: app.host.choose_model("")),
    Action("app:commandPalette", "Global", "Steer", ("ctrl+p",), "everything that can be done",
           lambda app: app.host.show_palette()),
    Action("app:interrupt", "Global", "Steer", ("ctrl+c",), "copy, interrupt or clear; twice: quit",
           lambda app: app.stops.interrupt()),
    Action("app:exit", "Global", "Steer", ("ctrl+d",), "on an empty line, twice: quit",
           lambda app: app.stops.end_of_input(), when=_empty),
    Action("app:suspend", "Global", "Steer", ("ctrl+z",), "suspend",
           lambda app: app.action_suspend_process(), in_palette=True),
    Action("app:redraw", "Global", "Steer", ("ctrl+l",), "draw the screen anew",
           lambda app: app.action_redraw(), in_palette=True),
    Action("app:help", "Chat", "Read", ("question_mark",), "help, on an empty line",
           lambda app: app.host.show_help(), when=_empty),
    Action("transcript:search", "Global", "Read", ("ctrl+f",), "search the conversation", _search,
           when=_equipped, in_palette=True),
    Action("transcript:read", "Global", "Read", ("alt+j",),
           "read, select and fold with the keyboard", _read, when=_equipped, in_palette=True),
    Action("transcript:previousPrompt", "Global", "Read", ("ctrl+up", "alt+up"),
           "to the prompt before", lambda app: app.transcript.jump_prompt(-1), in_palette=True),
    Action("transcript:nextPrompt", "Global", "Read", ("ctrl+down", "alt+down"),
           "to the next prompt", lambda app: app.transcript.jump_prompt(1), in_palette=True),
    Action("app:toggleTranscript", "Global", "Read", ("ctrl+o",),
           "unfold the last one, all of them, none", lambda app: app.transcript.unfold_next(),
           in_palette=True),
    Action("scroll:pageUp", "Scroll", "Read", ("pageup",), "a page up",
           lambda app: app.transcript.scroll_page(-1)),
    Action("scroll:pageDown", "Scroll", "Read", ("pagedown",), "a page down",
           lambda app: app.transcript.scroll_page(1)),
    Action("scroll:top", "Scroll", "Read", ("ctrl+home",), "to the beginning",
           lambda app: app.transcript.go_home(), in_palette=True),
    Action("scroll:bottom", "Scroll", "Read", ("ctrl+end",), "to the end, and follow it",
           lambda app: app.transcript.go_end(), in_palette=True),
    Action("scroll:follow", "Chat", "Read", ("end",), "", lambda app: app.transcript.go_end(),
           when=_empty),
)  # fmt: skip

FIXED: tuple[tuple[Section | Literal["Approve"], tuple[tuple[str, str], ...]], ...] = (
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
    """All bindings, those of the sheets included, before anything was changed."""
    window = default_bindings((action.context, action.name, action.keys) for action in ACTIONS)
    return {**window, **sheet_keys()}


def all_actions() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """(context, action) of everything that can be bound: in the window, and on the sheets."""
    return [(action.context, action.name) for action in ACTIONS], sheet_names()


def help_sections(keymap: Keymap) -> list[tuple[str, list[tuple[str, str]]]]:
    """Title, and pairs of keys and meaning, of everything as it is bound now. Pure."""
    sections: dict[str, list[tuple[str, str]]] = {"Steer": [], "Write": [], "Read": []}
    for action in ACTIONS:
        chords = keymap.keys_of(action.name)
        if action.about and chords:
            keys = "  ".join(show_chord(chord) for chord in chords[:2])
            sections.setdefault(action.section, []).append((keys, action.about))
    for title, pairs in FIXED:
        sections.setdefault(title, []).extend(pairs)
    return list(sections.items())
