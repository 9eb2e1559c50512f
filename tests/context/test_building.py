"""Step by step or all at once: the same request, byte for byte."""

import random

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from agentcli.context.building import PayloadBuilder
from agentcli.context.marks import PREFIX_KIND
from agentcli.context.payload import PromptFrame, build_payload
from agentcli.session.entries import Entry
from tests.session.trees import call, prompt, result, said

FRAME = PromptFrame("m", "system", [], {"max_tokens": 9})
OTHER = PromptFrame("other", "system", [], {"max_tokens": 9})


def encoded(path: list[Entry], frame: PromptFrame, builder: PayloadBuilder | None) -> bytes:
    make = builder.build if builder is not None else build_payload
    return msgspec.json.encode(make(path, frame).body())


def attachment(uuid: str, kind: str) -> Entry:
    data = {"type": kind, "content": f"note {uuid}"}
    return Entry({"type": "attachment", "uuid": uuid, "attachment": data})


def some_entries(rng: random.Random, number: int) -> list[Entry]:
    """What one step may add: also what is damaged, out of order or empty."""
    uuid, message = f"u{number}", f"m{rng.choice([number, number, max(0, number - 1)])}"
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    match rng.randrange(12):
        case 0:
            return [prompt(uuid, None, rng.choice(["go", " ", "more"]))]
        case 1:
            return [said(uuid, None, message, thinking)]
        case 2:
            return [said(uuid, None, message, thinking), said(uuid + "t", None, message, "yes")]
        case 3:
            return [said(uuid, None, message, "an answer", rng.choice(["m", "other"]))]
        case 4:
            return [attachment(uuid, rng.choice(["environment", PREFIX_KIND, "unknown"]))]
        case 5:
            return [result(uuid, None, f"t{rng.randrange(number + 1)}", "stray or late")]
        case 6:
            return [call(uuid, None, message, f"t{rng.choice([number, 1])}")]
        case 7:
            failed = said(uuid, None, "msg_synthetic", "failed")
            return [Entry({**failed.data, "isApiErrorMessage": True})]
        case 8:
            first, second = f"t{number}a", f"t{number}b"
            return [
                call(uuid, None, message, first),
                result(uuid + "1", None, first),
                call(uuid + "x", None, message, second),
                result(uuid + "2", None, second),
            ]
        case _:
            return [
                said(uuid, None, message, thinking),
                call(uuid + "c", None, message, f"t{number}"),
                result(uuid + "r", None, f"t{number}"),
            ]


@given(seed=st.integers(0, 2**32), steps=st.integers(1, 60))
def test_each_step_gives_the_bytes_of_the_pure_function(seed: int, steps: int) -> None:
    rng = random.Random(seed)
    builder = PayloadBuilder()
    path: list[Entry] = []
    frame = FRAME
    for number in range(steps):
        path.extend(some_entries(rng, number))
        if rng.random() < 0.05:
            frame = OTHER if frame is FRAME else FRAME
        if rng.random() < 0.05:
            path = path[: rng.randrange(len(path) + 1)]
        if rng.random() < 0.7:
            assert encoded(path, frame, builder) == encoded(path, frame, None)


def test_what_was_handed_out_is_not_changed_by_later_steps() -> None:
    builder = PayloadBuilder()
    path = [prompt("p", None), said("a", None, "m1", "one"), prompt("q", None)]
    first = builder.build(path, FRAME)
    before = msgspec.json.encode(first.body())
    path += [said("b", None, "m2", "two"), prompt("r", None)]
    builder.build(path, FRAME)
    assert msgspec.json.encode(first.body()) == before


def test_settled_turns_are_not_built_again() -> None:
    builder = PayloadBuilder()
    path: list[Entry] = []
    for number in range(50):
        path += [prompt(f"p{number}", None), said(f"a{number}", None, f"m{number}", "yes")]
    path.append(prompt("last", None))
    first, second = builder.build(path, FRAME), builder.build(path, FRAME)
    same = [a is b for a, b in zip(first.messages, second.messages, strict=True)]
    assert same.count(False) <= 3
