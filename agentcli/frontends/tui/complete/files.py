"""All paths of the project, found by a few letters: kept fresh in the background, searched in
slices so that no key waits."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import nsmallest
from pathlib import Path
from time import monotonic, perf_counter, sleep

from agentcli.frontends.tui.complete.fuzzy import score, subsequence

FRESH = 5.0
"""Seconds after which the next mention lists the project again."""
FRESH_IGNORED = 60.0
KEPT = 60
_SLICE = 0.003
_STEP = 100
_BREATH = 150


@dataclass(slots=True)
class Paths:
    """Paths of one listing, folders (ending with ``/``) included, in parallel lists."""

    names: list[str] = field(default_factory=list[str])
    lowered: list[str] = field(default_factory=list[str])
    """Without the slash of a folder, so that a folder's own name counts like a file's."""
    bases: list[int] = field(default_factory=list[int])
    known: set[str] = field(default_factory=set[str])

    def add(self, paths: list[str], unlike: "Paths | None" = None) -> None:
        """Take *paths* and the folders they lie in, but not those of *unlike*."""
        for path in paths:
            end = len(path)
            while end > 0:
                name = path[:end] if end == len(path) else path[: end + 1]
                if name in self.known:
                    break
                self.known.add(name)
                if unlike is None or name not in unlike.known:
                    self._append(name)
                end = path.rfind("/", 0, end)

    def _append(self, name: str) -> None:
        lower = name.rstrip("/").lower()
        self.bases.append(lower.rfind("/") + 1)
        self.lowered.append(lower)
        # last: a search that runs meanwhile goes by the number of names
        self.names.append(name)


@dataclass(frozen=True, slots=True)
class Found:
    """The best ``paths`` for a query, best first, and how many fit in ``total``."""

    paths: list[str]
    total: int


class Search:
    """One query over one listing, done in steps."""

    def __init__(self, paths: Paths, query: str, narrowed: list[int] | None = None) -> None:
        self.paths = paths
        self.query = query.lower()
        self.hits: list[int] = []
        self.scope = len(paths.names)
        """How many paths of the listing were there at the start."""
        self._narrowed = narrowed
        self._at = 0
        self._ranked: list[tuple[int, str]] = []
        self._find = subsequence(self.query).search

    def step(self, seconds: float) -> bool:
        """Go on for about so many *seconds*; True when all is searched."""
        end = perf_counter() + seconds
        size = self.scope if self._narrowed is None else len(self._narrowed)
        while self._at < size:
            self._scan(range(self._at, min(size, self._at + _STEP)))
            self._at += _STEP
            if perf_counter() > end:
                break
        return self._at >= size

    def _scan(self, places: range) -> None:
        paths, query, find = self.paths, self.query, self._find
        indexes = places if self._narrowed is None else [self._narrowed[at] for at in places]
        lowered = paths.lowered
        fresh = [index for index in indexes if find(lowered[index])]
        self.hits += fresh
        broad = len(query) < 3
        for index in fresh:
            base = paths.bases[index]
            # almost everything fits one or two letters, and only names that begin so can be best
            if broad and len(self._ranked) >= KEPT and not lowered[index].startswith(query, base):
                continue
            value = score(query, lowered[index], base)
            self._ranked.append((-value, paths.names[index]))
        if len(self._ranked) > 20 * KEPT:
            self._ranked = nsmallest(KEPT, self._ranked)

    def found(self) -> Found:
        """The best so far."""
        best = nsmallest(KEPT, self._ranked)
        return Found([name for _, name in best], len(self.hits))


class FileIndex:
    """The paths of *folder*. ``on_more`` is called on the loop when there are new ones."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.on_more: Callable[[], None] = lambda: None
        self.paths = Paths()
        self.ignored = Paths()
        self._listed_at: dict[bool, float] = {}
        self._tasks: dict[bool, asyncio.Task[None]] = {}
        self._last: Search | None = None

    @property
    def building(self) -> bool:
        """Is anything being listed?"""
        return any(not task.done() for task in self._tasks.values())

    @property
    def complete(self) -> bool:
        """Was the whole project listed at least once?"""
        return False in self._listed_at

    def freshen(self, ignored: bool = False) -> None:
        """List the project again in the background, unless it was done a moment ago."""
        task = self._tasks.get(ignored)
        age = monotonic() - self._listed_at.get(ignored, -1e9)
        if (task is None or task.done()) and age > (FRESH_IGNORED if ignored else FRESH):
            self._tasks[ignored] = asyncio.create_task(self._list(ignored))

    def search(self, query: str) -> Search:
        """A search for *query*, narrowed to what the last one found where that is enough."""
        last = self._last
        narrowed = None
        if (
            last is not None
            and last.paths is self.paths
            and last.scope == len(self.paths.names)
            and last.query
            and query.lower().startswith(last.query)
        ):
            narrowed = last.hits
        return Search(self.paths, query, narrowed)

    def remember(self, search: Search) -> None:
        """*search* is done: longer queries need not look at more than it found."""
        self._last = search

    def search_ignored(self, query: str) -> Search:
        """A search among what git ignores."""
        return Search(self.ignored, query)

    async def aclose(self) -> None:
        """Stop listing."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _list(self, ignored: bool) -> None:
        # most windows never need it, and none before its first frame
        from agentcli.frontends.tui.complete.listing import list_files

        loop = asyncio.get_running_loop()
        fresh = Paths()
        unlike = self.paths if ignored else None
        first = not (self.ignored if ignored else self.paths).names
        if first:
            self._use(fresh, ignored)

        def take(paths: list[str]) -> None:
            for at in range(0, len(paths), _BREATH):
                fresh.add(paths[at : at + _BREATH], unlike)
                # or else the loop would wait for the interpreter each time it wants to go on
                sleep(0.0005)
            if first and not loop.is_closed():
                loop.call_soon_threadsafe(self._tell_more)

        await list_files(self.folder, take, ignored)
        self._listed_at[ignored] = monotonic()
        self._use(fresh, ignored)
        # the task is not done before the next turn of the loop
        loop.call_soon(self._tell_more)

    def _use(self, paths: Paths, ignored: bool) -> None:
        if ignored:
            self.ignored = paths
        else:
            self.paths = paths

    def _tell_more(self) -> None:
        self.on_more()


async def finish(search: Search) -> Found:
    """Carry *search* to its end, letting keys through between the slices. Cancel-safe."""
    done = search.step(_SLICE)
    while not done:
        await asyncio.sleep(0)
        done = search.step(_SLICE)
    return search.found()


def parent_and_name(typed: str) -> tuple[str, str]:
    """``src/ap`` → ``src/`` and ``ap``. Pure."""
    head, slash, tail = typed.rpartition("/")
    return head + slash, tail


def is_outside(typed: str) -> bool:
    """Does *typed* lead out of the project: ``~/``, ``../``, ``/``? Pure."""
    return re.match(r"(~|\.\.?)(/|\Z)|/", typed) is not None
