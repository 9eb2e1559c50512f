"""One run wired up: the notes before a prompt, and the ports that the loop goes round with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agentcli.base.values import as_dict
from agentcli.context.notes import ENVIRONMENT_KIND, MODE_KIND, PLAN_OFF, PLAN_ON
from agentcli.context.payload import PREFIX_KIND, PromptFrame, build_payload, note_kind
from agentcli.context.system import prefix_hash
from agentcli.engine.bus import EventBus
from agentcli.engine.inbox import Inbox
from agentcli.engine.loop import LoopDeps, LoopEnd, run_loop
from agentcli.engine.mentions import read_mentions
from agentcli.engine.model_turn import ModelTurn, ModelTurnDeps, run_model_turn
from agentcli.engine.response import LoggedCall
from agentcli.engine.settle import settle_open_calls
from agentcli.engine.shell import run_shell
from agentcli.engine.stats import Stats
from agentcli.engine.surroundings import Surroundings
from agentcli.engine.tool_call import ToolDeps
from agentcli.engine.tool_turn import run_tool_turn
from agentcli.protocol.events import Level, Notice, PromptAdded, StateChanged
from agentcli.protocol.modes import PermissionMode
from agentcli.protocol.prompts import Prompt, Queued
from agentcli.session.entries import EntryDraft, attachment_draft, meta_draft, user_draft
from agentcli.session.log import SessionLog


@dataclass(frozen=True, slots=True)
class RunDeps:
    """The parts that one run works with. ``frame`` is asked before each request, so that a model
    chosen meanwhile counts from the next request on; ``answers_shell``: the model replies to the
    output of the person's own commands."""

    log: SessionLog
    bus: EventBus
    inbox: Inbox
    stats: Stats
    surroundings: Surroundings
    model_turn: ModelTurnDeps
    tools: ToolDeps
    frame: Callable[[], PromptFrame]
    mode: Callable[[], PermissionMode]
    answers_shell: bool


async def run_item(deps: RunDeps, item: Queued, max_turns: int | None) -> LoopEnd:
    """Log the prompt, or run the command, with what must stand before it, then go round the loop.

    Raises ProviderError and CancelledError."""
    deps.surroundings.refresh()
    _add_notes(deps)
    if item.shell:
        await run_shell(deps.tools, str(item.content))
        deps.surroundings.refresh()
        if not deps.answers_shell:
            return LoopEnd("success", "")
    else:
        await add_prompt(deps, item.content)
    return await run_loop(_loop_deps(deps), max_turns)


async def add_prompt(deps: RunDeps, prompt: Prompt) -> None:
    """Log a prompt as it was typed behind what it mentions, then tell.

    Raises only CancelledError, with the prompt in the log even so."""
    drafts: list[EntryDraft] = []
    try:
        drafts = await read_mentions(deps.tools, prompt)
    finally:
        # Before the prompt: what stands behind the last message is no part of a conversation.
        entries = [deps.log.append(draft) for draft in drafts]
        shown = (as_dict(entry.data["attachment"]).get("displayPath") for entry in entries)
        entry = deps.log.append(user_draft(prompt, mode=deps.mode()))
        deps.bus.emit(PromptAdded(entry.uuid, prompt, tuple(map(str, shown))))


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

    async def deliver() -> bool:
        delivered = False
        while (prompt := deps.inbox.take_prompt()) is not None:
            await add_prompt(deps, prompt)
            delivered = True
        return delivered

    def tell(level: Level, text: str) -> None:
        deps.bus.emit(Notice(level, text))

    return LoopDeps(request, run_tools, settle, note, deliver, tell)
