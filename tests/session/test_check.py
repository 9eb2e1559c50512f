"""Each known damage is named with its line; no damage at all ever raises."""

import random
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcli.protocol.calls import ToolResult
from agentcli.protocol.events import Compacted
from agentcli.session.check import check_session
from agentcli.session.check_report import Report
from agentcli.session.codec import decode_lines, encode_line
from agentcli.session.compact_entries import boundary_draft, summary_draft
from agentcli.session.entries import (
    INTERRUPT_TEXT,
    Entry,
    assistant_draft,
    error_draft,
    interrupt_draft,
    result_draft,
    user_draft,
)
from agentcli.session.log import Place, SessionLog
from agentcli.session.outline import outline
from agentcli.session.tree import conversation
from tests.session.test_reading import random_session
from tests.session.trees import call, marker, prompt, result, said

SESSION = "5f0c1f5e-0000-4000-8000-000000000001"
BASE = {
    "userType": "external",
    "cwd": "/p",
    "version": "2.1.265",
    "isSidechain": False,
    "sessionId": SESSION,
    "timestamp": "2026-11-01T10:00:00.000Z",
}


def lines_of(*entries: Entry) -> list[bytes]:
    return [encode_line({"type": entry.type, **BASE, **entry.data}) for entry in entries]


def check(lines: list[bytes]) -> Report:
    return check_session(lines, SESSION)


def found(report: Report) -> list[tuple[int, str, str]]:
    return [(problem.line, problem.kind, problem.severity) for problem in report.problems]


def talk(length: int = 6) -> list[Entry]:
    entries: list[Entry] = []
    for number in range(length):
        above = entries[-1].uuid if entries else None
        entries.append(prompt(f"p{number}", above))
        entries.append(said(f"a{number}", f"p{number}", f"m{number}", "an answer"))
    return entries


def test_a_whole_session_is_clean() -> None:
    report = check(lines_of(*talk(3), call("c", "a2", "m9", "t"), result("r", "c", "t")))
    assert found(report) == []
    assert report.is_clean
    assert (report.lines, report.entries, report.prompts, report.branches) == (8, 8, 3, 0)
    assert (report.reachable, report.unreachable) == (8, 0)
    assert report.resume == "8 entries with 3 of 3 prompts, lines 1 to 8."


def test_what_a_resume_leaves_behind_is_counted() -> None:
    boundary = Entry({"type": "system", "subtype": "compact_boundary", "uuid": "b"})
    boundary.data.update(parentUuid=None, logicalParentUuid="x1")
    report = check(
        lines_of(
            *talk(2),
            prompt("x0", "a0", "another way"),
            said("x1", "x0", "mx", "yes"),
            boundary,
            prompt("s", "b", isCompactSummary=True),
            prompt("n", "s", "go on"),
        )
    )
    assert (report.prompts, report.branches) == (4, 1)
    assert (report.reachable, report.unreachable) == (3, 6)
    assert report.resume == "3 entries with 1 of 4 prompts, lines 7 to 9, from a compaction on."
    assert found(report) == []


def test_a_cleared_session_sends_nothing() -> None:
    report = check(lines_of(*talk(1), marker(None, explicit=True)))
    assert report.resume.startswith("Nothing")
    assert report.reachable == 0


