"""One run wired up: the notes before a prompt, and the ports that the loop goes round with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agentcli.base.values import as_dict
from agentcli.context.notes import ENVIRONMENT_KIND, MODE_KIND, PLAN_OFF, PLAN_ON
from agentcli.context.payload import PREFIX_KIND, PromptFrame, build_payload, note_kind
from agentcli.context.system import prefix_hash
from agentcli.engine.bus import EventBus
from agentcli.engine.inbox import Inbox, Prompt
from agentcli.engine.loop import LoopDeps, LoopEnd, run_loop
from agentcli.engine.model_turn import ModelTurn, ModelTurnDeps, run_model_turn
from agentcli.engine.response import LoggedCall
from agentcli.engine.settle import settle_open_calls
from agentcli.engine.stats import Stats
from agentcli.engine.surroundings import Surroundings
from agentcli.engine.tool_call import ToolDeps
from agentcli.engine.tool_turn import run_tool_turn
from agentcli.protocol.events import Level, Notice, PromptAdded, StateChanged
from agentcli.protocol.modes import PermissionMode
from agentcli.session.entries import attachment_draft, meta_draft, user_draft
from agentcli.session.log import SessionLog


@dataclass(frozen=True, slots=True)
class RunDeps:
    """The parts that one run works with. ``frame`` is asked before each request, so that a model
    chosen meanwhile counts from the next request on."""

    log: SessionLog
    bus: EventBus
    inbox: Inbox
    stats: Stats
    surroundings: Surroundings
    model_turn: ModelTurnDeps
    tools: ToolDeps
    frame: Callable[[], PromptFrame]
    mode: Callable[[], PermissionMode]


async def run_prompt(deps: RunDeps, prompt: Prompt, max_turns: int | None) -> LoopEnd:
    """Log the prompt with what must stand before it, then go round the loop.

    Raises ProviderError and CancelledError."""
    deps.surroundings.refresh()
    _add_notes(deps)
    add_prompt(deps, prompt)
    return await run_loop(_loop_deps(deps), max_turns)


def add_prompt(deps: RunDeps, prompt: Prompt) -> None:
    """Log a prompt as it was typed, then tell."""
    entry = deps.log.append(user_draft(prompt, mode=deps.mode()))
    deps.bus.emit(PromptAdded(entry.uuid, prompt))


def _add_notes(deps: RunDeps) -> None:
    """Environment, frozen prefix and plan mode: logged when they differ from the last ones."""
    last = {note_kind(e): as_dict(e.data["attachment"]) for e in deps.log.path() if note_kind(e)}
    frame = deps.frame()
    digest = prefix_hash(frame.system, frame.tools)
    if last.get(PREFIX_KIND, {}).get("hash") != digest:
        deps.log.append(attachment_draft(PREFIX_KIND, hash=digest))
    environment = deps.surroundings.describe()
    if last.get(ENVIRONMENT_KIND, {}).get("content") != environment:
        deps.log.append(attachment_draft(ENVIRONMENT_KIND, content=environment))
    planned = last.get(MODE_KIND, {}).get("content") == PLAN_ON
    if planned != (deps.mode() == "plan"):
        note = PLAN_ON if deps.mode() == "plan" else PLAN_OFF
        deps.log.append(attachment_draft(MODE_KIND, content=note))


def _loop_deps(deps: RunDeps) -> LoopDeps:
    async def request() -> ModelTurn:
        deps.stats.turns += 1
        payload = build_payload(deps.log.path(), deps.frame())
        turn = await run_model_turn(deps.model_turn, payload)
        deps.bus.emit(StateChanged("context", deps.stats.context_tokens))
        return turn

    async def run_tools(calls: Sequence[LoggedCall]) -> bool:
        try:
            return await run_tool_turn(deps.tools, calls)
        finally:
            deps.surroundings.refresh()

    def settle(reason: str) -> None:
        settle_open_calls(deps.log, deps.bus, reason)

    def note(text: str) -> None:
        deps.log.append(meta_draft(text))

    def deliver() -> bool:
        delivered = False
        while (prompt := deps.inbox.take()) is not None:
            add_prompt(deps, prompt)
            delivered = True
        return delivered

    def tell(level: Level, text: str) -> None:
        deps.bus.emit(Notice(level, text))

    return LoopDeps(request, run_tools, settle, note, deliver, tell)
