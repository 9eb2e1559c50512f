"""What was sent while a run is on: delivered after the running tool batch, or as the next run."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from agentcli.engine.bus import EventBus
from agentcli.protocol.events import StateChanged
from agentcli.protocol.prompts import Prompt, Queued
from agentcli.session.queue import dequeued, enqueued


class Inbox:
    """The queue; every change is told as ``StateChanged("queue", tuple of labels)`` and noted in
    the session through *note*."""

    def __init__(self, bus: EventBus, note: Callable[[dict[str, Any]], None]) -> None:
        self._bus = bus
        self._note = note
        self._waiting: deque[Queued] = deque()
        self._taken = 0
        """Items that are out, but not in the conversation yet."""

    def add(self, item: Queued) -> None:
        """Queue *item* behind the others."""
        self._waiting.append(item)
        self._note(enqueued(item))
        self._tell()

    def restore(self, items: Sequence[Queued]) -> None:
        """Another session takes over: what waited in that one waits again."""
        if items or self._waiting:
            self._waiting, self._taken = deque(items), 0
            self._tell()

    def take(self) -> Queued | None:
        """The oldest item, or None. The session file lets go of it when it is ``logged``: a kill
        in between must not lose it."""
        if not self._waiting:
            return None
        item = self._waiting.popleft()
        self._taken += 1
        self._tell()
        return item

    def logged(self) -> None:
        """What was taken is in the conversation now."""
        taken, self._taken = self._taken, 0
        for _ in range(taken):
            self._note(dequeued(0))

    def take_prompt(self) -> Prompt | None:
        """The oldest item where that is a prompt: a shell command, and what was sent after it,
        waits for the end of the run."""
        if not self._waiting or self._waiting[0].shell:
            return None
        item = self.take()
        return item.content if item is not None else None

    def take_back(self) -> Queued | None:
        """The newest item, to be edited again, or None."""
        return self.remove(len(self._waiting) - 1)

    def remove(self, index: int) -> Queued | None:
        """Take the item at *index* (0 is the oldest) out; None where none stands there."""
        if not 0 <= index < len(self._waiting):
            return None
        item = self._waiting[index]
        del self._waiting[index]
        self._note(dequeued(index + self._taken))
        self._tell()
        return item

    def items(self) -> tuple[Queued, ...]:
        """What waits, oldest first."""
        return tuple(self._waiting)

    def _tell(self) -> None:
        self._bus.emit(StateChanged("queue", tuple(item.label for item in self._waiting)))
