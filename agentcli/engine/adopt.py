"""Make a log the one that the engine works with: at the start, and whenever another takes over."""

from agentcli.engine.gate import Gate
from agentcli.engine.parts import EngineParts
from agentcli.engine.settle import LOST, settle_open_calls
from agentcli.protocol.errors import UsageError
from agentcli.protocol.events import Notice
from agentcli.protocol.modes import PERMISSION_MODES
from agentcli.provider.models import resolve_model
from agentcli.session.log import SessionLog
from agentcli.session.queue import pending

_RESTORED_MODES = ("default", "acceptEdits", "dontAsk")
"""The others must not come back by themselves."""


def adopt(parts: EngineParts, log: SessionLog) -> None:
    """Close the present log and go on with *log*, whatever it holds. Nothing may run meanwhile."""
    if log is not parts.log:
        parts.log.close()
        if count := parts.log.unsaved:
            text = f"{count} lines of the session that was left could not be saved to "
            parts.bus.emit(Notice("error", f"{text}{parts.log.file}; they are lost."))
    parts.log = log
    parts.checkpoints = parts.logs.checkpoints_for(log)
    parts.gate.show_outputs(log.tool_results)
    parts.files.clear()
    settle_open_calls(log, parts.bus, LOST)
    parts.stats.begin(parts.model.window)
    parts.stats.take_earlier(log.path())
    queued = pending(log.side("queue-operation")) if parts.takes_up_queue else ()
    parts.inbox.restore(queued)


def restore_model(parts: EngineParts, log: SessionLog) -> None:
    """Use the model of the last answer again, where it is known."""
    name = last_model(log)
    if name is None:
        return
    try:
        parts.model = resolve_model(name)
    except UsageError:
        return
    parts.stats.context_window = parts.model.window


def last_model(log: SessionLog) -> str | None:
    """The model of the last answer of *log*; None where there is none."""
    for entry in reversed(log.path()):
        if entry.type == "assistant" and not entry.data.get("isApiErrorMessage"):
            model = entry.message.get("model")
            return model if isinstance(model, str) else None
    return None


def restore_mode(log: SessionLog, gate: Gate) -> None:
    """Take up the mode of the last prompt of *log*, except those that ask for a decision anew."""
    for entry in reversed(log.path()):
        mode = entry.data.get("permissionMode")
        if mode in _RESTORED_MODES:
            gate.set_mode(mode)
        if mode in PERMISSION_MODES:
            return
