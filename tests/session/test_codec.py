"""Lines that were damaged: what is whole in them is kept, all else is counted."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcli.session.codec import decode_line, decode_lines, encode_line

GOOD = b'{"parentUuid":null,"type":"user","uuid":"b","message":{"role":"user","content":"B"}}'


def test_a_half_line_with_a_whole_one_glued_on_gives_the_whole_one() -> None:
    decoded = decode_line(b'{"type":"us' + GOOD)
    assert decoded.bad
    assert [data["uuid"] for data in decoded.objects] == ["b"]


@given(cut=st.integers(1, len(GOOD) - 1))
def test_glued_at_every_byte(cut: int) -> None:
    entries, bad = decode_lines([GOOD[:cut] + GOOD.replace(b'"b"', b'"c"')])
    assert [entry.uuid for entry in entries] == ["c"]
    assert bad == 1


def test_an_object_inside_a_string_is_no_line_of_its_own() -> None:
    line = encode_line({"type": "user", "uuid": "a", "text": GOOD.decode()})
    entries, bad = decode_lines([line])
    assert [entry.uuid for entry in entries] == ["a"]
    assert bad == 0


def test_nul_runs_between_and_behind_records() -> None:
    entries, bad = decode_lines([GOOD + b"\0" * 9000, b"\0" * 300, b"\0" * 5 + GOOD, b"\0\0{\0"])
    assert [entry.uuid for entry in entries] == ["b"]
    assert bad == 1
    decoded = decode_line(GOOD + b"\0" * 9 + GOOD.replace(b'"b"', b'"c"'))
    assert [data["uuid"] for data in decoded.objects] == ["b", "c"]


def test_wrong_utf8_costs_its_bytes_only() -> None:
    decoded = decode_line(GOOD.replace(b'"B"', b'"B\xff\xfe"'))
    assert decoded.objects[0]["message"]["content"] == "B\ufffd\ufffd"
    assert decoded.bad


@pytest.mark.parametrize("line", [b"42", b"[]", b"null", b'"x"', b'{"a":', b"\xff", b"[" * 5000])
def test_what_is_no_object_is_bad(line: bytes) -> None:
    assert decode_line(line) == ([], True)


@given(st.binary(max_size=300))
def test_any_bytes_are_survived(line: bytes) -> None:
    decode_line(line)


def test_what_is_written_is_read_back() -> None:
    data = {"type": "user", "uuid": "a", "text": "\u2028\u2029\x85\x7f\x00 ü 😀"}
    line = encode_line(data)
    assert json.loads(line) == data
    assert decode_line(line.rstrip()) == ([data], False)


def test_whole_lines_that_stand_on_one_are_all_read() -> None:
    lines = [encode_line({"type": "user", "uuid": name, "text": "}{"}) for name in "abc"]
    glued = b"".join(line[:-1] for line in lines)
    decoded = decode_line(b'{"type":"half","x":"' + glued)
    assert [data["uuid"] for data in decoded.objects] == ["a", "b", "c"]
    assert decoded.bad


def test_half_a_character_costs_no_line() -> None:
    decoded = decode_line(b'{"type":"user","uuid":"a","text":"x\\ud99cy \\ud83d\\ude00"}\n')
    assert decoded.objects == [{"type": "user", "uuid": "a", "text": "x\ufffdy 😀"}]


def test_a_block_at_the_end_of_a_torn_line_is_no_entry() -> None:
    torn = b'{"type":"user","uuid":"a","message":{"content":[{"type":"text","text":"x"}'
    assert decode_line(torn).objects == []