GOOD = lines_of(*talk(6))
HALF = GOOD[4][: len(GOOD[4]) // 2]


@pytest.mark.parametrize(
    ("line", "kind", "severity", "entries"),
    [
        (HALF + b"\n", "not JSON", "error", 11),
        (HALF + GOOD[4], "glued line", "warning", 12),
        (
            GOOD[4][:-1] + encode_line({"type": "tag", "tag": "x", "sessionId": SESSION}),
            "glued line",
            "warning",
            13,
        ),
        (b"\x00" * 300 + b"\n", "NUL bytes", "warning", 11),
        (GOOD[4][:-1] + b"\x00" * 9000 + b"\n", "NUL bytes", "warning", 12),
        (b"\n", "blank line", "info", 11),
        (b"[1,2]\n", "not JSON", "error", 11),
        (b"\xff\xfe\xff\n", "invalid UTF-8", "error", 11),
        (GOOD[4].replace(b"prompt p2", b"pro\xff\xfempt"), "invalid UTF-8", "warning", 12),
        (GOOD[4].replace(b"prompt p2", b"pro\\ud99cmpt"), "lone surrogate", "warning", 12),
        (GOOD[4].replace(b"prompt p2", "a\u2028b".encode()), "separator", "warning", 12),
        (GOOD[4].replace(b"prompt p2", "a\x85b".encode()), "separator", "warning", 12),
        (GOOD[4][:-1] + b"\r\n", "CRLF", "info", 12),
        (GOOD[4].replace(b'"user"', b'"usher"', 1), "unknown type", "info", 12),
        (GOOD[4].replace(SESSION.encode(), b"another"), "other session", "warning", 12),
        (GOOD[4].replace(b'"version":"2.1.265",', b""), "missing fields", "info", 12),
        (GOOD[4].replace(b'"uuid":"p2",', b""), "no uuid", "error", 12),
        (GOOD[4].replace(b'"prompt p2"', b"null"), "no content", "warning", 12),
    ],
)
def test_each_damage_to_a_line_is_named_there(
    line: bytes, kind: str, severity: str, entries: int
) -> None:
    damaged = [*GOOD[:4], line, *GOOD[5:]]
    report = check(damaged)
    here = [problem for problem in report.problems if problem.line == 5]
    assert [(problem.kind, problem.severity) for problem in here] == [(kind, severity)]
    assert here[0].offset == sum(map(len, GOOD[:4]))
    assert here[0].done
    assert report.entries == entries
    # what hung under a line that is lost says so, and nothing else is told
    assert {p.kind for p in report.problems if p.line != 5} <= {"phantom parent"}


@pytest.mark.parametrize("at", [0, 5])
def test_a_byte_order_mark_is_named(at: int) -> None:
    report = check([*GOOD[:at], b"\xef\xbb\xbf" + GOOD[at], *GOOD[at + 1 :]])
    assert found(report) == [(at + 1, "BOM", "warning")]
    assert report.entries == 12


def test_the_end_of_the_file_is_named() -> None:
    assert found(check([*GOOD, HALF])) == [(13, "torn line", "error")]
    assert found(check([*GOOD[:-1], GOOD[-1][:-1]])) == [(12, "no line end", "info")]
    assert found(check([])) == [(0, "empty", "error")]


def changed(entries: list[Entry], at: int, **fields: Any) -> list[Entry]:
    return [
        Entry({**entry.data, **fields}) if index == at else entry
        for index, entry in enumerate(entries)
    ]


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (changed(talk(), 4, parentUuid="gone"), [(5, "phantom parent", "error")]),
        (changed(talk(), 4, parentUuid=None), [(5, "second root", "info")]),
        (changed(talk(), 0, parentUuid="gone"), [(1, "phantom parent", "error")]),
        (
            changed(talk(), 0, parentUuid="a1"),
            [(1, "unordered", "info"), (4, "cycle", "error")],
        ),
        ([*talk(), marker("gone")], [(13, "stale marker", "info")]),
        ([*talk(), talk()[2]], [(13, "duplicate uuid", "warning")]),
        ([*talk(), call("c", "a5", "m", "t")], [(13, "open call", "warning")]),
        ([*talk(), result("r", "a5", "t")], [(13, "orphan result", "warning")]),
        (
            [*talk(), call("c", "a5", "m", "t"), result("r", "c", "t"), result("q", "c", "t")],
            [(15, "second result", "warning")],
        ),
        ([*talk(), prompt("s", "gone", isSidechain=True)], []),
        (
            [*talk(), call("s", None, "m", "t"), result("r", "s", "t")],
            [(13, "second root", "info")],
        ),
    ],
)
def test_each_fault_between_entries_is_named_at_its_line(
    entries: list[Entry], expected: list[tuple[int, str, str]]
) -> None:
    assert found(check(lines_of(*entries))) == expected


def test_null_figures_are_named() -> None:
    entry = said("a", "p5", "m", "x")
    entry.data["message"]["usage"] = {"input_tokens": 1, "speed": None}
    entry.data["requestId"] = None
    report = check(lines_of(*talk(), entry))
    assert [text for _line, text, _ in found(report)] == ["null field", "null field"]
    assert report.is_clean


def test_what_is_no_prompt_and_no_end_is_known_without_its_content() -> None:
    entries = [
        *talk(3),
        prompt("f", "a2", "next"),
        prompt("n", "f", "a note", isMeta=True),
        prompt("c", "n", "a summary", isCompactSummary=True),
        prompt("i", "c", "[Request interrupted by user]"),
        prompt("w", "i", "a way not taken"),
        prompt("z", "i", "the way taken"),
        prompt("t", "z", "of another", teamName="others"),
    ]
    report = check(lines_of(*entries))
    nodes = outline(entries)
    assert report.prompts == sum(node.kind == "prompt" for node in nodes) == 7
    assert report.branches == 1
    assert report.reachable == len(conversation(entries)) == len(entries) - 2


def test_a_summary_of_the_end_is_a_branch_beside_it() -> None:
    report = check(lines_of(*talk(2), prompt("s", "a0", "a summary", isCompactSummary=True)))
    assert (report.prompts, report.branches) == (2, 1)


def test_of_two_lines_with_one_uuid_the_later_one_counts() -> None:
    entries = [*talk(3), said("x", "p1", "mx", "another"), prompt("x", "a2", "later")]
    report = check(lines_of(*entries))
    assert (report.reachable, report.prompts) == (7, 4)
    report = check(
        lines_of(call("c", None, "m", "t"), said("d", "c", "m", "x"), call("d", "c", "m", "t"))
    )
    assert [problem.line for problem in report.problems if problem.kind == "open call"] == [1]


