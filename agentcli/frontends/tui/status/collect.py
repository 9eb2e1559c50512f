"""From the engine to what the person's status script is told."""

from agentcli.base.version import __version__
from agentcli.frontends.tui.port import EnginePort
from agentcli.frontends.tui.status.script_input import ScriptFacts


def script_facts(engine: EnginePort, model_name: str, vim_mode: str = "") -> ScriptFacts:
    """The facts as they are now; *model_name* is what a person calls the model."""
    stats = engine.stats
    return ScriptFacts(
        session_id=engine.session_id,
        transcript_path=str(engine.transcript_path),
        cwd=str(engine.cwd),
        project_dir=str(engine.project_dir),
        added_dirs=tuple(str(folder) for folder in engine.added_dirs),
        model_id=engine.model,
        model_name=model_name,
        version=__version__,
        cost_usd=stats.total_cost_usd,
        duration_ms=stats.duration_ms,
        api_ms=stats.api_ms,
        lines_added=stats.lines_added,
        lines_removed=stats.lines_removed,
        usage=stats.usage,
        last_usage=stats.current_usage,
        context_tokens=stats.context_tokens,
        context_window=stats.context_window,
        effort=engine.effort or "",
        vim_mode=vim_mode,
    )
