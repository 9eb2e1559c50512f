"""When a conversation is compacted, what is asked, what is left out, what is written."""

from dataclasses import replace
from typing import Any

import pytest

from agentcli.context.compact_rules import (
    CompactRules,
    compact_at,
    due,
    load_compact_rules,
    usable_window,
)
from agentcli.context.compaction import (
    after_summary,
    ask_again,
    has_answer,
    instruction,
    read_summary,
    request_tokens,
    smaller_request,
    summary_request,
    unanswered_at,
    with_gist,
    written_again,
)
from agentcli.context.due_notes import due_notes
from agentcli.context.notes import PLAN_OFF, PLAN_ON
from agentcli.context.payload import PromptFrame, build_payload
from agentcli.context.sizes import SizeMeter, context_size, entry_tokens, estimate_tokens
from agentcli.session.entries import INTERRUPT_TEXT, Entry, EntryDraft
from tests.session.trees import call, prompt, result, said

THINKING: dict[str, Any] = {"type": "thinking", "thinking": "hm", "signature": "s"}
FRAME = PromptFrame(
    "m", "sys", [{"name": "T"}], {"max_tokens": 64_000, "thinking": {"type": "enabled"}}
)


def conversation() -> list[Entry]:
    return [
        prompt("a", None, "look around"),
        said("b", "a", "m1", THINKING),
        call("c", "b", "m1", "t1"),
        result("d", "c", "t1", "found"),
        said("e", "d", "m2", "there it is"),
    ]


def used(entry: Entry, **usage: int) -> Entry:
    return Entry({**entry.data, "message": {**entry.message, "usage": usage}})


# when


@pytest.mark.parametrize(
    ("window", "rules", "limit"),
    [
        (1_000_000, CompactRules(), 967_000),
        (200_000, CompactRules(), 167_000),
        (1_000_000, CompactRules(window=500_000), 467_000),
        (200_000, CompactRules(window=500_000), 167_000),
        (200_000, CompactRules(percent=50), 100_000),
        (200_000, CompactRules(percent=100), 167_000),
        (100_000, CompactRules(), 80_000),
        (32_000, CompactRules(), 25_600),
    ],
)
def test_the_limit(window: int, rules: CompactRules, limit: int) -> None:
    assert compact_at(window, rules) == limit
    assert not due(limit - 1, window, rules) and due(limit, window, rules)
    assert not due(limit, window, CompactRules(False, True, rules.window, rules.percent))


