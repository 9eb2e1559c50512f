"""What the commands about sessions do: leave, find, name, copy and shorten a conversation."""

import asyncio
import os
import shlex
from collections.abc import Awaitable, Sequence
from time import monotonic, time
from typing import TYPE_CHECKING

from agentcli.base.git_facts import read_branch
from agentcli.base.text import one_line
from agentcli.frontends.tui.paths import short_path
from agentcli.frontends.tui.screens.key_choice import KeyChoice
from agentcli.protocol.errors import AgentCliError, SessionBusy
from agentcli.protocol.events import HistoryChanged
from agentcli.protocol.history import SessionInfo
from agentcli.protocol.ids import is_uuid

if TYPE_CHECKING:
    from pathlib import Path

    from agentcli.frontends.tui.app import AgentApp
    from agentcli.frontends.tui.conversation import MakeEngine
    from agentcli.frontends.tui.port import CatalogPort, EnginePort
    from agentcli.frontends.tui.screens.resume import Place

_TITLES = 100
_TITLE_CHARS = 70
_STALE = 10.0
"""Seconds after which the titles that completion offers are read again."""
_LEFT = "new session; the one before is kept: /resume, or the first row of /rewind"
_BRANCHED = "this is a copy to go on in; the session before is as it was: /resume"


class SessionCommands:
    """Belongs to one window. What fails is one line, and the conversation is as it was."""

    def __init__(self, app: "AgentApp") -> None:
        self._app = app
        self._titles: list[tuple[str, str]] = []
        self._titles_at = -_STALE

    # this conversation

    async def clear(self, title: str) -> None:
        """A new session, named *title* where it is given."""
        if (engine := self._engine()) is not None:
            self._app.sending.drop_waiting()
            await self._try(engine.history.clear(title))

    async def compact(self, focus: str) -> None:
        """Put a summary in the conversation's place, with an eye on *focus*."""
        if (engine := self._engine()) is not None:
            await self.shorten(engine, engine.history.compact(focus))

    async def shorten(self, engine: "EnginePort", doing: Awaitable[object]) -> None:
        """Wait for *doing*, which makes a summary; then what waited for it is run."""
        try:
            await self._try(doing)
        finally:
            if not engine.running:
                self._app.status.tell(phase="", retry_at=0.0, tokens=0)
        self._app.show_state()
        await self._app.sending.run_waiting()

    async def branch(self, title: str) -> None:
        """Go on in a copy."""
        if (engine := self._engine()) is not None:
            await self._try(engine.history.branch(title))

    async def rename(self, title: str) -> None:
        """Name the session; without *title* ask for one."""
        if (engine := self._engine()) is None:
            return
        from agentcli.frontends.tui.screens.line import LineScreen

        name: str | None = title
        if not name:
            now = engine.history.title
            name = await self._app.deck.ask(
                LineScreen(self._app.look, "rename", now, "rename", "a name for this session")
            )
            if not name or name == now:
                return
        try:
            engine.history.rename(name)
        except AgentCliError as error:
            self._app.say("error", error.message)
            return
        self._app.show_state()
        self._app.composer.hint(f"this session is “{engine.history.title}” now")

    async def export(self, file: str) -> None:
        """Copy the conversation or write it to a file."""
        if (engine := self._engine()) is not None:
            from agentcli.frontends.tui.exporting import export

            await self._try(export(self._app, engine, file))

    async def rewind(self) -> None:
        """Go back to a prompt."""
        from agentcli.frontends.tui.screens.rewind import open_rewind

        open_rewind(self._app)

    async def show_tree(self) -> None:
        """Walk through the session."""
        from agentcli.frontends.tui.screens.tree import open_tree

        open_tree(self._app)

    # other sessions

    def begin(self, query: str, *, fork: bool = False) -> None:
        """Let the person choose a session at the start."""
        self._app.run_worker(self.resume(query, fork=fork), group="command")

    async def resume(self, wanted: str, *, fork: bool = False) -> None:
        """Go on with the session whose id or title is *wanted*, or with one chosen from a list;
        with *fork* in a copy of it."""
        if (engine := self._engine()) is None:
            return
        if wanted:
            try:
                found = await asyncio.to_thread(find_exactly, engine.catalog, wanted)
            except (AgentCliError, OSError):
                found = None  # the list says it
            if found is not None:
                await self._take(engine, found, fork)
                return
        from agentcli.frontends.tui.screens.resume import ResumeScreen

        sought = (wanted, False)
        while True:
            place = await self._place(engine)
            sheet = ResumeScreen(self._app.look, engine.catalog, place, *sought)
            chosen = await self._app.deck.ask(sheet)
            sought = sheet.sought
            if chosen is None or await self._take(engine, chosen, fork):
                return

    async def _take(self, engine: "EnginePort", info: SessionInfo, fork: bool) -> bool:
        """Go on with *info*; one of another folder only after a question, since the tools stay
        here. False: the person wants to choose again."""
        app, here = self._app, str(engine.project_dir)
        if info.cwd and not await asyncio.to_thread(_same_folder, info.cwd, here):
            there, home = one_line(info.cwd, 400), app.user_home
            text = (
                f"this session worked in {short_path(there, home)}; "
                f"here the tools work in {short_path(here, home)}"
            )
            ways = [("g", "go on here"), ("c", "copy the command that goes on there")]
            match await app.deck.ask(KeyChoice(app.look, "session of another folder", text, ways)):
                case "g":
                    pass
                case "c":
                    flag = " --fork-session" if fork else ""
                    app.copy(f"cd {shlex.quote(info.cwd)} && agentcli --resume {info.id}{flag}")
                    return True
                case _:
                    return False
        return await self.go_on(engine, info.file, fork=fork)

    async def _place(self, engine: "EnginePort") -> "Place":
        from agentcli.frontends.tui.screens.resume import Place

        def rename(title: str) -> None:
            engine.history.rename(title)
            self._app.show_state()

        branch = await asyncio.to_thread(read_branch, engine.cwd)
        return Place(engine.session_id, branch or "", self._app.user_home, rename)

    async def go_on(self, engine: "EnginePort", file: "Path", *, fork: bool = False) -> bool:
        """Go on with the session *file*, or (*fork*) with a copy. False: the person wants to choose
        again."""
        if file == engine.transcript_path:
            self._app.composer.hint("this is the session that you are in")
            return True
        self._app.sending.drop_waiting()
        try:
            await engine.history.resume(file, fork=fork)
        except SessionBusy as error:
            match await self._ask_busy(error.message):
                case "f":
                    await self._try(engine.history.resume(file, fork=True))
                case "n":
                    await self._try(engine.history.clear())
                case _:
                    return False
        except AgentCliError as error:
            self._app.say("error", error.message)
        return True

    async def in_use(self, error: SessionBusy) -> "MakeEngine | None":
        """How to go on at the start, where the session that was asked for is in use."""
        options = self._app.options
        ways = {"f": options.fork_engine, "n": options.new_engine}
        offered = "".join(key for key, make in ways.items() if make is not None)
        chosen = await self._ask_busy(error.message, offered) if offered else None
        return ways.get(chosen or "")

    async def _ask_busy(self, message: str, offered: str = "fn") -> str | None:
        ways = [("f", "fork it: go on in a copy"), ("n", "new session")]
        keys = [way for way in ways if way[0] in offered]
        title, text = "open in another agentcli", message.partition("; ")[0]  # the keys advise
        return await self._app.deck.ask(KeyChoice(self._app.look, title, text, keys))

    def titles(self) -> Sequence[tuple[str, str]]:
        """Titles of this project's sessions as they were known lately; read anew behind it."""
        engine = self._app.conversation.engine
        if engine is not None and monotonic() - self._titles_at > _STALE:
            self._titles_at = monotonic()
            self._app.run_worker(self._read_titles(engine), group="titles", exclusive=True)
        return self._titles

    async def _read_titles(self, engine: "EnginePort") -> None:
        try:
            infos = await asyncio.to_thread(engine.catalog.list)
        except (AgentCliError, OSError):
            return  # completion is no place for errors
        from agentcli.frontends.tui.screens.history_match import age
        from agentcli.frontends.tui.screens.session_list import typed_in

        now, known = time(), dict[str, str]()
        for info in typed_in(infos):
            title = info.title.strip()
            fits = title and len(title) <= _TITLE_CHARS and title.isprintable()
            if fits and info.id != engine.session_id:
                known.setdefault(title, " ".join([age(info.modified, now), info.branch]).strip())
        self._titles = list(known.items())[:_TITLES]
        if self._app.equipment is not None:
            self._app.equipment.complete()

    # what the engine tells

    def changed(self, event: HistoryChanged) -> None:
        """The conversation is another one: draw it anew."""
        app, engine = self._app, self._app.conversation.engine
        app.transcript.clear()
        app.greet()
        app.conversation.draw_history()
        if event.reason == "clear" and engine is not None and engine.history.previous is not None:
            app.say("info", _LEFT)
        elif event.reason == "branch":
            app.say("info", _BRANCHED)
        elif event.reason == "resume":
            app.sending.show_restored()
        if app.equipment is not None and event.reason != "rewind":
            app.equipment.new_session(event.reason == "resume")
        app.show_state()

    def _engine(self) -> "EnginePort | None":
        return self._app.host.engine()

    async def _try(self, doing: Awaitable[object]) -> None:
        try:
            await doing
        except AgentCliError as error:
            self._app.say("error", error.message)


def _same_folder(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def find_exactly(catalog: "CatalogPort", wanted: str) -> SessionInfo | None:
    """The one session of this project whose id or title is *wanted*, else the one of any project
    with that id. Raises what the catalog raises; blocks."""
    name = wanted.strip().lower()
    here = catalog.list()
    found = [info for info in here if name in {info.id.lower(), info.title.strip().lower()}]
    if not found and is_uuid(name):
        found = [info for info in catalog.list(everywhere=True) if info.id.lower() == name]
    return found[0] if len(found) == 1 else None
