"""The SSE decoder: any split, any line end."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcli.protocol.errors import BadResponse
from agentcli.provider.sse import MAX_EVENT_BYTES, SseDecoder
from tests.provider.raw_server import plain, sse

STREAM = sse(*plain("Grüße 👋 \u2028 end"))


def decode(*pieces: bytes) -> list[dict[str, object]]:
    decoder = SseDecoder()
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return events + decoder.finish()


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_split_at_every_byte(newline: bytes) -> None:
    data = STREAM.replace(b"\n", newline)
    expected = plain("Grüße 👋 \u2028 end")
    assert decode(data) == expected
    assert decode(*(data[i : i + 1] for i in range(len(data)))) == expected


@given(st.lists(st.integers(0, len(STREAM)), max_size=12), st.sampled_from([b"\n", b"\r\n", b"\r"]))
def test_any_split_gives_the_same_events(cuts: list[int], newline: bytes) -> None:
    data = STREAM.replace(b"\n", newline)
    edges = [0, *sorted(cuts), len(data)]
    assert decode(*(data[a:b] for a, b in pairwise(edges))) == decode(data)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b': hello\ndata: {"type":"a"}\n\n', [{"type": "a"}]),
        (b'data:{"type":\ndata: "a"}\n\n', [{"type": "a"}]),
        (b'id: 7\nretry: 9\nfoo: x\ndata\ndata: {"type":"a"}\n\n', [{"type": "a"}]),
        (b'\xef\xbb\xbfdata: {"type":"a"}\n\n', [{"type": "a"}]),
        (b'data: {"type":"a"}', [{"type": "a"}]),
        (b'data: {"type":"a"}\n', [{"type": "a"}]),
        (b'event: a\ndata: {"x":1}\n\n', [{"type": "a", "x": 1}]),
        (b'event: later_kind\ndata: {"type":"later_kind"}\n\n', [{"type": "later_kind"}]),
        (b"event: a\n\n\n\n", []),
        (b"data: [DONE]\n\n", []),
        (b'data: {"type":"a"}\n\ndata: {"type":', [{"type": "a"}]),
        (b"", []),
        (
            b"event: error\ndata: upstream gone\n\n",
            [{"type": "error", "error": {"type": "api_error", "message": "upstream gone"}}],
        ),
    ],
)
def test_forms(data: bytes, expected: list[dict[str, object]]) -> None:
    assert decode(data) == expected
    assert decode(*(data[i : i + 1] for i in range(len(data)))) == expected


@pytest.mark.parametrize(
    "data", [b'{"type":"a"', b"[1]", b'{"type":NaN}', b'{"type":"\xff"}', b"[" * 100_000, b"nope"]
)
def test_broken_json_is_refused(data: bytes) -> None:
    with pytest.raises(BadResponse):
        SseDecoder().feed(b"data: " + data + b"\n\n")


def test_events_before_the_broken_one_are_not_lost() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b'data: {"type":"a"}\n\ndata: {\n\n') == [{"type": "a"}]
    with pytest.raises(BadResponse):
        decoder.feed(b"x")
    with pytest.raises(BadResponse):
        decoder.finish()


def test_an_endless_event_is_refused() -> None:
    decoder = SseDecoder()
    decoder.feed(b"data: " + b"x" * (MAX_EVENT_BYTES - 100))
    with pytest.raises(BadResponse, match="64 MB"):
        decoder.feed(b"x" * 200)