@pytest.mark.parametrize(
    ("env", "enabled", "window", "rules"),
    [
        ({}, None, None, CompactRules()),
        ({}, False, 300_000, CompactRules(auto=False, window=300_000)),
        ({"DISABLE_AUTO_COMPACT": "1"}, True, None, CompactRules(auto=False)),
        ({"DISABLE_COMPACT": "true"}, True, None, CompactRules(auto=False, manual=False)),
        ({"DISABLE_COMPACT": "0"}, None, None, CompactRules()),
        ({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "500000"}, None, 1, CompactRules(window=500_000)),
        ({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "7"}, None, None, CompactRules(window=100_000)),
        ({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "500k"}, None, None, CompactRules()),
        ({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "9" * 5000}, None, None, CompactRules()),
        ({"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "60"}, None, None, CompactRules(percent=60)),
        ({"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "0"}, None, None, CompactRules()),
        ({"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "101"}, None, None, CompactRules()),
        ({"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "²"}, None, None, CompactRules()),
    ],
)
def test_what_settings_and_environment_say(
    env: dict[str, str], enabled: bool | None, window: int | None, rules: CompactRules
) -> None:
    assert load_compact_rules(env, enabled, window) == rules


def test_a_chosen_window_is_never_larger_than_the_models() -> None:
    assert usable_window(200_000, CompactRules(window=900_000)) == 200_000
    assert usable_window(1_000_000, CompactRules(window=900_000)) == 900_000


# how large


def test_the_figure_of_the_last_answer_and_what_came_since() -> None:
    path = conversation()
    path[4] = used(path[4], input_tokens=900, output_tokens=100)
    assert context_size(path, lambda: 10**6) == 1000
    more = [*path, prompt("f", "e", "x" * 4000)]
    assert 2000 <= context_size(more, lambda: 10**6) < 2050


def test_a_meter_says_the_same_and_looks_at_new_entries_only() -> None:
    asked = 0

    def overhead() -> int:
        nonlocal asked
        asked += 1
        return 5000

    meter, path = SizeMeter(overhead), [prompt("a", None, "x" * 900)]
    told = used(said("t", None, "m3", "ok"), input_tokens=70_000)
    for entry in [*conversation(), told, *conversation(), told, prompt("z", None, "y" * 90)]:
        path.append(entry)
        before = meter.size(path[:-1]) if len(path) == 4 else 0  # another list: begun anew
        assert meter.size(path) == context_size(path, lambda: 5000) > before
    assert asked == 3
    del path[5:]
    assert meter.size(path) == context_size(path, lambda: 5000)


@pytest.mark.parametrize("usage", [{}, {"input_tokens": 0}, {"input_tokens": "odd"}])
def test_without_a_figure_all_is_estimated(usage: dict[str, Any]) -> None:
    path = conversation()
    path[4] = used(path[4], **usage)
    assert context_size(path, lambda: 5000) == 5000 + entry_tokens(path)
    failed = Entry({**used(path[4], input_tokens=7).data, "isApiErrorMessage": True})
    assert context_size([*path, failed], lambda: 5000) > 5000


def test_behind_a_boundary_its_figure_is_not_added_twice() -> None:
    metadata = {"trigger": "auto", "preTokens": 9, "postTokens": 70_000}
    boundary = Entry(
        {"type": "system", "subtype": "compact_boundary", "compactMetadata": metadata, "uuid": "b"}
    )
    summary = prompt("s", "b", "y" * 400, isCompactSummary=True)
    assert context_size([boundary, summary], lambda: 50) == 50 + entry_tokens([boundary, summary])
    part = prompt("s", "b", "y" * 400, isCompactSummary=True, compactMetadata=metadata)
    path = [prompt("a", None, "x"), part, prompt("n", "s", "z" * 400)]
    assert 70_100 <= context_size(path, lambda: 50) < 70_150


def test_an_image_counts_the_same_whatever_its_size() -> None:
    def image(size: int) -> dict[str, Any]:
        return {"type": "image", "source": {"type": "base64", "data": "A" * size}}

    assert estimate_tokens(image(10)) == estimate_tokens([image(9_000_000)]) == 1600
    pdf = {"type": "document", "source": {"type": "base64", "data": "A" * 4_000_000}}
    assert 50_000 < estimate_tokens(pdf) < 200_000
    assert estimate_tokens("ä" * 400) > estimate_tokens("a" * 400)
    assert estimate_tokens({"n": [None, 1.5, True, "\ud800"]}) > 0


# what is asked


def noted(frame: PromptFrame) -> Entry:
    prefix, *_ = due_notes({}, frame, "", "default")
    return Entry({"type": prefix.type, "uuid": "n", **prefix.fields})


def test_the_request_is_the_usual_one_with_the_wish_at_its_end() -> None:
    path = [noted(FRAME), *conversation()]
    asked = summary_request(path, FRAME, instruction("the figures"))
    usual = build_payload(path, FRAME)
    assert asked.messages[:-1] == usual.messages[:-1]
    assert (asked.system, asked.tools, asked.model) == (usual.system, usual.tools, usual.model)
    assert asked.params == {"max_tokens": 32_000, "thinking": {"type": "enabled"}}
    (block,) = asked.messages[-1]["content"]
    assert block["text"].endswith("the figures") and block["cache_control"]
    small = PromptFrame("m", "sys", [], {"max_tokens": 100})
    assert summary_request(path, small, "x").params == {"max_tokens": 100}


def test_results_stand_before_the_wish_and_open_calls_are_answered() -> None:
    path = [*conversation()[:4], call("o", "d", "m2", "t2")]
    *_, last = summary_request(path, FRAME, "wish").messages
    assert [block["type"] for block in last["content"]] == ["tool_result", "text"]


def test_a_part_from_the_middle_goes_without_thinking() -> None:
    asked = summary_request(conversation(), FRAME, instruction(part=True), whole=False)
    kinds = [block["type"] for message in asked.messages for block in message["content"]]
    assert "thinking" not in kinds and "tool_use" in kinds and "thinking" not in asked.params
    assert instruction(part=True) != instruction() != instruction("focus")


def test_thinking_of_another_prefix_than_the_present_one_is_not_sent() -> None:
    other = replace(FRAME, system="another")
    for path in (conversation(), [noted(other), *conversation()]):
        asked = summary_request(path, FRAME, "wish")
        kinds = [block["type"] for message in asked.messages for block in message["content"]]
        assert "thinking" not in kinds and "thinking" not in asked.params


def test_asking_again_and_adding_notes_keep_what_was_there() -> None:
    first = summary_request(conversation(), FRAME, "wish")
    again = ask_again(first)
    assert again.messages[:-1] == first.messages[:-1]
    assert again.messages[-1]["content"][0] == first.messages[-1]["content"][0]
    assert len(again.messages[-1]["content"]) == 2 and len(first.messages[-1]["content"]) == 1
    noted = with_gist(first.messages, "NOTES")
    assert "NOTES" in noted[-1]["content"][-1]["text"]
    assert "NOTES" not in str(first.messages)
    assert request_tokens(smaller_request(first, list(first.messages[1:]))) < request_tokens(first)


@pytest.mark.parametrize(
    ("answer", "summary"),
    [
        ("<summary>\nA\n</summary>", "A"),
        ("Well.\n<summary>A <b> </summary> B</summary> bye", "A <b> </summary> B"),
        ("<summary>cut at the li", "cut at the li"),
        ("<summary> </summary>", ""),
        ("", ""),
        ("You have reached your usage limit.", ""),
        ("w" * 200, "w" * 200),
    ],
)
def test_what_counts_as_a_summary(answer: str, summary: str) -> None:
    assert read_summary(answer) == summary


# what is written


def test_only_work_in_progress_is_told_to_go_on_with_the_last_words() -> None:
    path = [prompt("a", None, "count   the apples " + "x" * 3000), said("b", "a", "m", "one")]
    going = after_summary(path, part=False, work_goes_on=True)
    assert "count   the apples" in going and len(going) < 3000
    waiting = after_summary(path, part=False, work_goes_on=False)
    part = after_summary(path, part=True, work_goes_on=False)
    assert "apples" not in waiting + part and len({going, waiting, part}) == 3


def test_there_must_be_an_answer() -> None:
    failed = Entry({**said("e", "a", "m", "API down").data, "isApiErrorMessage": True})
    assert not has_answer([]) and not has_answer([prompt("a", None), failed])
    assert has_answer(conversation())


def mention(uuid: str, parent: str) -> Entry:
    values = {"type": "file", "filename": "/a", "content": [{"type": "text", "text": "x"}]}
    return Entry({"type": "attachment", "uuid": uuid, "parentUuid": parent, "attachment": values})


def test_prompts_that_nobody_answered_stay_with_what_they_mention() -> None:
    path = [*conversation(), mention("f", "e"), prompt("g", "f", "next"), prompt("h", "g", "more")]
    assert unanswered_at(path, 200_000) == 5
    assert unanswered_at(conversation(), 200_000) == 5
    assert unanswered_at(path[:4], 200_000) == 4
    large = [*conversation(), prompt("g", "e", "x" * 400_000)]
    assert unanswered_at(large, 200_000) == len(large)
    stopped = [*conversation(), prompt("i", "e", INTERRUPT_TEXT), prompt("g", "i", "next")]
    assert unanswered_at(stopped, 200_000) == 6


def test_entries_are_written_again_without_thinking_under_new_ids() -> None:
    numbers = iter(range(100))
    path = [
        *conversation()[:3],
        call("c2", "c", "m1", "t2"),
        Entry({**result("d", "c", "t1").data, "sourceToolAssistantUUID": "c", "toolUseResult": {}}),
        result("d2", "c2", "t2"),
        used(said("e", "d2", "m2", "done"), input_tokens=9),
    ]
    drafts = written_again(path, 10, lambda: str(next(numbers)), frozenset())
    assert [draft.type for draft in drafts] == [
        "user",
        *["assistant"] * 2,
        *["user"] * 2,
        "assistant",
    ]
    assert [draft.parent_at for draft in drafts] == [None, None, None, 11, 12, None]
    first, second, *_ = (draft.fields["message"] for draft in drafts[1:3])
    assert first["id"] == second["id"] != "m1"
    ids = [first["content"][0]["id"], second["content"][0]["id"]]
    results = [draft.fields["message"]["content"][0]["tool_use_id"] for draft in drafts[3:5]]
    assert ids == results and "t1" not in ids
    assert drafts[3].fields == {
        "message": {"role": "user", "content": [{**path[4].blocks[0], "tool_use_id": ids[0]}]},
        "toolUseResult": {},
    }
    usage = drafts[-1].fields["message"]["usage"]
    assert set(usage.values()) == {0} and drafts[-1].fields["message"]["id"] != first["id"]
    assert drafts[0] == EntryDraft("user", {"message": path[0].message, "checkpointId": "a"})


def test_notes_are_due_where_they_differ() -> None:
    fresh = due_notes({}, FRAME, "here", "plan")
    kinds = [draft.fields["attachment"]["type"] for draft in fresh]
    assert kinds == ["prompt_prefix", "environment", "mode_note"]
    known = {draft.fields["attachment"]["type"]: draft.fields["attachment"] for draft in fresh}
    assert due_notes(known, FRAME, "here", "plan") == []
    (off,) = due_notes(known, FRAME, "here", "default")
    assert off.fields["attachment"]["content"] == PLAN_OFF != PLAN_ON
    assert len(due_notes({}, FRAME, "here", "default")) == 2