def told(report: Report) -> list[str]:
    return [f"{problem.text}; {problem.done}" for problem in report.problems]


def test_what_is_made_of_it_is_told() -> None:
    assert told(check(lines_of(*changed(talk(), 0, parentUuid="gone")))) == [
        "its parent gone does not exist; the conversation begins there"
    ]
    assert told(check(lines_of(*changed(talk(), 4, parentUuid="gone")))) == [
        "its parent gone does not exist; the entry before it stands in"
    ]
    glued = GOOD[0][:-1] + GOOD[1]
    assert told(check([glued])) == ["2 entries stand on one line; all that is whole is used"]
    nuls = b"\x00" * 9
    assert told(check([GOOD[0], nuls + b"\n", GOOD[1][:-1] + nuls + b"\n"])) == [
        "the line holds NUL bytes; left out",
        "the line holds NUL bytes; what stands whole beside them is used",
    ]


def damaged(rng: random.Random, data: bytes) -> bytes:
    for _ in range(rng.randrange(6)):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(5):
            case 0:
                data = data[:at] + b"\x00" * rng.randrange(1, 400) + data[at:]
            case 1:
                data = data[:at]
            case 2:
                data = data[:at] + data[at:].replace(b"\n", b"", rng.randrange(3))
            case 3:
                data = data[:at] + rng.randbytes(rng.randrange(30)) + data[at + 9 :]
            case _:
                data = data[:at] + data[rng.randrange(len(data) + 1) :]
    return data


@given(seed=st.integers(0, 2**32), size=st.integers(0, 60), harm=st.booleans())
def test_the_figures_are_those_of_a_resume_whatever_the_damage(
    seed: int, size: int, harm: bool
) -> None:
    rng = random.Random(seed)
    data = b"".join(encode_line(entry.data) for entry in random_session(rng, size))
    data = damaged(rng, data) if harm else data
    lines = data.splitlines(keepends=True) if b"\r" not in data else data.split(b"\n")
    report = check(lines)
    entries, bad = decode_lines(lines)
    path = {entry.uuid for entry in conversation(entries)}
    tree = [entry for entry in entries if entry.is_tree and not entry.is_sidechain]
    assert report.reachable == sum(entry.uuid in path for entry in tree)
    assert report.unreachable == sum(entry.uuid not in path for entry in tree)
    nodes = outline(entries)
    assert report.prompts == sum(node.kind == "prompt" for node in nodes)
    starts = [problem.offset for problem in report.problems if problem.line]
    assert all(offset == 0 or data[offset - 1 : offset] == b"\n" for offset in starts) or harm
    if bad:
        assert any(problem.severity != "info" for problem in report.problems)


def test_a_cut_at_every_byte_damages_the_last_line_only() -> None:
    whole = b"".join(lines_of(*talk(2), said("u", "a1", "m", "é😀\u2028")))
    before = len(whole) - len(whole.split(b"\n")[-2]) - 1
    for cut in range(before + 1, len(whole)):
        report = check(whole[:cut].splitlines(keepends=True))
        kind = "no line end" if cut == len(whole) - 1 else "torn line"
        assert [(line, found) for line, found, _ in found(report)] == [(5, kind)]


def test_what_the_program_writes_is_clean(tmp_path: Path) -> None:
    log = SessionLog(tmp_path / f"{SESSION}.jsonl", SESSION, lambda: Place("/p", "main"))
    log.append(user_draft("a prompt\u2028 of \ud83d two"))
    block = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}
    called = log.append(
        assistant_draft(
            message_id="m",
            model="x",
            block=block,
            stop_reason="tool_use",
            usage={"output_tokens": 4, "speed": None},
            request_id=None,
        )
    )
    log.append(result_draft("t", called.uuid, ToolResult("out\x00\x9b")))
    facts = Compacted("manual", 60_000, 4_000, "what was said", "all")
    log.append_all([boundary_draft(facts, 9), summary_draft(facts, "", 9)])
    log.append(error_draft("the request failed"))
    log.rename("a name")
    log.append(interrupt_draft(INTERRUPT_TEXT))
    log.close()
    with log.file.open("rb") as lines:
        report = check_session(lines, SESSION)
    assert found(report) == []
    assert (report.prompts, report.reachable, report.unreachable) == (1, 4, 3)


def test_a_large_file_is_never_in_memory() -> None:
    line = encode_line({**prompt("p", None, "x" * 400_000).data, **BASE})
    check([line])
    tracemalloc.start()
    try:
        check_session((line.replace(b'"p"', b'"p%d"' % n) for n in range(60)), SESSION)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10 * len(line)


def seconds(count: int) -> float:
    lines = lines_of(*talk(count))
    start = time.process_time()
    check(lines)
    return time.process_time() - start


@pytest.mark.benchmark
def test_the_time_grows_with_the_file_only() -> None:
    seconds(500)
    small, large = (min(seconds(size) for _ in range(3)) for size in (2_000, 20_000))
    assert large / small < 15
