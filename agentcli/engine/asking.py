"""One question at a time: the port to the person, and the queue before it."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from agentcli.engine.bus import EventBus
from agentcli.protocol.asks import AnswerSource, AskReply, AskRequest
from agentcli.protocol.events import Answered, Asked
from agentcli.protocol.ids import new_uuid


class Asker(Protocol):
    """Answers questions: a person in a window, a policy, a program on the other end."""

    source: AnswerSource

    async def ask(self, ask_id: str, request: AskRequest) -> AskReply:
        """Answer, as long as it takes. Cancelled = the question is withdrawn: take it off the
        screen and let the cancel go on. Raises nothing else."""
        ...


class Asking:
    """Puts questions one by one, each decided again when its turn comes."""

    def __init__(self, bus: EventBus, asker: Asker) -> None:
        self._bus = bus
        self._asker = asker
        self._turn = asyncio.Lock()

    async def put(self, build: Callable[[], AskRequest | None]) -> AskReply | None:
        """Ask what *build* returns, once no other question stands; None: nothing is left to ask.

        *build* runs when the turn has come, so an "always" given to the question before counts.
        Raises only CancelledError, after the question was withdrawn.
        """
        async with self._turn:
            request = build()
            if request is None:
                return None
            ask_id = new_uuid()
            self._bus.emit(Asked(ask_id, request))
            reply: AskReply | None = None
            try:
                reply = await self._asker.ask(ask_id, request)
            finally:
                self._bus.emit(Answered(ask_id, reply, self._asker.source))
            return reply
