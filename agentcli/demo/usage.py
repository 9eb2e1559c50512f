"""Token figures of a response, with the accounting of the prompt cache."""

from typing import Any

import msgspec

from agentcli.demo.fingerprint import Fingerprint, estimate_tokens
from agentcli.protocol.blocks import Block

_FLOOR = 1024
_LOOK_BACK = 20


class PromptCache:
    """Which prefixes were written. Deterministic: no clock, nothing expires."""

    def __init__(self) -> None:
        self._written: set[bytes] = set()

    def account(self, print_: Fingerprint) -> dict[str, Any]:
        """Input figures of a request, and remember the prefixes that it marks."""
        totals: list[int] = []
        total = 0
        for step in print_.steps:
            total += step.tokens
            totals.append(total)
        marks = [i for i, step in enumerate(print_.steps) if step.marked and totals[i] >= _FLOOR]
        read = written_to = 0
        for mark in marks:
            written_to = totals[mark]
            for i in range(mark, max(-1, mark - _LOOK_BACK), -1):
                if print_.steps[i].digest in self._written:
                    read = max(read, totals[i])
                    break
        self._written.update(print_.steps[mark].digest for mark in marks)
        created = max(0, written_to - read)
        return {
            "input_tokens": total - read - created,
            "cache_creation_input_tokens": created,
            "cache_read_input_tokens": read,
            "cache_creation": {
                "ephemeral_5m_input_tokens": created,
                "ephemeral_1h_input_tokens": 0,
            },
        }


def output_usage(blocks: list[Block]) -> dict[str, Any]:
    """Output figures of the whole content, with the share of thinking. Pure."""
    sizes = [(block.get("type"), estimate_tokens(msgspec.json.encode(block))) for block in blocks]
    thought = sum(size for kind, size in sizes if kind == "thinking")
    return {
        "output_tokens": max(1, sum(size for _, size in sizes)),
        "output_tokens_details": {"thinking_tokens": thought},
    }
