"""One call from the model's words to a logged result; nothing that a tool does leaves here."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from agentcli.base.clock import elapsed_ms
from agentcli.engine.asking import Asking
from agentcli.engine.bus import EventBus
from agentcli.engine.gate import Gate
from agentcli.engine.response import LoggedCall
from agentcli.permissions.policy import Decision
from agentcli.protocol.asks import Allow, Denial, Deny, PermissionAsk, Preview
from agentcli.protocol.calls import ToolCall, ToolResult
from agentcli.protocol.errors import AgentCliError, ToolError
from agentcli.protocol.events import ToolFinished, ToolProgress, ToolStarted
from agentcli.session.entries import result_draft
from agentcli.session.log import SessionLog
from agentcli.tools.base import Tool, ToolContext
from agentcli.tools.registry import parse_input

_PROGRESS_KEPT = 20_000
_ASK_AGAIN_LIMIT = 5


@dataclass(frozen=True, slots=True)
class ToolDeps:
    """What a call needs. ``tools`` are those that the model may see; ``context`` makes the small
    ports for one call; ``denied`` is told of every call that was not allowed, ``finished`` of the
    details of every result."""

    log: SessionLog
    bus: EventBus
    gate: Gate
    asking: Asking
    tools: Callable[[str], Tool | None]
    tool_names: Callable[[], tuple[str, ...]]
    context: Callable[[ToolCall, Callable[[str], None]], ToolContext]
    denied: Callable[[Denial], None]
    finished: Callable[[dict[str, Any]], None]


@dataclass(slots=True)
class _Watch:
    """What is known of a call while it runs: the person's waiting does not count as its time."""

    call: ToolCall
    began: float | None = None
    heard: list[str] = field(default_factory=list[str])


async def run_tool_call(deps: ToolDeps, logged: LoggedCall) -> bool:
    """Run one call and log its result; True if the person stopped the run with it.

    Raises only CancelledError, after a result with the output so far was logged.
    """
    watch = _Watch(logged.call)

    def progress(text: str) -> None:
        watch.heard.append(text)
        deps.bus.emit(ToolProgress(logged.call.id, text))

    stopped = False
    try:
        result, stopped = await _settle_call(deps, logged, watch, progress)
    except asyncio.CancelledError:
        so_far = "".join(watch.heard)[-_PROGRESS_KEPT:]
        text = f"{so_far}\n[Interrupted by the user]".strip()
        _log(deps, logged, watch, ToolResult(text, is_error=True))
        raise
    except AgentCliError as error:
        result = ToolResult(error.message, is_error=True)
    except Exception as error:  # a bug in a tool must not end the run; the model and user see it
        text = f"{logged.call.name} failed: {type(error).__name__}: {error}"
        result = ToolResult(text, is_error=True)
    _log(deps, logged, watch, result)
    return stopped


async def _settle_call(
    deps: ToolDeps, logged: LoggedCall, watch: _Watch, progress: Callable[[str], None]
) -> tuple[ToolResult, bool]:
    """Validate → decide → ask → run. Raises what the tool raises."""
    call = logged.call
    tool = deps.tools(call.name)
    if tool is None:
        names = ", ".join(deps.tool_names())
        return ToolResult(f"There is no tool {call.name}. Tools: {names}.", True), False
    if logged.input_error is not None:
        text = f"{call.name}: the input is not a JSON object ({logged.input_error}). Call again."
        return ToolResult(text, is_error=True), False
    context = deps.context(call, progress)
    parse_input(tool, call.input)
    await deps.gate.get_ready(call)
    reply, decision = await _permission(deps, tool, call, context)
    if isinstance(reply, Deny):
        deps.denied(Denial(call, reply.message))
        return _denied(reply), reply.stop_run
    if reply.updated_input is not None:
        call = watch.call = ToolCall(call.id, call.name, reply.updated_input)
        decision = deps.gate.decide(call)
        if decision.behavior == "deny":
            return _denied(Deny(decision.reason)), False
    args = parse_input(tool, call.input)
    deps.bus.emit(ToolStarted(call))
    watch.began = time.monotonic()
    return await tool.run(args, _as_approved(context, decision)), False


async def _permission(
    deps: ToolDeps, tool: Tool, call: ToolCall, context: ToolContext
) -> tuple[Allow | Deny, Decision]:
    """Decide, and ask where the decision is to ask; ask again if the file changed meanwhile."""
    for _ in range(_ASK_AGAIN_LIMIT):
        decision = deps.gate.decide(call)
        if decision.behavior == "allow":
            return Allow(), decision
        if decision.behavior == "deny":
            return Deny(decision.reason), decision
        args = parse_input(tool, call.input)
        preview = await asyncio.to_thread(tool.preview, args, context)
        if preview is not None and preview.kind == "text" and _is_visible(preview, context):
            raise ToolError(preview.text)  # it would fail: nothing to ask the person about
        reply = await deps.asking.put(partial(_question, deps.gate, call, preview))
        if reply is None:
            continue  # an answer to another question settled this one: decide again
        if isinstance(reply, Allow):
            await deps.gate.remember(reply.remember)
            if await asyncio.to_thread(tool.preview, args, context) != preview:
                continue
            now = deps.gate.decide(call)
            if now.behavior == "deny" or _places(now) != _places(decision):
                continue  # a link on the way leads elsewhere than when the question was put
            decision = replace(decision, targets=now.targets)
        return reply, decision
    text = "The file kept changing while the question stood. Read it again first."
    return Deny(text), deps.gate.decide(call)


def _places(decision: Decision) -> list[str]:
    return [target.path for target in decision.targets]


def _as_approved(context: ToolContext, decision: Decision) -> ToolContext:
    """The tool acts on the file that was judged, not on where the path leads by then."""
    context = replace(context, instead=decision.instead, guarded=decision.guarded)
    if not decision.targets:
        return context
    target = decision.targets[0]
    identity = (target.device, target.inode)
    return replace(context, target=Path(target.path), identity=identity)


def _question(gate: Gate, call: ToolCall, preview: Preview | None) -> PermissionAsk | None:
    """The question, decided at the moment when it can be put; None when it is settled by then."""
    decision = gate.decide(call)
    if decision.behavior != "ask":
        return None
    return PermissionAsk(call, decision.reason, decision.suggestions, preview, decision.parts)


def _is_visible(preview: Preview, context: ToolContext) -> bool:
    """Why a call would fail may say what lies in a folder: told unasked only where reading is."""
    return context.may_read(Path(context.cwd, preview.path))


def _denied(reply: Deny) -> ToolResult:
    text = f"The call was not allowed: {reply.message}"
    if reply.stop_run or not reply.message:
        text = "The user did not allow this call. Stop and wait for what the user says."
    return ToolResult(text, is_error=True, outcome="denied")


def _log(deps: ToolDeps, logged: LoggedCall, watch: _Watch, result: ToolResult) -> None:
    entry = deps.log.append(result_draft(logged.call.id, logged.entry_id, result))
    deps.finished(result.details)
    took = 0 if watch.began is None else elapsed_ms(watch.began)
    deps.bus.emit(ToolFinished(watch.call, result, entry.uuid, took))
