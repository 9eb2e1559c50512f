"""The request, built step by step: the bytes of ``build_payload`` for the cost of what is new.

Turns that no later entry can change any more are kept as messages; only the end is built anew.
"""

from collections.abc import Sequence
from typing import Any

from agentcli.context.marks import Marks, read_marks
from agentcli.context.payload import PromptFrame, finish_payload
from agentcli.context.shapes import THINKING
from agentcli.context.turn_list import (
    Turn,
    answer_open_calls,
    api_message,
    heal_ids,
    join_turns,
    read_turns,
)
from agentcli.protocol.blocks import tool_uses
from agentcli.protocol.payload import Payload
from agentcli.session.entries import Entry


class PayloadBuilder:
    """For one engine: it is given the conversation before each request. What was handed out is
    never changed afterwards."""

    def __init__(self) -> None:
        self._path: Sequence[Entry] = ()
        self._model = ""
        self._seen = 0
        self._marks = Marks()
        self._ids: set[str] = set()
        self._settled: list[dict[str, Any]] = []
        self._start = 0
        """The entry that the open end begins with."""

    def build(self, path: Sequence[Entry], frame: PromptFrame) -> Payload:
        """The request for *path*: a list that only grows between two calls, or another one."""
        self._follow(path, frame.model)
        turns = read_turns(path, frame.model, self._start, self._marks)
        heal_ids(turns, self._ids)
        answer_open_calls(turns)
        cut = _last_cut(turns)
        if cut:
            self._ids |= {str(b["id"]) for turn in turns[:cut] for b in tool_uses(turn.blocks)}
            self._settled += [api_message(turn) for turn in join_turns(turns[:cut])]
            self._start = turns[cut].start
        end = [api_message(turn) for turn in join_turns(turns[cut:])]
        return finish_payload(end, frame, self._settled)

    def _follow(self, path: Sequence[Entry], model: str) -> None:
        """Begin anew where what was settled would be another now."""
        same = path is self._path and model == self._model and len(path) >= self._seen
        marks = read_marks(path, self._seen, self._marks) if same else read_marks(path)
        if not same or marks != self._marks:
            self._settled, self._start, self._ids = [], 0, set()
            self._marks = marks
        self._path, self._model, self._seen = path, model, len(path)


def _last_cut(turns: Sequence[Turn]) -> int:
    """The last turn of the model before which everything is final: it will not vanish, and the
    user's turn before it stands. 0: none."""
    for index in range(len(turns) - 1, 0, -1):
        turn, before = turns[index], turns[index - 1]
        if turn.role != "assistant" or not (before.results or before.blocks):
            continue
        if any(block["type"] not in THINKING for block in turn.blocks):
            return index
    return 0
