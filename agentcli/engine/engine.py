"""The facade: what a front end can do with a conversation."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from agentcli.engine.bus import EventStream
from agentcli.engine.images import check_prompt
from agentcli.engine.parts import EngineParts
from agentcli.engine.stats import Stats
from agentcli.engine.turns import Turns
from agentcli.permissions.modes import next_mode
from agentcli.protocol.errors import ProviderError, UsageError
from agentcli.protocol.events import Event, Notice, RunResult, StateChanged
from agentcli.protocol.modes import PermissionMode
from agentcli.protocol.prompts import Prompt, Queued
from agentcli.provider.models import request_params, resolve_model
from agentcli.session.replay import replay

if TYPE_CHECKING:
    from agentcli.engine.history import History
    from agentcli.session.catalog import Catalog


class Engine:
    """One conversation. All methods are called from the event loop's own thread."""

    def __init__(self, parts: EngineParts) -> None:
        self._parts = parts
        self._turns = Turns(parts)
        self._history: History | None = None

    @property
    def cwd(self) -> Path:
        return self._parts.surroundings.cwd

    @property
    def project_dir(self) -> Path:
        """Where the session works from; the shell may stand elsewhere."""
        return self._parts.surroundings.start

    @property
    def added_dirs(self) -> tuple[Path, ...]:
        """The working directories besides the project's."""
        return tuple(map(Path, self._parts.gate.policy.roots[1:]))

    @property
    def home(self) -> Path:
        return self._parts.home

    @property
    def history(self) -> "History":
        """The conversation as something to leave, go back in, copy and shorten."""
        if self._history is None:
            from agentcli.engine.history import History

            self._history = History(self._parts, self._turns)
        return self._history

    @property
    def catalog(self) -> "Catalog":
        """The sessions of this folder, and of all others."""
        from agentcli.session.catalog import Catalog

        return Catalog(self._parts.home, self._parts.surroundings.start)

    @property
    def session_id(self) -> str:
        return self._parts.log.session_id

    @property
    def transcript_path(self) -> Path:
        """The session's file; there is none before the first prompt."""
        return self._parts.log.file

    @property
    def mode(self) -> PermissionMode:
        return self._parts.gate.mode

    @property
    def model(self) -> str:
        return self._parts.model.id

    @property
    def effort(self) -> str | None:
        """The effort that was chosen; None leaves it to the model."""
        return self._parts.effort

    @property
    def stats(self) -> Stats:
        return self._parts.stats

    @property
    def tool_names(self) -> tuple[str, ...]:
        """Names of the tools that the model sees."""
        return self._parts.tool_names

    @property
    def key_source(self) -> str:
        """Where the credentials come from (never what they are)."""
        return self._parts.transport.endpoint.key_source or "none"

    @property
    def unsaved(self) -> int:
        """Session entries that the disk has not taken."""
        return self._parts.log.unsaved

    @property
    def running(self) -> bool:
        return self._turns.running

    def subscribe(self, *, wants_raw: bool = False) -> EventStream:
        """A stream of all events from now on."""
        return self._parts.bus.subscribe(wants_raw=wants_raw)

    async def prompt(self, content: Prompt) -> RunResult | None:
        """Run a prompt to its end, then what was queued meanwhile; the last result.

        While a run is on, the prompt is queued and None is returned. Raises UsageError, before
        anything is logged, for an empty prompt or an image that cannot be sent; CancelledError
        only for an outside cancel; and whatever is a bug. The log is whole in every case.
        """
        check_prompt(content)
        return await self._turns.submit(Queued(content))

    async def shell(self, command: str) -> RunResult | None:
        """Run a shell command of the person's own, without model and permission; its output is
        context, and the model answers it where the settings do not say otherwise.

        While a run is on, the command waits for its end and None is returned. Raises as ``prompt``
        does.
        """
        if not command.strip():
            raise UsageError("There is no command to run.")
        return await self._turns.submit(Queued(command, shell=True))

    def interrupt(self) -> bool:
        """Stop the run; what was done so far is kept. True if there was one. Harmless twice."""
        return self._turns.runner.interrupt()

    def queued(self) -> tuple[Queued, ...]:
        """What waits for its turn, oldest first."""
        return self._parts.inbox.items()

    def take_back(self) -> Queued | None:
        """The newest of what is queued, to be edited again."""
        return self._parts.inbox.take_back()

    def remove(self, index: int) -> Queued | None:
        """Take what is queued at *index* of ``queued()`` out; None if it is gone by now."""
        return self._parts.inbox.remove(index)

    def set_mode(self, mode: PermissionMode) -> None:
        """Change the permission mode. Raises UsageError where bypassPermissions is not enabled."""
        self._parts.gate.set_mode(mode)

    def cycle_mode(self) -> PermissionMode:
        """Go to the next mode of the Shift+Tab cycle and return it."""
        gate = self._parts.gate
        gate.set_mode(next_mode(gate.mode, gate.bypass_enabled))
        return gate.mode

    def set_model(self, name: str) -> None:
        """Use another model from the next request on. Raises UsageError for an unknown one."""
        self._parts.model = resolve_model(name)
        self._parts.stats.context_window = self._parts.model.window
        self._parts.bus.emit(StateChanged("model", self._parts.model.id))

    def set_effort(self, level: str | None) -> None:
        """Think more or less from the next request on; None leaves it to the model.

        A level above what the model has is lowered. Raises UsageError for an unknown one."""
        request_params(self._parts.model, level, None)
        self._parts.effort = level
        self._parts.bus.emit(StateChanged("effort", level))

    async def warm_up(self) -> None:
        """Open the connection to the model ahead of the first prompt. Raises only CancelledError:
        what is wrong is told when a prompt needs it."""
        with contextlib.suppress(ProviderError):
            await self._parts.transport.warm_up()

    @property
    def load_problem(self) -> str | None:
        """One line about what could not be read when the session was resumed, or None."""
        log = self._parts.log
        if not log.bad_lines:
            return None
        lines = "1 line" if log.bad_lines == 1 else f"{log.bad_lines} lines"
        return f"{lines} of {log.file} cannot be read and are left as they are; all else is here."

    def replay(self) -> list[Event]:
        """The events that draw the conversation as it is."""
        events = list(replay(self._parts.log.path()))
        if self.load_problem:
            events.append(Notice("warning", self.load_problem))
        return events

    async def aclose(self) -> None:
        """Stop, write what waits, give the file back, close the connection. Idempotent."""
        await self._turns.stop()
        self._parts.log.close()
        await self._parts.transport.aclose()
        self._parts.bus.close()
