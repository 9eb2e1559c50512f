"""Opening sheets over the conversation, which ends above them meanwhile."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentcli.frontends.tui.app import AgentApp
    from agentcli.frontends.tui.screens.sheet import ResultT, Sheet
    from agentcli.protocol.asks import AskReply, AskRequest


class Deck:
    """The sheets of one window."""

    def __init__(self, app: "AgentApp") -> None:
        self._app = app
        self._below = 0
        """Rows of composer and status line, which a sheet covers anyway."""

    def open(
        self, sheet: "Sheet[ResultT]", answer: "Callable[[ResultT | None], None] | None" = None
    ) -> None:
        """Show *sheet*; *answer* gets its result when it closes."""

        if len(self._app.screen_stack) == 1:
            self._below = self._app.size.height - self._app.transcript.region.bottom

        def closed(result: "ResultT | None") -> None:
            self._app.transcript.styles.margin = 0
            if answer is not None:
                answer(result)

        self._app.push_screen(sheet, closed)

    async def ask(self, sheet: "Sheet[ResultT]") -> "ResultT | None":
        """Show *sheet* and wait for its result: for workers, never for what handles a key."""
        answer: asyncio.Future[ResultT | None] = asyncio.get_running_loop().create_future()
        self.open(sheet, lambda result: None if answer.done() else answer.set_result(result))
        return await answer

    def make_room(self, height: int) -> None:
        """The sheet on top covers *height* rows: end the transcript above them."""
        bottom = max(0, height - self._below) if len(self._app.screen_stack) > 1 else 0
        self._app.transcript.styles.margin = (0, 0, bottom, 0)

    def question(
        self, request: "AskRequest", answer: "Callable[[AskReply | None], None]"
    ) -> "Sheet[AskReply | None]":
        """Ask the person; the sheet is handed back so that it can be withdrawn."""
        from agentcli.frontends.tui.screens.approve import ApproveScreen

        cwd = self._app.conversation.cwd
        sheet = ApproveScreen(request, self._app.look, cwd, self._app.user_home)
        sheet.pass_on = self._app.composer.post_message
        self.open(sheet, answer)
        return sheet
