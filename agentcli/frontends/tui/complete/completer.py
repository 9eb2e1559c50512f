"""Ties text, sources and menu together: what to offer while the person types, and taking it."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from agentcli.frontends.tui.complete.candidate import Candidate, Edit
from agentcli.frontends.tui.complete.commands import CommandInfo, match_choices, match_commands
from agentcli.frontends.tui.complete.menu import CompletionMenu
from agentcli.frontends.tui.complete.paths import PathSource
from agentcli.frontends.tui.complete.shell import match_lines, shell_paths
from agentcli.frontends.tui.complete.token import Token, token_at

_AGAIN = 0.1
"""Seconds between two looks at a listing that grows."""


@dataclass(slots=True)
class Sources:
    """Where candidates come from. The callables are asked each time and must be quick.

    ``shell_lines``: earlier shell lines, newest first; called in a thread. ``place``: width of the
    window and the rows below the menu.
    """

    root: Callable[[], Path]
    home: Path
    place: Callable[[], tuple[int, int]]
    commands: Callable[[], Sequence[CommandInfo]] = field(default=lambda: ())
    shell_lines: Callable[[], Sequence[str]] = field(default=lambda: ())


class Completer:
    """Completion of one composer. *apply* carries out an edit in it.

    Call ``update`` after every change of the text or the cursor. Nothing here blocks or raises.
    """

    def __init__(
        self, menu: CompletionMenu, sources: Sources, apply: Callable[[Edit], None]
    ) -> None:
        self._menu = menu
        self._sources = sources
        self._apply = apply
        self._paths = PathSource(sources.root, sources.home, self._more)
        self._text, self._cursor, self._shell = "", 0, False
        self._token: Token | None = None
        self._dismissed: tuple[str, int] | None = None
        self._held: str | None = None
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        menu.on_take = self._clicked

    @property
    def is_open(self) -> bool:
        """Is the menu on the screen?"""
        return self._menu.is_open

    def update(self, text: str, cursor: int, shell: bool = False) -> None:
        """The composer holds *text* now. Opens the menu only when the text changed; a mere move of
        the cursor at most closes it."""
        changed = text != self._text
        if not changed and (cursor, shell) == (self._cursor, self._shell):
            return
        was = _place(self._token)
        self._text, self._cursor, self._shell = text, cursor, shell
        if text == self._held:
            self.close()
            return
        self._held = None
        token = token_at(text, cursor, shell)
        if _place(token) != self._dismissed:
            self._dismissed = None
        stays = changed or (self.is_open and _place(token) == was)
        if token is None or token.kind == "shell" or self._dismissed or not stays:
            self.close()
            return
        self._offer(token)

    def hold(self, text: str) -> None:
        """The window itself put *text* there: offer nothing until it is changed."""
        self._held = text
        self.close()

    def close(self) -> None:
        """Take the menu away; it may come back with the next letter."""
        self._token = None
        self._stop()
        if self._menu.is_open:
            self._menu.close()

    def escape(self) -> bool:
        """Esc: dismiss the menu for this token. False if there was none."""
        if not self.is_open:
            return False
        self._dismissed = _place(token_at(self._text, self._cursor, self._shell))
        self.close()
        return True

    def move(self, step: int) -> bool:
        """Up or down in the menu. False if there was none."""
        if not self.is_open:
            return False
        self._menu.move(step)
        return True

    def enter(self, text: str) -> bool:
        """Enter: take what is chosen. False if nothing is offered for *text*, as it is now."""
        return text == self._text and self._take(enter=True)

    def tab(self, text: str, cursor: int, shell: bool = False) -> bool:
        """Tab: take what is chosen, else offer what there is; in shell mode a single candidate is
        taken at once. False if nothing can be completed here."""
        if text == self._text and self._take(enter=False):
            return True
        self._text, self._cursor, self._shell = text, cursor, shell
        self._held = self._dismissed = None
        token = token_at(text, cursor, shell)
        if token is None:
            return False
        self._offer(token, asked=True)
        return True

    async def aclose(self) -> None:
        """Stop all background work."""
        self._stop()
        await self._paths.aclose()

    # finding

    def _offer(self, token: Token, asked: bool = False) -> None:
        self._stop()
        self._token = token
        if token.kind == "mention":
            self._offer_paths(token, asked)
        elif token.kind == "command":
            rows = match_commands(self._sources.commands(), token)
            self._show(rows, len(rows))
        elif token.kind == "argument":
            self._offer_argument(token)
        else:
            self._start(lambda: self._find_shell(token))

    def _offer_paths(self, token: Token, asked: bool) -> None:
        quick = self._paths.quick(token, asked)
        if quick is not None:
            more = self._paths.wants_more(token, quick[1])
            self._show(*quick, settled=not more)
            if not more:
                return
        self._start(lambda: self._find_paths(token, asked))

    async def _find_paths(self, token: Token, asked: bool) -> None:
        rows, total = await self._paths.find(token, asked)
        self._show(rows, total, settled=not (rows and self._paths.building))

    def _offer_argument(self, token: Token) -> None:
        for command in self._sources.commands():
            if token.command not in (command.name, *command.aliases):
                continue
            if command.choices is not None:
                rows = match_choices(command.choices(), token)
                self._show(rows, len(rows))
                return
            if command.paths:
                self._start(partial(self._find_names, token, command.paths == "folders"))
                return
        self.close()

    async def _find_names(self, token: Token, only_folders: bool) -> None:
        rows = await self._paths.names(token, only_folders)
        self._show(rows, len(rows))

    async def _find_shell(self, token: Token) -> None:
        root, sources = self._sources.root(), self._sources

        def find() -> list[Candidate]:
            lines = match_lines(sources.shell_lines(), token)
            return lines + shell_paths(token, root, sources.home)

        rows = await asyncio.to_thread(find)
        if len(rows) == 1:
            self.close()
            self._apply(rows[0].edit(self._text))
        else:
            self._show(rows, len(rows))

    def _more(self) -> None:
        """A listing has grown or is complete: look again, but not too often."""
        if self._token is None or self._token.kind != "mention" or self._timer is not None:
            return
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(_AGAIN if self._paths.building else 0, self._look_again)

    def _look_again(self) -> None:
        self._timer = None
        if self._token is not None and self._token.kind == "mention":
            self._offer(self._token)

    # showing and taking

    def _show(self, rows: Sequence[Candidate], total: int, settled: bool = True) -> None:
        if rows or (self._menu.is_open and settled):
            width, below = self._sources.place()
            self._menu.offer(rows, width, below, self._text, total, settled)

    def _take(self, enter: bool) -> bool:
        if not self._menu.offers(self._text):
            return False
        edit = self._menu.candidate.edit(self._text, enter)
        self.close()
        self._apply(edit)
        return True

    def _clicked(self) -> None:
        if self._menu.offers(self._text):
            chosen = replace(self._menu.candidate, runs=False)
            self.close()
            self._apply(chosen.edit(self._text))

    def _start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._task = asyncio.create_task(_quietly(work))

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


async def _quietly(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    # a completion that cannot be made (a folder that vanished) is no reason to say anything
    with contextlib.suppress(OSError):
        await work()


def _place(token: Token | None) -> tuple[str, int] | None:
    return (token.kind, token.start) if token is not None else None
