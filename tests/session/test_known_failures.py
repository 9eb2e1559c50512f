"""The 45 known failures of session files in the wild, by their number in the format's notes.

Those with a test elsewhere stand in ``COVERED``; the others are here, named by their number.
"""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from agentcli.context.payload import PromptFrame, build_payload
from agentcli.demo.checks import check_request
from agentcli.session.codec import encode_line
from agentcli.session.entries import Entry, user_draft
from agentcli.session.log import Place, SessionLog
from agentcli.session.reading import read_session
from agentcli.session.tree import conversation
from tests.interop.home import open_bench
from tests.session.trees import call, prompt, result, said, uuids

COVERED = {
    1: "session/test_tree.py::test_a_phantom_parent_does_not_shorten_the_history",
    2: "e2e/test_kill.py::test_a_session_killed_at_any_line_goes_on",
    5: "engine/test_compacting.py::test_three_compactions_show_the_newest",
    6: "engine/test_run.py::test_retries_before_the_first_byte_are_told",
    7: "session/test_tree.py::test_progress_and_sidechains_never_end_the_conversation",
    10: "session/test_tree.py::"
    "test_parallel_results_are_put_back_after_their_response_in_file_order",
    11: "engine/test_history.py::test_a_branch_is_a_copy_and_the_original_stays",
    12: "session/test_tree.py::"
    "test_the_text_of_a_skill_beside_the_path_is_put_back_but_no_left_branch",
    15: "session/test_foreign_sessions.py::test_the_next_request_holds_the_conversation",
    17: "e2e/test_crash.py::test_killed_at_random_moments",
    18: "context/test_payload.py::test_thinking_is_sent_back_whole_or_not_at_all",
    19: "context/test_payload.py::test_thinking_that_ends_a_response_is_left_out",
    20: "interop/test_sdk.py::test_the_conversation_is_exactly_ours",
    21: "session/test_log.py::test_line_separators_are_escaped_and_surrogates_replaced",
    22: "session/test_log.py::test_line_separators_are_escaped_and_surrogates_replaced",
    24: "interop/test_ccusage.py::test_the_sums_agree",
    25: "interop/test_ccusage.py::test_each_session_alone_has_its_own_sum",
    26: "interop/test_ccusage.py::test_a_fork_and_a_branch_add_only_what_was_said_in_them",
    27: "session/test_check.py::test_a_cut_at_every_byte_damages_the_last_line_only",
    28: "session/test_codec.py::test_glued_at_every_byte",
    29: "session/test_log.py::test_bad_lines_are_skipped_counted_and_kept",
    30: "session/test_codec.py::test_nul_runs_between_and_behind_records",
    32: "session/test_reading.py::test_a_giant_line_is_read_from_the_back",
    34: "session/test_catalog.py::test_listing_costs_the_ends_of_the_files_only",
    35: "session/test_tree.py::test_the_latest_branch_in_file_order_wins",
    36: "engine/test_history.py::test_a_session_in_use_is_refused_and_can_be_forked",
    37: "engine/test_history.py::test_a_rewind_holds_though_nothing_was_typed_before_the_exit",
    38: "engine/test_history.py::test_a_branch_after_a_rewind_has_only_what_is_in_the_conversation",
    39: "engine/test_history.py::test_every_branch_is_in_the_tree_and_can_be_gone_to",
    40: "session/test_catalog.py::test_two_sessions_of_one_title_are_both_there",
    41: "engine/test_auto_compact.py::test_a_prompt_that_was_too_long_is_sent_again_shorter",
    42: "engine/test_summarize.py::test_cut_behind_any_line_it_is_the_old_conversation_or_the_new",
    43: "engine/test_auto_compact.py::test_a_session_over_the_limit_is_resumed_by_compacting_first",
    44: "session/test_catalog.py::test_a_slug_that_two_folders_share_does_not_mix_their_sessions",
    45: "session/test_checkpoints.py::test_a_change_by_hand_is_told_and_undo_brings_it_back",
}
_TOOLS = [{"name": "Read", "input_schema": {"type": "object"}}]
_FRAME = PromptFrame("m", "sys", _TOOLS, {"max_tokens": 10})
SID = "11111111-2222-4333-8444-{:012}"


