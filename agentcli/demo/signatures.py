"""Signatures of thinking blocks and ids of tool calls, bound to what they were made for.

Everything is an HMAC under a fixed key, so a resumed session still verifies after a restart and
no state is kept. Tool ids carry the thinking block before them: so a dropped one is noticed.
"""

import base64
import binascii
import hashlib
import hmac
import os
from dataclasses import dataclass
from typing import Any

from agentcli.base.values import as_dict
from agentcli.protocol.blocks import Block

_KEY = b"agentcli scripted model, not a secret"
_ID_PREFIX = "toolu_01"


@dataclass(frozen=True, slots=True)
class Seal:
    """What a valid signature says: the model (as a digest) and the prefix it was made after."""

    model: bytes
    prefix: bytes


def sign_thinking(thinking: str, model: str, prefix: bytes) -> str:
    """The signature of a thinking block. Pure."""
    seal = model_digest(model) + prefix
    return base64.b64encode(seal + _mac(seal, thinking.encode())).decode()


def open_signature(block: Block) -> Seal | None:
    """The seal of a thinking block, None where text or signature were changed. Pure."""
    try:
        raw = base64.b64decode(str(block.get("signature", "")), validate=True)
    except (binascii.Error, ValueError):
        return None
    seal, mac = raw[:20], raw[20:]
    if not hmac.compare_digest(mac, _mac(seal, str(block.get("thinking", "")).encode())):
        return None
    return Seal(seal[:4], seal[4:])


def model_digest(model: str) -> bytes:
    """Four bytes that stand for a model id. Pure."""
    return hashlib.blake2b(model.encode(), digest_size=4).digest()


def make_tool_id(model: str, thinking: str) -> str:
    """A new ``tool_use`` id that remembers the signature of the thinking before it (or "")."""
    nonce = os.urandom(4) + model_digest(model)
    return (
        _ID_PREFIX + nonce.hex() + _mac(nonce)[:3].hex() + _mac(nonce, thinking.encode())[:3].hex()
    )


def thinking_matches(tool_use_id: str, model: str, thinking: str) -> bool:
    """False if the id was made here for *model* after another thinking block. Pure.

    True for ids of other origin and of other models: their thinking may have been stripped.
    """
    if not tool_use_id.startswith(_ID_PREFIX):
        return True
    try:
        raw = bytes.fromhex(tool_use_id.removeprefix(_ID_PREFIX))
    except ValueError:
        return True
    nonce, own, bound = raw[:8], raw[8:11], raw[11:]
    if len(raw) != 14 or own != _mac(nonce)[:3] or nonce[4:] != model_digest(model):
        return True
    return bound == _mac(nonce, thinking.encode())[:3]


def complete_blocks(content: list[Block], body: dict[str, Any], prefix: bytes) -> list[Block]:
    """Reply blocks with ids and signatures, thinking shown as the request wants it."""
    config = as_dict(body.get("thinking"))
    model = str(body.get("model", ""))
    done: list[Block] = []
    last = ""
    for block in content:
        kind = block.get("type")
        if kind == "thinking" and config.get("type") == "disabled":
            continue
        block = dict(block)
        if kind == "thinking":
            if config.get("display") == "omitted":
                block["thinking"] = ""
            block.setdefault("signature", sign_thinking(block["thinking"], model, prefix))
            last = str(block["signature"])
        elif kind == "tool_use":
            made = block.get("id") or make_tool_id(model, last)
            block = {"type": "tool_use", "id": made, "name": block["name"], "input": block["input"]}
        done.append(block)
    return done


def _mac(*parts: bytes) -> bytes:
    joined = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return hmac.digest(_KEY, joined, "sha256")[:16]
