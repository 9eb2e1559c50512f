"""Another program in the terminal for a while, the window and all its work going on behind it."""

import asyncio
import signal
from collections.abc import Callable
from typing import Any, TypeVar

from textual.app import App, SuspendNotSupported

from agentcli.frontends.tui.composer.editor import Problem

_Result = TypeVar("_Result")


async def run_outside(app: App[Any], work: Callable[[], _Result]) -> _Result | Problem:
    """Do *work*, which blocks and owns the terminal, in a thread; gives its result, or a problem
    where the terminal cannot be left. Raises what *work* raises."""
    try:
        # nothing may be drawn meanwhile: there is nobody who would take it
        with app.batch_update(), app.suspend():
            # Ctrl+C in the other program reaches us as well; it inherits no handler of ours
            before = signal.signal(signal.SIGINT, _ignore)
            try:
                return await asyncio.to_thread(work)
            finally:
                signal.signal(signal.SIGINT, before)
    except SuspendNotSupported:
        return Problem("no other program can be started in this terminal")


def _ignore(_: int, __: object) -> None:
    pass