def test_every_number_has_its_test() -> None:
    folder = Path(__file__).parent.parent
    for number, place in COVERED.items():
        file, _, name = place.partition("::")
        assert f"def {name}(" in (folder / file).read_text(), (number, place)
    here = {int(number) for number in re.findall(r"def test_(\d\d)_", Path(__file__).read_text())}
    assert here | set(COVERED) == set(range(1, 46))


def request(entries: list[Entry]) -> dict[str, Any]:
    """The next request of a conversation, which the API would take."""
    body = build_payload(conversation(entries), _FRAME).body()
    check_request(body, {"anthropic-version": "2023-06-01"})
    return body


def results_of(body: dict[str, Any]) -> dict[str, bool]:
    """Ids of the results in a request, and whether they are errors."""
    blocks = [block for message in body["messages"] for block in message["content"]]
    results = [block for block in blocks if block["type"] == "tool_result"]
    return {block["tool_use_id"]: bool(block.get("is_error")) for block in results}


def three_calls() -> list[Entry]:
    return [
        prompt("a", None),
        *(call(f"c{n}", f"c{n - 1}" if n > 1 else "a", "m1", f"t{n}") for n in (1, 2, 3)),
        *(result(f"r{n}", f"c{n}", f"t{n}") for n in (1, 2, 3)),
        said("e", "r3", "m2", "done"),
        prompt("z", "e"),
    ]


def test_03_of_a_thousand_lines_with_twenty_lost_parents_none_is_lost() -> None:
    entries = [prompt("u0", None)]
    for n in range(1, 1000):
        parent = "gone" if n % 50 == 0 else f"u{n - 1}"
        entries.append(prompt(f"u{n}", parent) if n % 2 else said(f"u{n}", parent, f"m{n}", "x"))
    assert len(conversation(entries)) == 1000


async def test_04_the_first_prompt_after_a_compaction_and_a_resume_has_a_saved_parent(
    tmp_path: Path,
) -> None:
    (tmp_path / "p").mkdir()
    async with open_bench(tmp_path / "h", tmp_path / "p") as (bench, server):
        engine = bench.engine(server, "bypassPermissions")
        await engine.prompt("one")
        await engine.prompt("two")
        assert (await engine.history.compact("")).outcome == "success"
        file = engine.transcript_path
        await engine.aclose()
        again = bench.engine(server, "bypassPermissions", resume=file)
        result = await again.prompt("three")
        assert result is not None and result.outcome == "success"
    entries = read_session(file).entries
    known = {entry.uuid for entry in entries}
    assert all(entry.parent_uuid in known for entry in entries if entry.parent_uuid)
    path = conversation(entries)
    assert path[0].data["subtype"] == "compact_boundary"
    assert "two" not in json.dumps([e.message for e in path if e.type == "assistant"])


async def test_08_the_same_file_grows_after_cd(tmp_path: Path) -> None:
    (tmp_path / "p" / "sub").mkdir(parents=True)
    async with open_bench(tmp_path / "h", tmp_path / "p") as (bench, server):
        engine = bench.engine(server, "bypassPermissions")
        await engine.shell("cd sub")
        await engine.prompt("two")
        cwds = [e.data.get("cwd") for e in read_session(engine.transcript_path).entries]
    assert len(list((tmp_path / "h").glob("projects/*/*.jsonl"))) == 1
    assert str(tmp_path / "p") in cwds and str(tmp_path / "p" / "sub") in cwds


