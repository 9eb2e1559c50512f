"""Paths for a mention: from the index of the project and from the file system, in one order."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from agentcli.frontends.tui.complete.candidate import Candidate
from agentcli.frontends.tui.complete.files import FileIndex, Found, finish, is_outside
from agentcli.frontends.tui.complete.folders import Listing, is_folder, list_names
from agentcli.frontends.tui.complete.mention import path_rows, whole_folder
from agentcli.frontends.tui.complete.token import Token

_AT_ONCE = 0.005
"""Seconds that a search may take while the key is handled; a longer one goes on in slices."""
_FEW = 8

Rows = tuple[list[Candidate], int]
"""Rows of the menu, and how many paths fit in all."""


class PathSource:
    """Finds paths below *root* and, typed out, anywhere. *on_more*: there are new ones."""

    def __init__(self, root: Callable[[], Path], home: Path, on_more: Callable[[], None]) -> None:
        self._root = root
        self._home = home
        self._on_more = on_more
        self._index: FileIndex | None = None
        self._old: list[FileIndex] = []

    @property
    def building(self) -> bool:
        """Is a listing under way?"""
        return self._index is not None and self._index.building

    def quick(self, token: Token, asked: bool) -> Rows | None:
        """What is found within a few milliseconds; None if it takes longer."""
        index = self._fresh_index()
        if _is_typed_out(token.query):
            return None
        search = index.search(token.query)
        if not search.step(_AT_ONCE):
            return None
        if index.complete:
            index.remember(search)
        return self._rows(token, search.found(), asked)

    def wants_more(self, token: Token, total: int) -> bool:
        """Is it worth looking at the file system and at what git ignores?"""
        index = self._fresh_index()
        whole = token.query in index.paths.known
        return total < _FEW and not whole

    async def find(self, token: Token, asked: bool) -> Rows:
        """Everything there is for *token*. Cancel-safe; raises OSError."""
        index = self._fresh_index()
        query = token.query
        if _is_typed_out(query):
            listing = await self._listing(query)
            if listing.names or is_outside(query) or not query:
                return await self._typed_out(token, listing, asked)
        search = index.search(query)
        found = await finish(search)
        if index.complete:
            index.remember(search)
        rows, total = self._rows(token, found, asked)
        if not self.wants_more(token, total):
            return rows, total
        listing = await self._listing(query)
        if listing.exact and not asked:
            return [], 0
        if not index.complete:
            return rows, total
        index.freshen(ignored=True)
        other = await finish(index.search_ignored(query))
        extra = dict.fromkeys([*(name.path for name in listing.names), *other.paths])
        shown = {row.label for row in rows}
        new = [path for path in extra if path not in shown and path not in index.paths.known]
        files = frozenset(path for path in new if not path.endswith("/"))
        return rows + path_rows(new, token, files), total + len(new)

    async def names(self, token: Token, only_folders: bool) -> list[Candidate]:
        """Names of the file system for an argument that is a path. Cancel-safe."""
        root = self._root()
        listing = await asyncio.to_thread(list_names, token.query, root, self._home, only_folders)
        if listing.exact:
            return []
        return path_rows([name.path for name in listing.names], token)

    async def aclose(self) -> None:
        """Stop listing."""
        for index in [*self._old, *([self._index] if self._index else [])]:
            await index.aclose()

    def _fresh_index(self) -> FileIndex:
        root = self._root()
        if self._index is None or self._index.folder != root:
            if self._index is not None:
                self._index.on_more = lambda: None
                self._old = [old for old in [*self._old, self._index] if old.building]
            self._index = FileIndex(root)
            self._index.on_more = self._on_more
        self._index.freshen()
        return self._index

    def _rows(self, token: Token, found: Found, asked: bool) -> Rows:
        if not asked and token.query in found.paths and not token.query.endswith("/"):
            # written out already: Enter shall send, not complete
            return [], 0
        return path_rows(found.paths, token), found.total

    async def _listing(self, query: str) -> Listing:
        return await asyncio.to_thread(list_names, query, self._root(), self._home)

    async def _typed_out(self, token: Token, listing: Listing, asked: bool) -> Rows:
        if listing.exact and not asked:
            return [], 0
        paths = [name.path for name in listing.names]
        index, query = self._fresh_index(), token.query
        rows: list[Candidate] = []
        ignored: frozenset[str] = frozenset()
        if not is_outside(query) and index.complete:
            last = [path for path in paths if path not in index.paths.known]
            paths = [path for path in paths if path in index.paths.known] + last
            ignored = frozenset(path for path in last if not path.endswith("/"))
        if query.endswith("/") and await asyncio.to_thread(
            is_folder, query, self._root(), self._home
        ):
            rows.append(whole_folder(token))
        rows += path_rows(paths, token, ignored)
        return rows, len(rows)


def _is_typed_out(query: str) -> bool:
    return not query or query.endswith("/") or is_outside(query)
