"""The only place where concrete parts are wired: EngineSpec → Engine."""

from collections.abc import Callable
from pathlib import Path

from agentcli.context.payload import PromptFrame
from agentcli.context.system import system_prompt
from agentcli.engine.asking import Asker, Asking
from agentcli.engine.bus import EventBus
from agentcli.engine.engine import Engine
from agentcli.engine.gate import Gate
from agentcli.engine.inbox import Inbox
from agentcli.engine.model_turn import ModelTurnDeps
from agentcli.engine.parts import EngineParts
from agentcli.engine.run import RunDeps
from agentcli.engine.settle import LOST, settle_open_calls
from agentcli.engine.spec import EngineSpec
from agentcli.engine.stats import Stats
from agentcli.engine.surroundings import Surroundings
from agentcli.engine.tool_call import ToolDeps
from agentcli.engine.transport import Transport
from agentcli.permissions.decide import hidden_tools
from agentcli.permissions.policy import Policy
from agentcli.protocol.calls import ToolCall
from agentcli.protocol.events import Notice
from agentcli.protocol.ids import new_uuid
from agentcli.provider.client import ModelClient
from agentcli.provider.models import request_params, resolve_model
from agentcli.session.log import SessionLog
from agentcli.session.store import session_file
from agentcli.tools.base import Tool, ToolContext
from agentcli.tools.file_state import FileState
from agentcli.tools.registry import load_tool, tool_definition, tool_names


def build_engine(spec: EngineSpec, *, asker: Asker, model: ModelClient | None = None) -> Engine:
    """Wire an engine; the session file is opened here, a new one is made with its first entry.

    Raises SessionError for a session that cannot be resumed and UsageError for an unknown model.
    """
    bus = EventBus()
    gate = Gate(
        spec.policy,
        bus,
        bypass_enabled=spec.bypass_enabled,
        save=spec.save_rules,
        check_mode=spec.check_mode,
    )

    def on_move(cwd: Path) -> None:
        gate.move(cwd)

    surroundings = Surroundings(spec.cwd, on_move)

    def on_problem(text: str) -> None:
        bus.emit(Notice("error", text))

    def new_log() -> SessionLog:
        session_id = new_uuid()
        path = session_file(spec.home, spec.cwd, session_id)
        return SessionLog(path, session_id, surroundings.place, on_problem, spec.entrypoint)

    if spec.resume is None:
        log = new_log()
    else:
        log = SessionLog.open_existing(spec.resume, surroundings.place, on_problem, spec.entrypoint)
        settle_open_calls(log, bus, LOST)
        if spec.restore_mode:
            _restore_mode(log, gate)
    gate.show_outputs(log.tool_results)
    info = resolve_model(spec.model or _last_model(log) or "default")
    stats = Stats(context_window=info.window)
    stats.take_earlier(log.path())
    parts = EngineParts(
        home=spec.home,
        log=log,
        bus=bus,
        gate=gate,
        inbox=Inbox(bus),
        stats=stats,
        surroundings=surroundings,
        transport=Transport(spec.endpoint, spec.transport, spec.timeouts, model),
        files=FileState(),
        model=info,
        effort=spec.effort,
        max_turns=spec.max_turns,
        new_log=new_log,
        run_deps=_run_deps(spec, Asking(bus, asker)),
        tool_names=_visible_tools(spec.policy),
    )
    return Engine(parts)


def _run_deps(spec: EngineSpec, asking: Asking) -> Callable[[EngineParts], RunDeps]:
    """The frozen prefix is made once; everything else is looked up when a run begins."""
    system = system_prompt(spec.append_system_prompt)
    visible = _visible_tools(spec.policy)
    definitions = [tool_definition(load_tool(name)) for name in visible]

    def find_tool(name: str) -> Tool | None:
        return load_tool(name) if name in visible else None

    def run_deps(parts: EngineParts) -> RunDeps:
        def frame() -> PromptFrame:
            params = request_params(parts.model, parts.effort, None)
            return PromptFrame(parts.model.id, system, definitions, params)

        def context(call: ToolCall, progress: Callable[[str], None]) -> ToolContext:
            return ToolContext(
                cwd=parts.surroundings.cwd,
                roots=tuple(Path(root) for root in parts.gate.policy.roots),
                call_id=call.id,
                files=parts.files,
                spill_dir=parts.log.tool_results,
                set_cwd=parts.surroundings.move,
                progress=progress,
                may_read=parts.gate.reader_for(call),
                env=spec.env,
            )

        tools = ToolDeps(
            log=parts.log,
            bus=parts.bus,
            gate=parts.gate,
            asking=asking,
            tools=find_tool,
            tool_names=lambda: visible,
            context=context,
            denied=parts.denials.append,
            finished=parts.stats.add_lines,
        )
        model_turn = ModelTurnDeps(
            parts.log, parts.bus, parts.transport.client, spec.max_retries, parts.stats.add
        )
        return RunDeps(
            log=parts.log,
            bus=parts.bus,
            inbox=parts.inbox,
            stats=parts.stats,
            surroundings=parts.surroundings,
            model_turn=model_turn,
            tools=tools,
            frame=frame,
            mode=lambda: parts.gate.mode,
            answers_shell=spec.answers_shell,
        )

    return run_deps


def _visible_tools(policy: Policy) -> tuple[str, ...]:
    hidden = hidden_tools(policy, tool_names())
    return tuple(name for name in tool_names() if name not in hidden)


def _restore_mode(log: SessionLog, gate: Gate) -> None:
    """The mode of the last prompt, except those that a resume must not bring back by itself."""
    for entry in reversed(log.path()):
        mode = entry.data.get("permissionMode")
        if mode in ("default", "acceptEdits", "dontAsk"):
            gate.set_mode(mode)
        if mode is not None:
            return


def _last_model(log: SessionLog) -> str | None:
    for entry in reversed(log.path()):
        if entry.type == "assistant" and not entry.data.get("isApiErrorMessage"):
            model = entry.message.get("model")
            return model if isinstance(model, str) else None
    return None