async def test_09_after_a_resume_only_that_file_grows(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    async with open_bench(tmp_path / "h", tmp_path / "p") as (bench, server):
        engine = bench.engine(server, "bypassPermissions")
        await engine.prompt("in b")
        b = engine.transcript_path
        await engine.history.clear()
        await engine.prompt("in a")
        a = engine.transcript_path
        before, size = a.read_bytes(), b.stat().st_size
        await engine.history.resume(b)
        await engine.prompt("more in b")
        assert a.read_bytes() == before and b.stat().st_size > size
        assert all(e.data.get("sessionId") == b.stem for e in read_session(b).entries)


@pytest.mark.parametrize("lost", ["c1", "c2", "c3"])
def test_13_a_result_without_its_call_is_not_sent(lost: str) -> None:
    body = request([entry for entry in three_calls() if entry.uuid != lost])
    assert results_of(body) == {f"t{n}": False for n in (1, 2, 3) if f"c{n}" != lost}


@pytest.mark.parametrize("lost", ["r1", "r2", "r3"])
def test_14_a_lost_result_is_answered_as_an_error(lost: str) -> None:
    body = request([entry for entry in three_calls() if entry.uuid != lost])
    assert results_of(body) == {f"t{n}": f"r{n}" == lost for n in (1, 2, 3)}


def test_16_a_result_after_the_boundary_that_took_its_call_is_not_sent() -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None}
    entries = [
        *three_calls()[:2],
        Entry(boundary),
        prompt("s", "b", "summary", isCompactSummary=True),
        result("late", "s", "t1"),
        prompt("p", "late"),
    ]
    assert uuids(conversation(entries)) == "b s late p"
    assert results_of(request(entries)) == {}


def test_23_a_file_with_half_a_character_resumes(tmp_path: Path) -> None:
    file = tmp_path / f"{SID.format(1)}.jsonl"
    block = r'{"type":"tool_use","id":"t","name":"Read","input":{"file_path":"\ud99c"}}'
    message = f'{{"id":"m","role":"assistant","model":"m","content":[{block}]}}'
    file.write_text(
        '{"type":"user","uuid":"a","parentUuid":null,"message":{"role":"user","content":"q"}}\n'
        f'{{"type":"assistant","uuid":"b","parentUuid":"a","message":{message}}}\n'
    )
    log = SessionLog.open_existing(file, lambda: Place("/x", None))
    log.append(user_draft("go on"))
    body = request(list(log.path()))
    log.close()
    assert json.dumps(body, ensure_ascii=False).encode("utf-8")  # no half is sent
    assert list(results_of(body)) == ["t"]


async def test_31_binary_output_of_a_tool_is_taken_by_the_api(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    async with open_bench(tmp_path / "h", tmp_path / "p") as (bench, server):
        engine = bench.engine(server, "bypassPermissions")
        for words in ("noise please", "and on"):
            result = await engine.prompt(words)
            assert result is not None and result.outcome == "success"
        assert [exchange.status for exchange in server.requests] == [200] * 3
        raw = engine.transcript_path.read_bytes()
    assert not any(odd in raw for odd in (b"\x00", b"\x7f", b"\xc2\x85", b"\xe2\x80\xa8"))
    assert raw.decode("utf-8")


@pytest.mark.slow
def test_33_a_hundred_thousand_lines_of_progress_open_at_once(tmp_path: Path) -> None:
    file = tmp_path / f"{SID.format(1)}.jsonl"
    with file.open("wb") as out:
        last = None
        for n in range(100_000):
            uuid, parent = f"u{n}", last
            if n % 10:
                entry = Entry({"type": "progress", "uuid": uuid, "parentUuid": parent, "data": {}})
            elif n % 20:
                entry = said(uuid, parent, f"m{n}", "words " * 20)
            else:
                entry = prompt(uuid, parent, "words " * 20)
            out.write(encode_line({**entry.data, "sessionId": file.stem, "cwd": "/code/shop"}))
            last = uuid
    began = time.process_time()
    log = SessionLog.open_existing(file, lambda: Place("/x", None))
    took = time.process_time() - began
    count = sum(entry.type != "progress" for entry in log.path())
    log.close()
    assert count == 10_000 and took < 5
