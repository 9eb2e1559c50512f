"""Telling our own interrupt from a cancel that somebody else sent to the same task."""

import asyncio


class CancelLedger:
    """Counts the cancels that we sent to the run task, and takes exactly those back."""

    def __init__(self) -> None:
        self._task: asyncio.Task[object] | None = None
        self._sent = 0

    def attach(self) -> None:
        """The current task is the one to interrupt from now on."""
        self._task = asyncio.current_task()
        self._sent = 0

    def interrupt(self) -> bool:
        """Cancel the run; True if there is one. A second call while the first one is still
        being handled does nothing, so that clean-up is never cut short."""
        if self._task is None:
            return False
        if self._sent == 0:
            self._sent = 1
            self._task.cancel()
        return True

    @property
    def was_sent(self) -> bool:
        """True if the cancel that is being handled is (also) ours."""
        return self._sent > 0

    def settle(self) -> bool:
        """Take our cancels back; True if an outside cancel remains and must go on."""
        task = self._task
        if task is None:
            return False
        while self._sent:
            self._sent -= 1
            task.uncancel()
        return task.cancelling() > 0

    def detach(self) -> None:
        """The run is over."""
        if self._task is not None:
            self.settle()
        self._task = None
