"""The loop: request → blocks → calls → results → request, until the model asks for no tool."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from agentcli.engine.model_turn import ModelTurn
from agentcli.engine.response import LoggedCall
from agentcli.engine.settle import CUT_OUTPUT, CUT_STREAM, STOPPED, UNFINISHED
from agentcli.protocol.events import Level
from agentcli.protocol.modes import Outcome

_CUTS_LIMIT = 3
# Some compatible servers say end_turn beside complete calls; a response that was cut or refused
# says something else, and its calls are never run.
_RUN_REASONS = ("tool_use", "end_turn", "pause_turn")
_PAUSED = "Your turn was paused. Go on where you stopped."
_GO_ON = "The connection was lost in the middle of your answer. Go on where you stopped."


@dataclass(frozen=True, slots=True)
class LoopDeps:
    """The ports of the loop.

    ``request`` sends the conversation as the log has it; ``run_tools`` runs calls and is True
    when the person stopped the run; ``settle`` logs an error result for every call left open;
    ``note`` logs a message of the program to the model; ``deliver`` logs the prompts that were
    typed meanwhile; ``tell`` shows a line to the person.
    """

    request: Callable[[], Awaitable[ModelTurn]]
    run_tools: Callable[[Sequence[LoggedCall]], Awaitable[bool]]
    settle: Callable[[str], None]
    note: Callable[[str], None]
    deliver: Callable[[], Awaitable[bool]]
    tell: Callable[[Level, str], None]


@dataclass(frozen=True, slots=True)
class LoopEnd:
    """How a run ended. ``text`` is the last answer."""

    outcome: Outcome
    text: str
    stop_reason: str | None = None
    error: str | None = None


async def run_loop(deps: LoopDeps, max_turns: int | None) -> LoopEnd:
    """Go round until the model is done, the limit is reached or the person stops it.

    Raises ProviderError and CancelledError; the log is complete up to there in both cases.
    """
    turns, cuts, empty, text = 0, 0, 0, ""
    while True:
        if max_turns is not None and turns >= max_turns:
            return LoopEnd("max_turns", text, error=f"Reached the limit of {turns} turns.")
        turn = await deps.request()
        turns += 1
        text = turn.text or text
        reason = turn.stop.stop_reason if turn.stop is not None else None
        if turn.stop is None or (reason == "max_tokens" and turn.calls):
            cuts += 1
            deps.settle(CUT_STREAM if turn.stop is None else CUT_OUTPUT)
            if cuts > _CUTS_LIMIT:
                return _give_up(turn, text)
            if turn.stop is None:
                deps.note(_GO_ON)
                deps.tell("warning", "The connection was lost in mid-answer; asking to go on.")
            await deps.deliver()
            continue
        cuts = 0
        if turn.calls and reason in _RUN_REASONS:
            if await deps.run_tools(turn.calls):
                deps.settle(STOPPED)
                return LoopEnd("interrupted", text, reason)
            await deps.deliver()
            continue
        deps.settle(UNFINISHED)
        if reason == "pause_turn":
            deps.note(_PAUSED)
            await deps.deliver()
            continue
        if reason == "end_turn" and not turn.has_blocks and empty == 0:
            empty = 1
            deps.note("Your answer was empty. Answer the user, or call a tool.")
            continue
        if await deps.deliver():
            continue
        return _end(deps, turn, text)


def _give_up(turn: ModelTurn, text: str) -> LoopEnd:
    """Cut again and again. Raises ProviderError where the connection was at fault."""
    if turn.cut is not None:
        raise turn.cut
    error = (
        f"Each of the last {_CUTS_LIMIT + 1} answers was cut at the output limit in the middle of "
        "a call. Ask for the work in smaller pieces."
    )
    return LoopEnd("error", text, "max_tokens", error)


def _end(deps: LoopDeps, turn: ModelTurn, text: str) -> LoopEnd:
    stop = turn.stop
    reason = stop.stop_reason if stop is not None else None
    if reason == "refusal":
        category = stop.stop_details.get("category") if stop is not None else None
        named = f" ({category})" if category else ""
        error = f"The model declined to answer{named}. Change the prompt, or start with /clear."
        return LoopEnd("refused", text, reason, error)
    if reason == "model_context_window_exceeded":
        error = "The conversation no longer fits the model's window. Start a new one with /clear."
        return LoopEnd("error", text, reason, error)
    if reason == "max_tokens":
        deps.tell("warning", "The answer was cut at the output limit; ask to go on.")
    elif not turn.has_blocks:
        deps.tell("warning", "The model ended its turn without an answer.")
    return LoopEnd("success", text, reason)
