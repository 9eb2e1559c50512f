"""The JSON that a status script reads: the documented fields of which we know the value. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_MANY_TOKENS = 200_000
_USAGE = (
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptFacts:
    """What is known of the session. Empty strings, zeros and None where it is not."""

    session_id: str
    cwd: str
    project_dir: str
    model_id: str
    model_name: str
    version: str
    transcript_path: str = ""
    session_name: str = ""
    added_dirs: tuple[str, ...] = ()
    output_style: str = "default"
    cost_usd: float = 0.0
    duration_ms: int = 0
    """Wall time since the session was opened."""
    api_ms: int = 0
    lines_added: int = 0
    lines_removed: int = 0
    usage: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Tokens of the whole session."""
    last_usage: Mapping[str, Any] | None = None
    """Tokens of the newest response."""
    context_tokens: int = 0
    context_window: int = 0
    effort: str = ""
    thinking: bool | None = None
    vim_mode: str = ""


def script_input(facts: ScriptFacts) -> dict[str, Any]:
    """The object as it is documented; what is not known and optional is left out."""
    known: dict[str, Any] = {
        "hook_event_name": "Status",
        "session_id": facts.session_id,
        "transcript_path": facts.transcript_path,
        "cwd": facts.cwd,
        "model": {"id": facts.model_id, "display_name": facts.model_name},
        "workspace": {
            "current_dir": facts.cwd,
            "project_dir": facts.project_dir,
            "added_dirs": list(facts.added_dirs),
        },
        "version": facts.version,
        "output_style": {"name": facts.output_style},
        "cost": {
            "total_cost_usd": facts.cost_usd,
            "total_duration_ms": facts.duration_ms,
            "total_api_duration_ms": facts.api_ms,
            "total_lines_added": facts.lines_added,
            "total_lines_removed": facts.lines_removed,
        },
        "context_window": _context(facts),
        "exceeds_200k_tokens": facts.context_tokens > _MANY_TOKENS,
        "fast_mode": False,
    }
    if facts.session_name:
        known["session_name"] = facts.session_name
    if facts.effort:
        known["effort"] = {"level": facts.effort}
    if facts.thinking is not None:
        known["thinking"] = {"enabled": facts.thinking}
    if facts.vim_mode:
        known["vim"] = {"mode": facts.vim_mode}
    return known


def script_bytes(facts: ScriptFacts) -> bytes:
    """The same as one line of JSON that every reader takes."""
    return json.dumps(script_input(facts)).encode() + b"\n"


def _context(facts: ScriptFacts) -> dict[str, Any]:
    used = None
    if facts.context_window > 0 and facts.context_tokens:
        used = min(100, round(100 * facts.context_tokens / facts.context_window))
    last = facts.last_usage
    return {
        "total_input_tokens": _count(facts.usage, "input_tokens"),
        "total_output_tokens": _count(facts.usage, "output_tokens"),
        "context_window_size": facts.context_window,
        "used_percentage": used,
        "remaining_percentage": None if used is None else 100 - used,
        "current_usage": None if last is None else {name: _count(last, name) for name in _USAGE},
    }


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) else 0
