"""What waits in the queue is known after a kill."""

from typing import Any

from agentcli.protocol.prompts import Queued
from agentcli.session.entries import Entry
from agentcli.session.queue import dequeued, enqueued, pending

A, B, C = Queued("a"), Queued("ls", shell=True), Queued([{"type": "text", "text": "c"}])


def fold(*notes: dict[str, Any]) -> list[Queued]:
    return pending([Entry(note) for note in notes])


def test_what_was_queued_and_not_taken_waits_in_its_order() -> None:
    assert fold(enqueued(A), enqueued(B), enqueued(C)) == [A, B, C]
    assert fold(enqueued(A), enqueued(B), dequeued(0)) == [B]
    assert fold(enqueued(A), enqueued(B), enqueued(C), dequeued(1)) == [A, C]
    assert fold(enqueued(A), {"operation": "popAll"}, enqueued(B)) == [B]


def test_notes_of_others_and_odd_ones_are_survived() -> None:
    odd = [
        {"operation": "dequeue"},
        {"operation": "enqueue"},
        {"operation": "enqueue", "content": 7},
        {"operation": "remove", "index": "x"},
        {"operation": 3},
        {},
    ]
    assert fold(*odd, enqueued(A), {"operation": "remove", "content": "a"}) == []
    assert fold(enqueued(A), {"operation": "dequeue", "index": 9}) == []
