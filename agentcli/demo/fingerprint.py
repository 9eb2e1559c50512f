"""Digests of everything before a message: for prompt-cache figures and for thinking. Pure."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import msgspec

from agentcli.demo.conversation import Merged, blocks_of
from agentcli.protocol.blocks import Block

_ENCODER = msgspec.json.Encoder(order="sorted")


@dataclass(frozen=True, slots=True)
class Step:
    """One cacheable piece: the digest of all up to and with it, and its estimated tokens."""

    digest: bytes
    tokens: int
    marked: bool


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """``before[i]`` covers system, tools and messages before merged message i (last: all)."""

    before: tuple[bytes, ...]
    steps: tuple[Step, ...]

    @property
    def tokens(self) -> int:
        return sum(step.tokens for step in self.steps)


def fingerprint(body: Mapping[str, Any], merged: Sequence[Merged]) -> Fingerprint:
    """Digest a request: ``cache_control`` marks and key order do not count. Pure."""
    running = hashlib.blake2b(digest_size=16)
    steps: list[Step] = []

    def add(kind: str, block: Block) -> None:
        encoded = _ENCODER.encode(without_marks(block))
        running.update(kind.encode() + b"\x00" + encoded + b"\x00")
        marked = block.get("cache_control") is not None
        steps.append(Step(running.digest(), estimate_tokens(encoded), marked))

    for tool in blocks_of(body.get("tools") or []):
        add("tool", tool)
    for block in blocks_of(body.get("system") or []):
        add("system", block)
    before = [running.digest()]
    for message in merged:
        for block in message.blocks:
            add(message.role, block)
        before.append(running.digest())
    if body.get("cache_control") is not None and steps:
        steps[-1] = Step(steps[-1].digest, steps[-1].tokens, marked=True)
    return Fingerprint(tuple(before), tuple(steps))


def estimate_tokens(encoded: bytes) -> int:
    """About four bytes a token, never 0. Pure."""
    return max(1, len(encoded) // 4)


def without_marks(block: Block) -> Block:
    """The block without ``cache_control``, also inside a ``tool_result``. Pure."""
    clean = {key: value for key, value in block.items() if key != "cache_control"}
    content = clean.get("content")
    if isinstance(content, list):
        inner = cast("list[Any]", content)
        clean["content"] = [
            without_marks(cast("Block", item)) if isinstance(item, dict) else item for item in inner
        ]
    return clean
