"""Engine events → the documented ``stream-json`` messages of the SDK. Pure data, no output."""

from typing import Any

from agentcli.base.version import FORMAT_VERSION, __version__
from agentcli.engine.engine import Engine
from agentcli.protocol.blocks import tool_result_block
from agentcli.protocol.events import (
    BlockFinished,
    Compacted,
    Event,
    MessageStarted,
    ModelRaw,
    Retrying,
    RunResult,
    ToolFinished,
)
from agentcli.protocol.ids import new_uuid
from agentcli.protocol.payload import Usage
from agentcli.provider.models import resolve_model

Message = dict[str, Any]

_SUBTYPES = {"max_turns": "error_max_turns", "budget": "error_max_budget_usd"}
_REASONS = {
    "success": "completed",
    "refused": "completed",
    "max_turns": "max_turns",
    "interrupted": "aborted_streaming",
    "budget": "budget_exhausted",
    "hook_stopped": "hook_stopped",
}


class StreamJson:
    """Makes the messages of one session; remembers only which model speaks."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._model = engine.model

    def init(self) -> Message:
        """``system/init``, the first message of a turn."""
        engine = self._engine
        return {
            "type": "system",
            "subtype": "init",
            "cwd": str(engine.cwd),
            "session_id": engine.session_id,
            "tools": list(engine.tool_names),
            "mcp_servers": [],
            "model": engine.model,
            "permissionMode": engine.mode,
            "slash_commands": [],
            "apiKeySource": engine.key_source,
            "claude_code_version": FORMAT_VERSION,
            "agentcli_version": __version__,
            "output_style": "default",
            "agents": [],
            "skills": [],
            "plugins": [],
            "uuid": new_uuid(),
        }

    def message(self, event: Event) -> Message | None:
        """The message for *event*, or None for events that the protocol has no word for."""
        match event:
            case MessageStarted():
                self._model = event.model
                return None
            case BlockFinished():
                return self._assistant(event)
            case ToolFinished():
                return self._tool_result(event)
            case ModelRaw():
                return self._tagged({"type": "stream_event", "event": event.event}, event.scope)
            case Retrying():
                return self._retry(event)
            case Compacted():
                return self._compacted(event)
            case _:
                return None

    def result(self, result: RunResult) -> Message:
        """The last message of a turn. An API failure has subtype ``success`` and ``is_error``,
        as the public SDK's own end-to-end test wants it."""
        engine = self._engine
        is_error = result.outcome not in ("success", "refused")
        subtype = _SUBTYPES.get(result.outcome, "success")
        if result.outcome in ("interrupted", "hook_stopped"):
            subtype = "error_during_execution"
        message: Message = {
            "type": "result",
            "subtype": subtype,
            "is_error": is_error,
            "duration_ms": result.duration_ms,
            "duration_api_ms": engine.stats.api_ms,
            "num_turns": result.turns,
            "stop_reason": result.stop_reason,
            "session_id": engine.session_id,
            "total_cost_usd": engine.stats.cost_usd,
            "usage": _usage(result.usage),
            "modelUsage": _model_usage(engine),
            "permission_denials": [
                {
                    "tool_name": denial.call.name,
                    "tool_use_id": denial.call.id,
                    "tool_input": denial.call.input,
                }
                for denial in result.denials
            ],
            "terminal_reason": _REASONS.get(result.outcome, "api_error"),
            "uuid": new_uuid(),
        }
        if subtype == "success":
            failed = f"API Error: {result.error}" if is_error else result.error
            message["result"] = failed if is_error else result.text or result.error or ""
        else:
            message["errors"] = [result.error or result.outcome]
        if result.error_status is not None:
            message["api_error_status"] = result.error_status
        return message

    def _assistant(self, event: BlockFinished) -> Message:
        block = event.block
        if block.get("type") == "thinking":
            block = {"signature": "", **block}  # the SDK's parser gives up on one without it
        message = {
            "id": event.message_id,
            "type": "message",
            "role": "assistant",
            "model": self._model,
            "content": [block],
            "stop_reason": None,
            "stop_sequence": None,
        }
        return self._tagged(
            {"type": "assistant", "message": message}, event.scope, uuid=event.entry_id
        )

    def _tool_result(self, event: ToolFinished) -> Message:
        result = event.result
        block = tool_result_block(event.call.id, result.content, result.is_error)
        tagged = self._tagged(
            {"type": "user", "message": {"role": "user", "content": [block]}},
            event.scope,
            uuid=event.entry_id,
        )
        if result.details:
            tagged["tool_use_result"] = result.details
        return tagged

    def _retry(self, event: Retrying) -> Message:
        return self._tagged(
            {
                "type": "system",
                "subtype": "api_retry",
                "attempt": event.attempt,
                "max_retries": event.max_attempts,
                "retry_delay_ms": round(event.delay * 1000),
                "error_status": event.status,
                "error": event.reason,
            },
            event.scope,
        )

    def _compacted(self, event: Compacted) -> Message:
        metadata = {"trigger": event.trigger, "pre_tokens": event.pre_tokens}
        return self._tagged(
            {"type": "system", "subtype": "compact_boundary", "compact_metadata": metadata},
            event.scope,
        )

    def _tagged(self, message: Message, scope: str | None, uuid: str | None = None) -> Message:
        return {
            **message,
            "parent_tool_use_id": scope,
            "session_id": self._engine.session_id,
            "uuid": uuid or new_uuid(),
        }


def _usage(usage: Usage) -> Usage:
    return {
        "input_tokens": 0,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": 0,
        **usage,
    }


def _model_usage(engine: Engine) -> dict[str, Any]:
    report: dict[str, Any] = {}
    for model, (usage, cost) in engine.stats.per_model.items():
        info = resolve_model(model)
        report[model] = {
            "inputTokens": usage.get("input_tokens", 0),
            "outputTokens": usage.get("output_tokens", 0),
            "cacheReadInputTokens": usage.get("cache_read_input_tokens", 0),
            "cacheCreationInputTokens": usage.get("cache_creation_input_tokens", 0),
            "webSearchRequests": 0,
            "costUSD": cost,
            "contextWindow": info.window,
            "maxOutputTokens": info.max_output,
        }
    return report
