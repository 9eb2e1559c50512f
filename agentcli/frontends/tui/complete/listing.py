"""Lists the files of a project in the background: ripgrep, or a walk in Python without it."""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from agentcli.base.procs import StopOutput, run_command
from agentcli.frontends.tui.complete.typeable import typeable
from agentcli.tools.grep_fallback import start_stack, walk
from agentcli.tools.ripgrep import find_ripgrep

MAX_PATHS = 100_000
SECONDS = 10.0
_BATCH = 1_000

Take = Callable[[list[str]], None]
"""Gets the next paths, from the folder that is listed; called in another thread."""


async def list_files(folder: Path, take: Take, ignored: bool = False) -> None:
    """Give all files below *folder* to *take*; with *ignored* also those that git ignores.

    ``.git`` is left out. Bounded in number and time; what cannot be listed is left out silently.
    Cancel-safe.
    """
    program = await asyncio.to_thread(find_ripgrep)
    if program is None:
        await _walk(folder, take, ignored)
        return
    argv = [program, "--no-config", "--files", "--hidden", "--null", "--glob=!.git"]
    argv += ["--no-messages", *(["--no-ignore"] if ignored else []), "--", "./"]
    splitter = _Splitter(take)
    try:
        await run_command(
            argv,
            cwd=folder,
            env=os.environ,
            on_output=splitter.feed,
            on_errors=lambda _: None,
            max_seconds=SECONDS,
        )
    except OSError:
        return


class _Splitter:
    """Cuts what ripgrep prints into paths and stops it when there are enough."""

    def __init__(self, take: Take) -> None:
        self._take = take
        self._rest = b""
        self._left = MAX_PATHS

    def feed(self, chunk: bytes) -> None:
        data, _, self._rest = (self._rest + chunk).rpartition(b"\0")
        if not data:
            return
        paths = typeable(os.fsdecode(path) for path in data.split(b"\0"))[: self._left]
        self._left -= len(paths)
        self._take(paths)
        if not self._left:
            raise StopOutput


async def _walk(folder: Path, take: Take, ignored: bool) -> None:
    stopped = threading.Event()

    def run() -> None:
        end = time.monotonic() + SECONDS
        found = _all_files(str(folder)) if ignored else walk(str(folder), *start_stack(str(folder)))
        paths = islice(found, MAX_PATHS)
        while batch := list(islice(paths, _BATCH)):
            if stopped.is_set() or time.monotonic() > end:
                return
            take(typeable(os.path.relpath(path, folder) for path in batch))

    try:
        await asyncio.to_thread(run)
    finally:
        stopped.set()


def _all_files(folder: str) -> Iterator[str]:
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        yield from (os.path.join(at, name) for name in sorted(names))
