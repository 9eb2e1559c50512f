"""Checks of the ``thinking`` parameter and of thinking blocks that come back. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from agentcli.base.values import as_dict
from agentcli.demo.conversation import Merged, last_prompt_at
from agentcli.demo.fingerprint import Fingerprint
from agentcli.demo.models import ModelRules
from agentcli.demo.reply import ApiRefusal
from agentcli.demo.signatures import model_digest, open_signature, thinking_matches
from agentcli.protocol.blocks import Block

# Tuples, not sets: the values that are looked up may be unhashable JSON.
_TYPES = ("adaptive", "enabled", "disabled", "between_tools")
_BINDING_BETA = "thinking-binding-controls-2026-08-01"
_UPDATES_BETA = "thinking-display-updates-2026-08-18"


def check_thinking_config(body: Mapping[str, Any], rules: ModelRules, betas: Sequence[str]) -> None:
    """Raises ``ApiRefusal`` for a mode that the model refuses, bad budgets, missing betas."""
    config = as_dict(body.get("thinking"))
    if not config:
        return
    kind = config.get("type")
    if kind not in _TYPES:
        raise ApiRefusal(f"thinking.type: Input should be one of {', '.join(sorted(_TYPES))}")
    if kind not in rules.thinking_types:
        raise ApiRefusal(f'"thinking.type.{kind}" is not supported for {rules.id}.')
    if kind == "enabled":
        _check_budget(config.get("budget_tokens"), body.get("max_tokens"))
    if "block_binding" in config and _BINDING_BETA not in betas:
        raise ApiRefusal("thinking.block_binding: Extra inputs are not permitted")
    shown = (None, "summarized", "omitted", *(("updates",) if _UPDATES_BETA in betas else ()))
    if config.get("display") not in shown:
        raise ApiRefusal("thinking.display: Input should be 'summarized' or 'omitted'")


def check_thinking_blocks(
    body: Mapping[str, Any], merged: Sequence[Merged], print_: Fingerprint, rules: ModelRules
) -> None:
    """Raises ``ApiRefusal`` for blocks that were edited, dropped, reordered or moved."""
    prompt_at = last_prompt_at(merged)
    # With a new prompt at the end the turn before it is over: it may be stripped of thinking
    # whole, yet not edited.
    in_loop = prompt_at < len(merged) - 1
    latest = prompt_at if in_loop else last_prompt_at(merged[:-1])
    model = model_digest(rules.id)
    binding = as_dict(as_dict(body.get("thinking")).get("block_binding"))
    strict = rules.checks_prefix and binding.get("prefix_mismatch_behavior") != "drop_block"
    for index, message in enumerate(merged):
        if message.role != "assistant":
            continue
        in_latest = index > latest
        for block, place in zip(message.blocks, message.places, strict=True):
            if block.get("type") != "thinking":
                continue
            seal = open_signature(block)
            if seal is None:
                raise ApiRefusal(_edited(place, in_latest, block))
            if strict and seal.model == model and seal.prefix != print_.before[index]:
                raise ApiRefusal(
                    f"{place}: this `thinking` block is bound to the content before it, which has "
                    "changed (`system`, `tools` or an earlier message)."
                )
        if in_latest and in_loop:
            _check_dropped(message, rules.id)


def _check_budget(budget: Any, max_tokens: Any) -> None:
    if not isinstance(budget, int):
        raise ApiRefusal("thinking.enabled.budget_tokens: Field required")
    if budget < 1024:
        raise ApiRefusal(
            "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
        )
    if isinstance(max_tokens, int) and budget >= max_tokens:
        raise ApiRefusal("`max_tokens` must be greater than `thinking.budget_tokens`.")


def _check_dropped(message: Merged, model: str) -> None:
    nearest = ""
    for block, place in zip(message.blocks, message.places, strict=True):
        if block.get("type") == "thinking":
            nearest = str(block.get("signature", ""))
        elif block.get("type") == "tool_use" and not thinking_matches(
            str(block.get("id", "")), model, nearest
        ):
            raise ApiRefusal(
                f"{place}.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. "
                "Thinking blocks of the latest assistant message must be sent back as they were."
            )


def _edited(place: str, in_latest: bool, block: Block) -> str:
    if in_latest and block.get("signature"):
        return (
            f"{place}: `thinking` or `redacted_thinking` blocks in the latest assistant message "
            "cannot be modified. These blocks must remain as they were in the original response."
        )
    return f"{place}: Invalid `signature` in `thinking` block"
