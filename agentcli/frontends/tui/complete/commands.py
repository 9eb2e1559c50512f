"""Which commands a typed beginning means, and what their arguments may be."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from agentcli.frontends.tui.complete.candidate import Candidate
from agentcli.frontends.tui.complete.fuzzy import marks, score
from agentcli.frontends.tui.complete.token import Token

_IGNORED = re.compile(r"[:_\-]+")

Choices = Callable[[], Sequence[tuple[str, str]]]
"""Gives the values that an argument may have, each with a line about it; must be quick."""


@dataclass(frozen=True, slots=True)
class CommandInfo:
    """What completion knows of a command. ``argument`` is its hint: ``[name]``, or ``<name>``
    where the command needs one. ``paths``: its argument is a path."""

    name: str
    about: str
    argument: str = ""
    aliases: tuple[str, ...] = ()
    choices: Choices | None = None
    paths: Literal["", "files", "folders"] = ""


def match_commands(commands: Sequence[CommandInfo], token: Token) -> list[Candidate]:
    """Commands whose name or alias begins with the query, or has a word that does. Pure.

    ``:``, ``_`` and ``-`` do not count. The whole name comes first, then beginnings, then words;
    otherwise the order of *commands* stays.
    """
    query = _plain(token.query)
    if token.query and not query:
        return []
    ranked: list[tuple[int, int, Candidate]] = []
    for order, command in enumerate(commands):
        names = (command.name, *command.aliases)
        # of two that fit alike, a name comes before an alias
        ranks = [(_rank(name, query), place > 0, place) for place, name in enumerate(names)]
        rank, is_alias, place = min(ranks)
        if rank < _NONE:
            candidate = _candidate(command, token, names[place] if is_alias else "")
            ranked.append((2 * rank + is_alias, order, candidate))
    return [candidate for _, _, candidate in sorted(ranked, key=lambda item: item[:2])]


def match_choices(choices: Sequence[tuple[str, str]], token: Token) -> list[Candidate]:
    """Values of an argument that fit the query, best first; none if it is whole already. Pure."""
    query = token.query.strip().lower()
    if any(value.lower() == query for value, _ in choices):
        return []
    ranked: list[tuple[int, int, Candidate]] = []
    for order, (value, about) in enumerate(choices):
        rank = score(query, value.lower(), 0) if query else 1
        if rank:
            spots = marks(query, value)
            ranked.append(
                (
                    -rank,
                    order,
                    Candidate(
                        value, value, about, spots, "choice", token.start, token.end, runs=True
                    ),
                )
            )
    return [candidate for _, _, candidate in sorted(ranked, key=lambda item: item[:2])]


_NONE = 9


def _rank(name: str, query: str) -> int:
    plain = _plain(name)
    if plain == query:
        return 0
    if plain.startswith(query):
        return 1
    words = _IGNORED.split(name.lower())
    behind = ("".join(words[at:]) for at in range(1, len(words)))
    return 2 if any(rest.startswith(query) for rest in behind) else _NONE


def _plain(name: str) -> str:
    return _IGNORED.sub("", name.lower())


def _candidate(command: CommandInfo, token: Token, alias: str) -> Candidate:
    label = f"/{command.name}"
    spots = tuple(1 + spot for spot in _name_marks(command.name, token.query))
    if alias:
        label += f" ({alias})"
        spots = tuple(len(command.name) + 3 + spot for spot in _name_marks(alias, token.query))
    if command.argument:
        label += f" {command.argument}"
    return Candidate(
        value=f"/{command.name}",
        label=label,
        about=command.about,
        marks=spots,
        kind="command",
        start=token.start,
        end=token.end,
        runs=not command.argument.startswith("<"),
    )


def _name_marks(name: str, query: str) -> list[int]:
    """Indexes of *name* that the query stands for, at its beginning or that of a word."""
    letters = [at for at, char in enumerate(name) if not _IGNORED.fullmatch(char)]
    plain, wanted = _plain(name), _plain(query)
    for first, at in enumerate(letters):
        if (at == 0 or _IGNORED.fullmatch(name[at - 1])) and plain.startswith(wanted, first):
            return letters[first : first + len(wanted)]
    return []
