"""Slash commands of the window: one registry for completion, help and running."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol


class CommandHost(Protocol):
    """What the commands work on: the app."""

    async def show_help(self) -> None: ...

    async def clear_conversation(self) -> None: ...

    async def choose_model(self, name: str) -> None: ...

    async def choose_theme(self, name: str) -> None: ...

    async def leave(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Command:
    """``run`` gets the host and what was typed behind the name."""

    name: str
    about: str
    run: Callable[[CommandHost, str], Awaitable[None]]
    argument: str = ""

    @property
    def usage(self) -> str:
        """As help shows it: ``/model [name]``."""
        return f"/{self.name} {self.argument}".rstrip()


COMMANDS: tuple[Command, ...] = (
    Command("help", "keys and commands", lambda host, _: host.show_help()),
    Command("clear", "begin a new conversation", lambda host, _: host.clear_conversation()),
    Command("model", "choose the model", lambda host, name: host.choose_model(name), "[name]"),
    Command("theme", "choose the colours", lambda host, name: host.choose_theme(name), "[name]"),
    Command("exit", "leave", lambda host, _: host.leave()),
    Command("quit", "leave", lambda host, _: host.leave()),
)


def matching_commands(text: str) -> list[tuple[str, str]]:
    """Completions (value, description) while *text* is a command being typed. Pure."""
    if not text.startswith("/") or any(char.isspace() for char in text):
        return []
    typed = text[1:].lower()
    return [(f"/{c.name}", c.about) for c in COMMANDS if c.name.startswith(typed)]


def is_command(text: str) -> bool:
    """Is this prompt a command rather than a path or prose that begins with a slash? Pure."""
    name = text[1:].split(maxsplit=1)[0] if text.startswith("/") and text[1:].strip() else ""
    return bool(name) and "/" not in name and text[1] != " " and text[1] != "/"


def find_command(text: str) -> tuple[Command | None, str, str]:
    """Command, argument, and a line of error where there is no such command. Pure."""
    name, _, argument = text[1:].strip().partition(" ")
    for command in COMMANDS:
        if command.name == name.lower():
            return command, argument.strip(), ""
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), [c.name for c in COMMANDS], n=1, cutoff=0.5)
    advice = f"did you mean /{near[0]}?" if near else "/help lists what there is"
    return None, "", f"Unknown command /{name}; {advice}"
