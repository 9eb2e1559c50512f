"""How many tokens a conversation takes: what the model told last, and an estimate of the rest."""

from collections.abc import Callable, Sequence

from agentcli.base.values import as_dict, as_list
from agentcli.context.tokens import context_tokens
from agentcli.session.compact_entries import is_boundary, is_summary, tokens_after
from agentcli.session.entries import Entry

_BYTES_PER_TOKEN = 4
_PER_VALUE = 8
"""Bytes of quotes, braces and the like around a value."""
_IMAGE_BYTES = 1_600 * _BYTES_PER_TOKEN
_MEDIA = ("image", "document")


def estimate_tokens(value: object) -> int:
    """Tokens of JSON-like *value*, about four bytes each; an image counts the same whatever its
    size, a document by its pages. Pure, never raises."""
    total = 0
    waiting: list[object] = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            total += _PER_VALUE
            total += len(part) if part.isascii() else len(part.encode("utf-8", "replace"))
        elif block := as_dict(part):
            if block.get("type") in _MEDIA and "source" in block:
                total += media_bytes(block)
            else:
                waiting.extend(block.values())
                total += sum(map(len, block))
        elif parts := as_list(part):
            waiting.extend(parts)
        else:
            total += _PER_VALUE
    return total // _BYTES_PER_TOKEN


def media_bytes(block: dict[str, object]) -> int:
    """What an image or document counts in an estimate: a page of a PDF is some 50 KB. Pure."""
    data = as_dict(block.get("source")).get("data")
    size = len(data) if isinstance(data, str) and block.get("type") == "document" else 0
    return max(_IMAGE_BYTES, size // 10)


def entry_tokens(entries: Sequence[Entry]) -> int:
    """An estimate of what *entries* add to a request. Pure."""
    return sum(estimate_tokens(_sent(entry)) for entry in entries)


def context_size(path: Sequence[Entry], overhead: Callable[[], int]) -> int:
    """Tokens of a request for *path*: the figure of the last response and an estimate of what
    came since; *overhead* is that of system prompt and tools, where there is no figure. Pure."""
    return SizeMeter(overhead).size(path)


class SizeMeter:
    """Measures a conversation again and again for the cost of what is new in it."""

    def __init__(self, overhead: Callable[[], int]) -> None:
        self._overhead = overhead
        self._path: Sequence[Entry] = ()
        self._seen = 0
        self._tokens = 0

    def size(self, path: Sequence[Entry]) -> int:
        """As ``context_size``; *path* is the list of the last call, grown, or another one."""
        if path is not self._path or len(path) < self._seen:
            self._path, self._seen, self._tokens = path, 0, self._overhead()
        start = self._seen
        for index in range(len(path) - 1, start - 1, -1):
            # After a boundary stands more that its figure holds already: all is estimated.
            if not is_boundary(path[index]) and (known := _known(path[index])):
                self._tokens, start = known, index + 1
                break
        self._tokens += entry_tokens(path[start:])
        self._seen = len(path)
        return self._tokens


def _known(entry: Entry) -> int:
    if entry.type == "assistant" and not entry.data.get("isApiErrorMessage"):
        return context_tokens(as_dict(entry.message.get("usage")))
    return tokens_after(entry) if is_summary(entry) or is_boundary(entry) else 0


def _sent(entry: Entry) -> object:
    if entry.type == "attachment":
        return as_dict(entry.data.get("attachment")).get("content")
    return entry.message.get("content")
