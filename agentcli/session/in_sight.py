"""What lists of sessions look for near the end of a file, written again before it is out of sight.

Public readers look at the last 64 KiB only; a title that stands further up is lost to them.
"""

from collections.abc import Callable, Sequence
from typing import Any

from agentcli.session.codec import decode_line
from agentcli.session.entries import Entry

SIGHT_BYTES = 65_536
_MARGIN = 24_576
_MOST_READ = 1 << 26
_KINDS = ("custom-title", "ai-title", "tag")
_PROMPT_CHARS = 200


class InSight:
    """Remembers titles and tag of one session; what was in the file up to *looked* is known."""

    def __init__(self, looked: int = 0) -> None:
        self._known: dict[str, dict[str, Any]] = {}
        self._taken = 0
        self._looked = looked

    def take(self, side: Sequence[Entry]) -> None:
        """Learn what was added to *side*, which only grows, since the last time."""
        for entry in side[self._taken :]:
            if entry.type in _KINDS:
                self._known[entry.type] = entry.data
        self._taken = len(side)

    def due(
        self, size: int, read_tail: Callable[[int], bytes], last_prompt: str
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """What another program has written meanwhile to the file, which has *size* bytes now, and
        the entries to write now, ``type`` first. *read_tail* gives the last bytes of the file."""
        tail = read_tail(min(max(SIGHT_BYTES, size - self._looked), _MOST_READ))
        self._looked = size
        near = len(tail) - (SIGHT_BYTES - _MARGIN)
        seen: set[str] = set()
        foreign: list[dict[str, Any]] = []
        for kind in _KINDS:
            at = tail.rfind(b'{"type":"%s"' % kind.encode())
            if at < 0:
                continue
            for data in decode_line(tail[at:].partition(b"\n")[0]).objects:
                if data != self._known.get(kind):
                    self._known[kind] = data
                    foreign.append(data)
            if at >= near:
                seen.add(kind)
        shown = " ".join(last_prompt.split())[:_PROMPT_CHARS]
        again = [self._known[kind] for kind in _KINDS if kind in self._known and kind not in seen]
        return foreign, [
            *({"type": data["type"], **data} for data in again),
            {"type": "last-prompt", "lastPrompt": shown},
        ]
