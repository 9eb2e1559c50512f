"""The only place where concrete parts are wired: EngineSpec → Engine."""

from collections.abc import Callable
from pathlib import Path

from agentcli.context.building import PayloadBuilder
from agentcli.context.due_notes import due_notes
from agentcli.context.payload import PromptFrame
from agentcli.engine.adopt import adopt, last_model, restore_mode
from agentcli.engine.asking import Asker, Asking
from agentcli.engine.bus import EventBus
from agentcli.engine.compact_deps import CompactDeps
from agentcli.engine.engine import Engine
from agentcli.engine.frame import frame_maker, visible_tools
from agentcli.engine.gate import Gate
from agentcli.engine.inbox import Inbox
from agentcli.engine.logs import Logs
from agentcli.engine.model_turn import ModelTurnDeps
from agentcli.engine.parts import EngineParts
from agentcli.engine.run import RunDeps
from agentcli.engine.spec import EngineSpec
from agentcli.engine.stats import Stats
from agentcli.engine.surroundings import Surroundings
from agentcli.engine.tool_call import ToolDeps
from agentcli.engine.transport import Transport
from agentcli.protocol.calls import ToolCall
from agentcli.provider.client import ModelClient
from agentcli.provider.models import resolve_model
from agentcli.session.log import SessionLog
from agentcli.tools.base import Tool, ToolContext
from agentcli.tools.file_state import FileState
from agentcli.tools.registry import load_tool


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

    logs = Logs(
        spec.home,
        spec.cwd,
        surroundings.place,
        bus.emit_anywhere,
        entrypoint=spec.entrypoint,
        keep=spec.persist,
        checkpoints=spec.checkpoints,
    )
    log = _first_log(spec, logs)
    if spec.restore_mode:
        restore_mode(log, gate)
    info = resolve_model(spec.model or last_model(log) or "default")
    parts = EngineParts(
        home=spec.home,
        log=log,
        bus=bus,
        gate=gate,
        inbox=Inbox(bus, lambda data: parts.log.note(data)),
        stats=Stats(),
        surroundings=surroundings,
        transport=Transport(spec.endpoint, spec.transport, spec.timeouts, model),
        files=FileState(),
        model=info,
        effort=spec.effort,
        max_turns=spec.max_turns,
        logs=logs,
        run_deps=_run_deps(spec, Asking(bus, asker)),
        tool_names=visible_tools(spec.policy),
        takes_up_queue=spec.takes_up_queue,
    )
    adopt(parts, log)
    return Engine(parts)


def _first_log(spec: EngineSpec, logs: Logs) -> SessionLog:
    if spec.resume is None:
        log = logs.new(spec.session_id)
    elif spec.fork:
        log = logs.fork(spec.resume, fresh_ids=False, session_id=spec.session_id)
    else:
        log = logs.open(spec.resume)
    if spec.title:
        log.rename(spec.title)
    return log


def _run_deps(spec: EngineSpec, asking: Asking) -> Callable[[EngineParts], RunDeps]:
    """The frozen prefix is made once; everything else is looked up when a run begins."""
    payloads = PayloadBuilder()
    make_frame = frame_maker(spec.policy, spec.append_system_prompt)
    visible = visible_tools(spec.policy)

    def find_tool(name: str) -> Tool | None:
        return load_tool(name) if name in visible else None

    def run_deps(parts: EngineParts) -> RunDeps:
        def frame() -> PromptFrame:
            return make_frame(parts.model, parts.effort)

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
                before_write=_keeper(parts),
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
        compact = CompactDeps(
            log=parts.log,
            bus=parts.bus,
            stats=parts.stats,
            model_turn=model_turn,
            frame=frame,
            window=lambda: parts.model.window,
            rules=spec.compact,
            notes=lambda: due_notes({}, frame(), parts.surroundings.describe(), parts.gate.mode),
            forget=parts.files.clear,
        )
        return RunDeps(
            log=parts.log,
            bus=parts.bus,
            inbox=parts.inbox,
            stats=parts.stats,
            surroundings=parts.surroundings,
            model_turn=model_turn,
            tools=tools,
            payloads=payloads,
            compact=compact,
            frame=frame,
            mode=lambda: parts.gate.mode,
            answers_shell=spec.answers_shell,
            prompt_begins=lambda entry_id: _begin_checkpoint(parts, entry_id),
        )

    return run_deps


def _keeper(parts: EngineParts) -> Callable[[Path, bytes], None]:
    """Keeps what a tool is about to overwrite, for a rewind."""
    checkpoints = parts.checkpoints
    return checkpoints.before_write if checkpoints is not None else lambda _path, _data: None


def _begin_checkpoint(parts: EngineParts, entry_id: str) -> None:
    if parts.checkpoints is not None:
        parts.checkpoints.begin(entry_id)
