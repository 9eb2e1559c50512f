"""An asker with prepared answers."""

import asyncio
from collections.abc import Callable

from agentcli.protocol.asks import Allow, AnswerSource, AskReply, AskRequest

Answer = AskReply | Callable[[AskRequest], AskReply]


class ScriptedAsker:
    """Answers in order, then allows; keeps the questions. ``hang`` waits until it is cancelled."""

    source: AnswerSource = "user"

    def __init__(self, *answers: Answer, hang: bool = False) -> None:
        self.asked: list[AskRequest] = []
        self.withdrawn = 0
        self.standing = 0
        self.most_standing = 0
        self._answers = list(answers)
        self._hang = hang

    async def ask(self, ask_id: str, request: AskRequest) -> AskReply:
        self.asked.append(request)
        self.standing += 1
        self.most_standing = max(self.most_standing, self.standing)
        try:
            await asyncio.sleep(0.01)
            if self._hang:
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.withdrawn += 1
            raise
        finally:
            self.standing -= 1
        answer = self._answers.pop(0) if self._answers else Allow()
        return answer(request) if callable(answer) else answer
