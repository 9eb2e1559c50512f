"""Work in a thread that must not be left half done."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


async def run_to_end(function: Callable[[], Result]) -> Result:
    """Run *function* in a thread. Cancelled meanwhile, it is waited for and then re-raised.

    For short work that changes files: nothing may be written after the call was given up.
    """
    work = asyncio.ensure_future(asyncio.to_thread(function))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        while not work.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([work])
        raise
