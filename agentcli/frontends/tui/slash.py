"""Slash commands of the window: one registry for completion, help, palette and running."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


class SessionHost(Protocol):
    """What the commands about sessions work on."""

    async def clear(self, title: str) -> None: ...

    async def compact(self, focus: str) -> None: ...

    async def branch(self, title: str) -> None: ...

    async def rename(self, title: str) -> None: ...

    async def export(self, file: str) -> None: ...

    async def resume(self, wanted: str) -> None: ...

    async def rewind(self) -> None: ...

    async def show_tree(self) -> None: ...

    def titles(self) -> Sequence[tuple[str, str]]: ...


class CommandHost(Protocol):
    """What the commands work on: the window."""

    @property
    def sessions(self) -> SessionHost: ...

    async def show_help(self) -> None: ...

    async def choose_model(self, name: str) -> None: ...

    async def choose_effort(self, level: str) -> None: ...

    async def choose_theme(self, name: str) -> None: ...

    async def copy_answer(self, number: str) -> None: ...

    async def show_keys(self) -> None: ...

    async def edit_keybindings(self) -> None: ...

    async def leave(self) -> None: ...

    def models(self) -> Sequence[tuple[str, str]]: ...

    def efforts(self) -> Sequence[tuple[str, str]]: ...

    def theme_names(self) -> Sequence[tuple[str, str]]: ...


@dataclass(frozen=True, slots=True)
class Command:
    """``run`` gets the host and what was typed behind the name; ``choices`` what that may be, or
    ``paths`` that it is one. ``waits``: while a turn is on, it waits for its end."""

    name: str
    about: str
    run: Callable[[CommandHost, str], Awaitable[None]]
    argument: str = ""
    aliases: tuple[str, ...] = ()
    choices: Callable[[CommandHost], Sequence[tuple[str, str]]] | None = None
    paths: Literal["", "files", "folders"] = ""
    waits: bool = False

    @property
    def usage(self) -> str:
        """As help shows it: ``/model [name]``."""
        return f"/{self.name} {self.argument}".rstrip()


COMMANDS: tuple[Command, ...] = (
    Command("help", "keys and commands", lambda host, _: host.show_help()),
    Command(
        "branch",
        "go on in a copy; this session stays as it is",
        lambda host, title: host.sessions.branch(title),
        "[name]",
        waits=True,
    ),
    Command(
        "clear",
        "begin a new session; the old one can be resumed",
        lambda host, title: host.sessions.clear(title),
        "[name]",
        aliases=("reset", "new"),
    ),
    Command(
        "compact",
        "put a summary in the place of the conversation",
        lambda host, focus: host.sessions.compact(focus),
        "[focus]",
        waits=True,
    ),
    Command(
        "copy",
        "copy the last answer, or one of its code blocks",
        lambda host, number: host.copy_answer(number),
        "[N]",
    ),
    Command(
        "effort",
        "how much the model thinks",
        lambda host, level: host.choose_effort(level),
        "[level]",
        choices=lambda host: host.efforts(),
    ),
    Command(
        "export",
        "the conversation as Markdown or JSON",
        lambda host, file: host.sessions.export(file),
        "[file]",
        paths="files",
    ),
    Command(
        "keybindings",
        "edit keybindings.json",
        lambda host, _: host.edit_keybindings(),
    ),
    Command("keys", "what the terminal really sends", lambda host, _: host.show_keys()),
    Command(
        "model",
        "choose the model",
        lambda host, name: host.choose_model(name),
        "[name]",
        choices=lambda host: host.models(),
    ),
    Command(
        "rename",
        "name this session",
        lambda host, title: host.sessions.rename(title),
        "[name]",
    ),
    Command(
        "resume",
        "go on with an earlier session",
        lambda host, wanted: host.sessions.resume(wanted),
        "[id|title|search]",
        aliases=("continue",),
        choices=lambda host: host.sessions.titles(),
    ),
    Command(
        "rewind",
        "go back to an earlier prompt: conversation, files or both",
        lambda host, _: host.sessions.rewind(),
        aliases=("checkpoint", "undo"),
    ),
    Command(
        "theme",
        "choose the colours",
        lambda host, name: host.choose_theme(name),
        "[name]",
        choices=lambda host: host.theme_names(),
    ),
    Command(
        "tree", "the whole session, all its branches", lambda host, _: host.sessions.show_tree()
    ),
    Command("exit", "leave", lambda host, _: host.leave(), aliases=("quit",)),
)


def is_command(text: str) -> bool:
    """Is this prompt a command rather than a path or prose that begins with a slash? Pure."""
    name = text[1:].split(maxsplit=1)[0] if text.startswith("/") and text[1:].strip() else ""
    return bool(name) and "/" not in name and text[1] != " " and text[1] != "/"


def find_command(text: str) -> tuple[Command | None, str, str]:
    """Command, argument, and a line of error where there is no such command. Pure."""
    name, _, argument = text[1:].strip().partition(" ")
    for command in COMMANDS:
        if name.lower() in {command.name, *command.aliases}:
            return command, argument.strip(), ""
    from difflib import get_close_matches

    known = [name for command in COMMANDS for name in (command.name, *command.aliases)]
    near = get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    advice = f"did you mean /{near[0]}?" if near else "/help lists what there is"
    return None, "", f"Unknown command /{name}; {advice}"
