"""``claude-agent-sdk`` lists, reads, forks, names and imports our sessions, and we read it back."""

import asyncio
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from agentcli.session.catalog import Catalog
from agentcli.session.reading import read_session
from tests.interop.home import (
    BRANCH,
    Sessions,
    in_groups,
    lines_of,
    open_bench,
    resumed_request,
    shown,
)

pytestmark = pytest.mark.slow
_NAMES = ("plain", "branched", "stopped", "rewound", "torn", "long", "compacted", "forked")


def messages(sdk: ModuleType, sessions: Sessions, session_id: str) -> list[str]:
    found = sdk.get_session_messages(session_id, directory=str(sessions.project))
    return [message.uuid for message in found]


def info(sdk: ModuleType, sessions: Sessions, session_id: str) -> Any:
    return sdk.get_session_info(session_id, directory=str(sessions.project))


def said_in(body: dict[str, Any]) -> list[str]:
    """The person's texts in a request, reminders left out, and the count of results."""
    blocks = [b for m in body["messages"] if m["role"] == "user" for b in m["content"]]
    texts = [b["text"] for b in blocks if b["type"] == "text"]
    return [text for text in texts if not text.startswith("<")]


def calls_in(body: dict[str, Any]) -> list[str]:
    blocks = [block for message in body["messages"] for block in message["content"]]
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    assert sorted(calls) == sorted(results)
    return calls


def test_every_session_is_listed_with_what_lists_show(sdk: ModuleType, sessions: Sessions) -> None:
    found = {item.session_id: item for item in sdk.list_sessions(directory=str(sessions.project))}
    assert set(found) == {file.stem for file in sessions.files.values()}
    for name, file in sessions.files.items():
        item = found[file.stem]
        title = sessions.titles[name]
        assert item.custom_title == (title or None), name
        # without a title it is what the person said last
        assert item.summary == (title or sessions.prompts[name][-1]), name
        first = next(data for data in lines_of(file) if data["type"] == "user")
        assert item.first_prompt == first["message"]["content"], name
        assert (item.git_branch, item.cwd, item.tag) == (BRANCH, str(sessions.project), None)
        assert item.file_size == file.stat().st_size and item.created_at > 0
    everywhere = {item.session_id for item in sdk.list_sessions()}
    assert everywhere == set(found)


def test_the_newest_is_the_same_for_both(sdk: ModuleType, sessions: Sessions) -> None:
    order = [item.session_id for item in sdk.list_sessions(directory=str(sessions.project))]
    ours = Catalog(sessions.home, sessions.project).list()
    assert [item.id for item in ours] == order
    by_id = {item.session_id: item for item in sdk.list_sessions()}
    assert all(item.branch == by_id[item.id].git_branch for item in ours)
    assert all(item.title == by_id[item.id].summary for item in ours if item.named)


@pytest.mark.parametrize("name", _NAMES)
def test_the_conversation_is_exactly_ours(sdk: ModuleType, sessions: Sessions, name: str) -> None:
    file = sessions.files[name]
    found = messages(sdk, sessions, file.stem)
    assert in_groups(file, found) == in_groups(file, sessions.paths[name])
    assert len(found) == len(set(found)) == len(sessions.paths[name])


@pytest.mark.parametrize("name", _NAMES)
async def test_a_fork_made_by_the_sdk_resumes_here(
    sdk: ModuleType, sessions: Sessions, name: str
) -> None:
    fork = sdk.fork_session(sessions.id(name), directory=str(sessions.project)).session_id
    assert len(messages(sdk, sessions, fork)) == len(sessions.paths[name])
    file = sessions.files[name].with_name(f"{fork}.jsonl")
    ours, _ = await resumed_request(sessions, sessions.files[name])
    theirs, title = await resumed_request(sessions, file)
    assert said_in(theirs) == said_in(ours) and said_in(ours)[-1] == "go on"
    assert calls_in(theirs) == calls_in(ours)
    first = sessions.titles[name] or lines_of(file)[-1].get("customTitle", "")
    assert title.startswith(first[:5]) and title.endswith("(fork)")


async def test_a_fork_up_to_a_message_ends_there(sdk: ModuleType, sessions: Sessions) -> None:
    at = sessions.paths["rewound"][4]
    fork = sdk.fork_session(
        sessions.id("rewound"), str(sessions.project), up_to_message_id=at, title="half"
    ).session_id
    assert len(messages(sdk, sessions, fork)) == 5
    body, title = await resumed_request(
        sessions, sessions.files["rewound"].with_name(f"{fork}.jsonl")
    )
    assert said_in(body) == ["look one", "go on"] and title == "half"


