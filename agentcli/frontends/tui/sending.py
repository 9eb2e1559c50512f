"""From the composer to the engine: what is sent, what waits, what comes back."""

from typing import TYPE_CHECKING

from agentcli.protocol.prompts import Queued

if TYPE_CHECKING:
    from agentcli.frontends.tui.app import AgentApp
    from agentcli.frontends.tui.composer.area import Composer


class Sending:
    """Belongs to one window. Nothing that was sent is lost: what is refused comes back."""

    def __init__(self, app: "AgentApp") -> None:
        self._app = app
        self.commands: list[str] = []
        """Commands that are run when the turn is over."""

    def submitted(self, event: "Composer.Submitted") -> None:
        """The person pressed Enter."""
        from agentcli.frontends.tui.slash import is_command

        app = self._app
        if app.equipment is not None:
            app.equipment.sent(event)
        if not event.shell and is_command(event.text):
            app.run_worker(app.host.run(event.text), group="command")
        else:
            self.send(Queued(event.content, event.shell))

    def send(self, item: Queued) -> None:
        """Run *item*, or queue it behind the running turn."""
        conversation = self._app.conversation
        if conversation.failure:
            self._refuse(item, conversation.failure)
            return
        self._app.run_worker(self._run(item), group="run")
        if conversation.engine is None:
            self._show_early(item)

    async def _run(self, item: Queued) -> None:
        if problem := await self._app.conversation.send(item):
            self._refuse(item, problem)
        await self.run_waiting()

    def wait(self, command: str) -> None:
        """Run *command* when the turn, and what is queued behind it, is over."""
        self.commands.append(command)
        self._show_waiting()

    def drop_waiting(self) -> None:
        """The commands that wait were meant for another conversation."""
        if self.commands:
            self.commands.clear()
            self._show_waiting()

    async def run_waiting(self) -> None:
        """Run the commands that wait, unless something still runs."""
        while self.commands and not self._app.conversation.running:
            command = self.commands.pop(0)
            self._show_waiting()
            await self._app.host.run(command)

    def _refuse(self, item: Queued, problem: str) -> None:
        self._app.say("error", problem)
        self._app.composer.take_queued(item)

    def take_back(self) -> None:
        """What was queued last goes back into the composer."""
        conversation = self._app.conversation
        if self.commands:
            self._app.composer.put(self.commands.pop())
            self._show_waiting()
            return
        if (item := conversation.take_back()) is not None:
            self._app.composer.take_queued(item)
            if conversation.engine is None:
                self._show_early()

    def show_restored(self) -> None:
        """Show what still waited when the session was left, and say when it will be sent."""
        self._show_waiting()
        engine = self._app.conversation.engine
        if engine is not None and (count := len(engine.queued())):
            what = "1 prompt was" if count == 1 else f"{count:,} prompts were"
            how = "it follows" if count == 1 else "they follow"
            self._app.say("info", f"{what} still waiting; {how} your next one, ↑ takes back")

    def _show_waiting(self) -> None:
        engine = self._app.conversation.engine
        queued = engine.queued() if engine is not None else ()
        self._app.show_queue(tuple(item.label for item in queued))

    def _show_early(self, *more: Queued) -> None:
        waiting = (*self._app.conversation.early, *more)
        self._app.show_queue(tuple(item.label for item in waiting))
