"""The engine's questions become sheets; a withdrawn question takes its sheet away."""

import asyncio
from collections.abc import Callable

from agentcli.frontends.tui.screens.sheet import Sheet
from agentcli.protocol.asks import AnswerSource, AskReply, AskRequest, Deny

Opener = Callable[[AskRequest, Callable[[AskReply | None], None]], Sheet[AskReply | None]]


class AskView:
    """The engine's Asker. One question stands at a time; the engine sees to that."""

    source: AnswerSource = "user"

    def __init__(self, open_sheet: Opener) -> None:
        self._open = open_sheet
        self._arrivals: dict[str, asyncio.Event] = {}

    def arrived(self, ask_id: str) -> None:
        """The ``Asked`` event came through the pump: all said before it is on screen."""
        self._arrivals.setdefault(ask_id, asyncio.Event()).set()

    async def ask(self, ask_id: str, request: AskRequest) -> AskReply:
        """Show the sheet and wait for the answer. Cancelled: the sheet vanishes."""
        try:
            await self._arrivals.setdefault(ask_id, asyncio.Event()).wait()
            answer: asyncio.Future[AskReply | None] = asyncio.get_running_loop().create_future()

            def settle(reply: AskReply | None) -> None:
                if not answer.done():
                    answer.set_result(reply)

            sheet = self._open(request, settle)
            try:
                return await answer or Deny(stop_run=True)
            except asyncio.CancelledError:
                sheet.withdraw()
                raise
        finally:
            self._arrivals.pop(ask_id, None)
