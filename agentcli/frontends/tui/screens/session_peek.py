"""The ends of sessions, read and drawn in a thread and kept: no key ever waits for them."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.dom import DOMNode

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.rows import Row, fit, make_row
from agentcli.protocol.errors import AgentCliError
from agentcli.protocol.history import SessionInfo

if TYPE_CHECKING:
    from agentcli.frontends.tui.port import CatalogPort

_PAUSE = 0.06
"""Seconds that the cursor must rest on a session: who runs through the list reads nothing."""
_KEPT = 40

Key = tuple[str, float, int]
"""File, time of its last change, width."""


class Peek:
    """*seen* is called when a preview that was wanted is there."""

    def __init__(self, look: Look, catalog: "CatalogPort", seen: Callable[[], None]) -> None:
        self._look = look
        self._catalog = catalog
        self._seen = seen
        self._drawn: dict[Key, Sequence[Row]] = {}
        self._wanted: Key | None = None

    def want(self, owner: DOMNode, info: SessionInfo, width: int) -> None:
        """Get the end of *info* ready for *width*, by a worker of *owner*; the newest wish counts.
        Returns at once."""
        self._wanted = key = (str(info.file), info.modified, width)
        if key not in self._drawn:
            owner.run_worker(partial(self._get, info, key), group="peek", exclusive=True)

    async def _get(self, info: SessionInfo, key: Key) -> None:
        await asyncio.sleep(_PAUSE)
        self._drawn[key] = await asyncio.to_thread(self._draw, info, key[2])
        while len(self._drawn) > _KEPT:
            del self._drawn[next(iter(self._drawn))]
        if key == self._wanted:
            self._seen()

    def _draw(self, info: SessionInfo, width: int) -> Sequence[Row]:
        # not before the first preview: Markdown takes its time to be imported
        from agentcli.frontends.tui.screens.session_preview import preview_rows

        try:
            rows = preview_rows(self._catalog.preview(info), width, self._look, info.cwd)
        except (AgentCliError, OSError) as error:
            problem: Any = getattr(error, "message", None) or getattr(error, "strerror", None)
            return [
                make_row([(fit(f"  cannot be read: {problem or error}", width), self._look.bad)])
            ]
        return rows or [make_row([("  nothing was said", self._look.dim)])]

    def rows(self, info: SessionInfo | None) -> list[Row]:
        """The end of *info* as it was wanted last; one line while it is not there."""
        if info is None:
            return []
        key = self._wanted
        if key is None or key[:2] != (str(info.file), info.modified) or key not in self._drawn:
            return [make_row([("  reading…", self._look.dim)])]
        return list(self._drawn[key])

    def tail(self, info: SessionInfo | None, count: int) -> list[Row]:
        """The last *count* rows of it, filled up to so many."""
        rows = self.rows(info)[-count:]
        return rows + [make_row([])] * (count - len(rows))
