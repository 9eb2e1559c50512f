"""The parts of a running engine, as ``build`` made them; facade and runner share one set."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from agentcli.engine.bus import EventBus
from agentcli.engine.gate import Gate
from agentcli.engine.inbox import Inbox
from agentcli.engine.logs import Logs
from agentcli.engine.run import RunDeps
from agentcli.engine.stats import Stats
from agentcli.engine.surroundings import Surroundings
from agentcli.engine.transport import Transport
from agentcli.protocol.asks import Denial
from agentcli.provider.models import ModelInfo
from agentcli.session.checkpoints import Checkpoints
from agentcli.session.log import SessionLog
from agentcli.tools.file_state import FileState


@dataclass(slots=True)
class EngineParts:
    """What ``build_engine`` made. ``logs`` makes those of other sessions, ``run_deps`` binds the
    parts to the current one."""

    home: Path
    log: SessionLog
    bus: EventBus
    gate: Gate
    inbox: Inbox
    stats: Stats
    surroundings: Surroundings
    transport: Transport
    files: FileState
    model: ModelInfo
    effort: str | None
    max_turns: int | None
    logs: Logs
    run_deps: "Callable[[EngineParts], RunDeps]"
    tool_names: tuple[str, ...]
    takes_up_queue: bool
    checkpoints: Checkpoints | None = None
    denials: list[Denial] = field(default_factory=list[Denial])
