"""Prompts typed while a run is on: delivered after the running tool batch, or as the next run."""

from collections import deque

from agentcli.engine.bus import EventBus
from agentcli.protocol.blocks import Block, text_of
from agentcli.protocol.events import StateChanged

Prompt = str | list[Block]


class Inbox:
    """The queue; every change is told as ``StateChanged("queue", tuple of texts)``."""

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus
        self._waiting: deque[Prompt] = deque()

    def add(self, prompt: Prompt) -> None:
        """Queue a prompt behind the others."""
        self._waiting.append(prompt)
        self._tell()

    def take(self) -> Prompt | None:
        """The oldest prompt, or None."""
        if not self._waiting:
            return None
        prompt = self._waiting.popleft()
        self._tell()
        return prompt

    def take_back(self) -> str | None:
        """The newest prompt as text, to be edited again, or None."""
        if not self._waiting:
            return None
        prompt = self._waiting.pop()
        self._tell()
        return prompt if isinstance(prompt, str) else text_of(prompt)

    def texts(self) -> tuple[str, ...]:
        """What waits, oldest first."""
        return tuple(p if isinstance(p, str) else text_of(p) for p in self._waiting)

    def _tell(self) -> None:
        self._bus.emit(StateChanged("queue", self.texts()))
