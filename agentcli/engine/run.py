"""One run wired up: the notes before a prompt, and the ports that the loop goes round with."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agentcli.base.values import as_dict
from agentcli.context.building import PayloadBuilder
from agentcli.context.due_notes import due_notes
from agentcli.context.payload import PromptFrame
from agentcli.engine.auto_compact import AutoCompact
from agentcli.engine.bus import EventBus
from agentcli.engine.compact_deps import CompactDeps
from agentcli.engine.inbox import Inbox
from agentcli.engine.leaving_out import leave_out
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
from agentcli.protocol.errors import RequestRefused
from agentcli.protocol.events import Level, Notice, PromptAdded, StateChanged
from agentcli.protocol.modes import PermissionMode
from agentcli.protocol.prompts import Prompt, Queued
from agentcli.session.entries import EntryDraft, meta_draft, user_draft
from agentcli.session.log import SessionLog


@dataclass(frozen=True, slots=True)
class RunDeps:
    """The parts that one run works with. ``frame`` is asked before each request, so that a model
    chosen meanwhile counts from the next request on; ``answers_shell``: the model replies to the
    output of the person's own commands; ``prompt_begins`` hears of each prompt's entry, and
    blocks."""

    log: SessionLog
    bus: EventBus
    inbox: Inbox
    stats: Stats
    surroundings: Surroundings
    model_turn: ModelTurnDeps
    tools: ToolDeps
    payloads: PayloadBuilder
    compact: CompactDeps
    frame: Callable[[], PromptFrame]
    mode: Callable[[], PermissionMode]
    answers_shell: bool
    prompt_begins: Callable[[str], None]


async def run_item(deps: RunDeps, item: Queued, max_turns: int | None) -> LoopEnd:
    """Log the prompt, or run the command, with what must stand before it, then go round the loop.

    Raises ProviderError and CancelledError."""
    deps.surroundings.refresh()
    _add_notes(deps)
    if item.shell:

        def begins(entry_id: str) -> None:
            deps.inbox.logged()
            deps.prompt_begins(entry_id)

        await run_shell(deps.tools, str(item.content), begins)
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
        deps.inbox.logged()
        deps.bus.emit(PromptAdded(entry.uuid, prompt, tuple(map(str, shown))))
    await asyncio.to_thread(deps.prompt_begins, entry.uuid)


def _add_notes(deps: RunDeps) -> None:
    """Environment, frozen prefix and plan mode: logged when they differ from the last ones."""
    environment = deps.surroundings.describe()
    for draft in due_notes(deps.log.facts.notes, deps.frame(), environment, deps.mode()):
        deps.log.append(draft)


async def _request(deps: RunDeps) -> ModelTurn:
    """Send the conversation as the log has it; what the API refuses of it is left out for good."""
    while True:
        payload = deps.payloads.build(deps.log.path(), deps.frame())
        try:
            return await run_model_turn(deps.model_turn, payload)
        except RequestRefused as error:
            if not (count := leave_out(deps.log, error, payload)):
                raise
            what = "an image or document" if count == 1 else f"{count} images or documents"
            text = f"The model could not process {what} of this session; left out from now on."
            deps.bus.emit(Notice("warning", text))


def _loop_deps(deps: RunDeps) -> LoopDeps:
    auto = AutoCompact(deps.compact)

    async def request() -> ModelTurn:
        deps.stats.turns += 1
        turn = await auto.request(lambda: _request(deps))
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
