"""What the scripted server knows about model ids: limits and accepted thinking modes. Pure."""

import re
from dataclasses import dataclass
from typing import Any

_ID = re.compile(
    r"claude-(?P<line>haiku|sonnet|opus|fable|mythos)-(?P<major>\d)(?:-(?P<minor>\d))?\b"
)
_PRESERVED = {"fable-5.1", "fable-5.2", "opus-5.5", "sonnet-5.5", "haiku-5.5"}
_NO_FORCED_TOOL = {"fable-5.1", "opus-5.5", "sonnet-5.5"}


@dataclass(frozen=True, slots=True)
class ModelRules:
    """``version`` is None for ids that are not Anthropic's: those get the laxest rules."""

    id: str
    line: str | None
    version: tuple[int, int] | None
    max_input_tokens: int = 1_000_000
    max_tokens: int = 128_000

    @property
    def _name(self) -> str:
        return f"{self.line}-{'.'.join(map(str, self.version or ()))}"

    @property
    def thinking_types(self) -> frozenset[str]:
        """Values of ``thinking.type`` that are not refused."""
        types = {"adaptive", "enabled", "disabled", "between_tools"}
        if self.version is None:
            return frozenset(types)
        if self.version <= (4, 5):
            types -= {"adaptive", "between_tools"}
        if self.version >= (4, 7):
            types -= {"enabled"}
        if self.line == "fable" or self._name == "opus-5.5":
            types -= {"disabled"}
        return frozenset(types)

    @property
    def allows_prefill(self) -> bool:
        """May the last message be the assistant's?"""
        return self.version is not None and self.version <= (4, 5)

    @property
    def allows_forced_tool(self) -> bool:
        """May ``tool_choice`` be ``any`` or ``tool``?"""
        return self._name not in _NO_FORCED_TOOL

    @property
    def checks_prefix(self) -> bool:
        """Are thinking blocks bound to what stood before them? True for unknown ids as well."""
        return self.version is None or self._name in _PRESERVED


def rules_for(model: str) -> ModelRules:
    """The rules for a model id; unknown ids are accepted. Pure."""
    hit = _ID.match(model)
    if hit is None:
        return ModelRules(model, None, None)
    version = (int(hit["major"]), int(hit["minor"] or 0))
    if hit["line"] == "haiku" and version <= (4, 5):
        return ModelRules(model, "haiku", version, 200_000, 64_000)
    return ModelRules(model, hit["line"], version)


KNOWN_MODELS = (
    "claude-fable-5-2",
    "claude-fable-5-1",
    "claude-opus-5-5",
    "claude-opus-5",
    "claude-opus-4-8",
    "claude-sonnet-5-5",
    "claude-sonnet-5",
    "claude-haiku-5-5",
    "claude-haiku-4-5-20251001",
)


def model_info(model: str) -> dict[str, Any]:
    """The Models API entry of one model. Pure."""
    rules = rules_for(model)
    version = ".".join(str(part) for part in rules.version or ())
    thinking = {
        kind: {"supported": kind in rules.thinking_types}
        for kind in ("adaptive", "between_tools", "disabled", "enabled")
    }
    efforts = ("low", "medium", "high", "xhigh", "max")
    yes, no = {"supported": True}, {"supported": False}
    return {
        "type": "model",
        "id": model,
        "display_name": f"Claude {(rules.line or model).title()} {version}".strip(),
        "created_at": "1970-01-01T00:00:00Z",
        "lifecycle": "active",
        "deprecated_at": None,
        "retires_at": None,
        "line": rules.line,
        "max_input_tokens": rules.max_input_tokens,
        "max_tokens": rules.max_tokens,
        "capabilities": {
            "batch": no,
            "citations": no,
            "code_execution": no,
            "image_input": yes,
            "pdf_input": yes,
            "structured_outputs": no,
            "server_tools": {"supported": False, "web_search": no, "code_execution": no},
            "context_management": {"supported": False},
            "effort": {"supported": True, **dict.fromkeys(efforts, yes)},
            "thinking": {"supported": True, "types": thinking},
        },
    }