async def test_a_name_and_a_tag_given_to_a_closed_session_stay(
    sdk: ModuleType, sessions: Sessions
) -> None:
    for name in ("long", "torn"):  # the one has a title already, the other ends in half a line
        session_id, place = sessions.id(name), str(sessions.project)
        sdk.rename_session(session_id, "by the SDK", place)
        sdk.tag_session(session_id, "kept", place)
        (ours,) = (i for i in Catalog(sessions.home, sessions.project).list() if i.id == session_id)
        assert ours.title == "by the SDK"
        async with open_bench(sessions.home, sessions.project) as (bench, _):
            engine = bench.engine(_, "bypassPermissions", resume=sessions.files[name])
            assert engine.history.title == "by the SDK"
            for number in range(4):
                await engine.prompt(f"long again {number}")
        found = info(sdk, sessions, session_id)
        assert (found.custom_title, found.tag) == ("by the SDK", "kept"), name
        assert found.summary == "by the SDK"
        assert len(messages(sdk, sessions, session_id)) > len(sessions.paths[name])


async def test_a_name_and_a_tag_given_to_an_open_session_stay(
    sdk: ModuleType, sessions: Sessions
) -> None:
    session_id, place = sessions.id("long"), str(sessions.project)
    async with open_bench(sessions.home, sessions.project) as (bench, server):
        engine = bench.engine(server, "bypassPermissions", resume=sessions.files["long"])
        engine.history.rename("ours")
        await engine.prompt("hello")
        sdk.rename_session(session_id, "theirs", place)
        sdk.tag_session(session_id, "open", place)
        for number in range(6):  # far more than readers look at
            await engine.prompt(f"long again {number}")
            found = info(sdk, sessions, session_id)
            assert (found.custom_title, found.tag) == ("theirs", "open"), number
        assert engine.history.title == "theirs"
        file = sessions.files["long"]
        ours = in_groups(file, shown(engine.history.entries()))
        assert in_groups(file, messages(sdk, sessions, session_id)) == ours
        sdk.tag_session(session_id, None, place)
        engine.history.rename("ours again")
        await engine.prompt("long at last")
        found = info(sdk, sessions, session_id)
        assert (found.custom_title, found.tag) == ("ours again", None)
    body, title = await resumed_request(sessions, sessions.files["long"])
    assert title == "ours again" and said_in(body)[-2:] == ["long at last", "go on"]


async def test_a_name_given_in_the_middle_of_a_long_run_stays(
    sdk: ModuleType, sessions: Sessions
) -> None:
    session_id = sessions.id("long")
    async with open_bench(sessions.home, sessions.project) as (bench, server):
        engine = bench.engine(server, "bypassPermissions", resume=sessions.files["long"])
        run = asyncio.ensure_future(engine.prompt("many calls"))
        while "begun" not in str(bench.events):
            await asyncio.sleep(0.01)
        sdk.rename_session(session_id, "in between", str(sessions.project))
        await run
        size = sessions.files["long"].stat().st_size
        text = sessions.files["long"].read_bytes()
        assert size - text.index(b'"in between"') > 65_536
    assert info(sdk, sessions, session_id).custom_title == "in between"


async def test_all_is_imported_and_read_from_a_store(sdk: ModuleType, sessions: Sessions) -> None:
    store, place = sdk.InMemorySessionStore(), str(sessions.project)
    names = [name for name in sessions.files if name != "torn"]  # it refuses a torn line
    for name in names:
        await sdk.import_session_to_store(sessions.id(name), store, directory=place)
    listed = await sdk.list_sessions_from_store(store, directory=place)
    assert {item.session_id for item in listed} == {sessions.id(name) for name in names}
    for name in names:
        session_id = sessions.id(name)
        key = {"project_key": sdk.project_key_for_directory(place), "session_id": session_id}
        stored = await store.load(key)
        file = sessions.files[name]
        assert stored == [json.loads(line) for line in file.read_bytes().split(b"\n") if line]
        read = await sdk.get_session_messages_from_store(store, session_id, directory=place)
        ours = in_groups(file, sessions.paths[name])
        assert in_groups(file, [message.uuid for message in read]) == ours, name
        assert sdk.list_subagents(session_id, directory=place) == []


async def test_a_session_copied_through_a_store_resumes_here(
    sdk: ModuleType, sessions: Sessions
) -> None:
    store, place = sdk.InMemorySessionStore(), str(sessions.project)
    await sdk.import_session_to_store(sessions.id("plain"), store, directory=place)
    fork = await sdk.fork_session_via_store(store, sessions.id("plain"), directory=place)
    await sdk.rename_session_via_store(store, fork.session_id, "from a store", directory=place)
    project = sdk.project_key_for_directory(place)
    lines = await store.load({"project_key": project, "session_id": fork.session_id})
    file = sessions.files["plain"].with_name(f"{fork.session_id}.jsonl")
    file.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    body, title = await resumed_request(sessions, file)
    ours, _ = await resumed_request(sessions, sessions.files["plain"])
    assert (said_in(body), calls_in(body)) == (said_in(ours), calls_in(ours))
    assert title == "from a store"


def test_a_session_deleted_by_the_sdk_is_gone_here(
    sdk: ModuleType, sessions: Sessions, tmp_path: Path
) -> None:
    sdk.delete_session(sessions.id("plain"), str(sessions.project))
    left = {item.id for item in Catalog(sessions.home, sessions.project).list()}
    assert left == {sessions.id(name) for name in sessions.files if name != "plain"}
    branched = read_session(sessions.files["branched"])
    assert not branched.bad_lines and branched.entries
