"""A copy of a conversation: whole, its own, and the original as it was."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentcli.protocol.errors import SessionCorrupt, SessionNotFound
from agentcli.protocol.ids import is_uuid
from agentcli.session.checkpoints import Checkpoints
from agentcli.session.codec import encode_line
from agentcli.session.entries import Entry
from agentcli.session.fork import fork_session
from agentcli.session.reading import read_session
from agentcli.session.tree import conversation
from tests.session.trees import call, marker, prompt, result, said

OLD, NEW = "11111111-2222-4333-8444-555555555555", "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"


def session(home: Path) -> Path:
    """Three parallel calls, a branch that was left, a title, a bad line."""
    source = result("r2", "c2", "t2")
    source.data["sourceToolAssistantUUID"] = "c2"
    entries = [
        prompt("p1", None, "one", sessionId=OLD, teamName=None),
        call("c1", "p1", "m1", "t1"),
        call("c2", "c1", "m1", "t2"),
        call("c3", "c2", "m1", "t3"),
        result("r3", "c3", "t3"),
        result("r1", "c1", "t1"),
        source,
        prompt("left", "r2", "left behind"),
        Entry({"type": "custom-title", "customTitle": "the cart", "sessionId": OLD}),
        marker("r2"),
        prompt("p2", "r2", "two"),
        said("a2", "p2", "m2", "answer"),
    ]
    path = home / "projects" / "x" / f"{OLD}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(encode_line(e.data) for e in entries) + b'{"torn')
    return path


def target(home: Path) -> Path:
    return home / "projects" / "x" / f"{NEW}.jsonl"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def blocks(path: Path) -> list[object]:
    return [entry.message for entry in conversation(read_session(path).entries)]


@pytest.mark.parametrize("fresh_ids", [True, False])
def test_the_copy_holds_the_conversation_and_nothing_else(tmp_path: Path, fresh_ids: bool) -> None:
    source = session(tmp_path)
    before = source.read_bytes()
    fork_session(source, target(tmp_path), NEW, fresh_ids=fresh_ids)
    copy = lines(target(tmp_path))
    assert blocks(target(tmp_path)) == blocks(source)
    assert sum("tool_result" in json.dumps(line) for line in copy) == 3
    assert "left behind" not in target(tmp_path).read_text()
    assert {line["sessionId"] for line in copy} == {NEW}
    assert source.read_bytes() == before
    assert target(tmp_path).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in source.parent.iterdir() if path.name.startswith(".")] == []


def test_a_branch_has_ids_of_its_own_and_says_where_it_comes_from(tmp_path: Path) -> None:
    source = session(tmp_path)
    fork_session(source, target(tmp_path), NEW, fresh_ids=True)
    copy = [line for line in lines(target(tmp_path)) if "uuid" in line]
    old = [entry.uuid for entry in conversation(read_session(source).entries)]
    assert [line["forkedFrom"] for line in copy] == [
        {"sessionId": OLD, "messageUuid": uuid} for uuid in old
    ]
    ids = [line["uuid"] for line in copy]
    assert all(map(is_uuid, ids))
    assert len(set(ids)) == len(ids)
    assert copy[0]["parentUuid"] is None
    assert all(line["parentUuid"] in ids for line in copy[1:])
    second = next(line for line in copy if "sourceToolAssistantUUID" in line)
    assert second["sourceToolAssistantUUID"] == second["parentUuid"]
    assert lines(target(tmp_path))[-1]["customTitle"] == "the cart (fork)"


def test_a_fork_keeps_its_ids(tmp_path: Path) -> None:
    source = session(tmp_path)
    fork_session(source, target(tmp_path), NEW, fresh_ids=False)
    copy = lines(target(tmp_path))
    assert [line["uuid"] for line in copy if "uuid" in line] == [
        entry.uuid for entry in conversation(read_session(source).entries)
    ]
    assert copy[-1]["customTitle"] == "the cart (fork)"


def test_a_copy_can_end_earlier_and_have_another_name(tmp_path: Path) -> None:
    source = session(tmp_path)
    fork_session(source, target(tmp_path), NEW, fresh_ids=True, upto="left", title="way two")
    text = target(tmp_path).read_text()
    assert "left behind" in text
    assert "answer" not in text
    assert lines(target(tmp_path))[-1]["customTitle"] == "way two"


def test_checkpoints_come_along_and_each_session_has_its_own(tmp_path: Path) -> None:
    source = session(tmp_path)
    (tmp_path / "a.txt").write_text("old")

    def note(data: dict[str, Any]) -> None:
        with source.open("ab") as file:
            file.write(encode_line(data))

    data = source.read_bytes().removesuffix(b'{"torn')
    at = data.index(encode_line(prompt("p2", "r2", "two").data))
    source.write_bytes(data[:at])
    kept = Checkpoints(tmp_path / "file-history" / OLD, note, print)
    kept.begin("p1")
    kept.before_write(tmp_path / "a.txt", b"new")
    (tmp_path / "a.txt").write_text("new")
    with source.open("ab") as file:
        file.write(data[at:])
    fork_session(source, target(tmp_path), NEW, fresh_ids=True)
    entries = read_session(target(tmp_path)).entries
    first = conversation(entries)[0].uuid
    copy = Checkpoints(tmp_path / "file-history" / NEW, lambda _: None, print)
    copy.take(entries)
    for file in (tmp_path / "file-history" / OLD).iterdir():
        file.unlink()
    report = copy.restore(entries, copy.plan(entries, first))
    assert report.restored == (str(tmp_path / "a.txt"),)
    assert (tmp_path / "a.txt").read_text() == "old"


def test_what_cannot_be_copied_leaves_nothing(tmp_path: Path) -> None:
    source = session(tmp_path)
    with pytest.raises(SessionNotFound):
        fork_session(source, target(tmp_path), NEW, fresh_ids=True, upto="gone")
    with pytest.raises(SessionNotFound):
        fork_session(source.with_name("none.jsonl"), target(tmp_path), NEW, fresh_ids=True)
    target(tmp_path).write_text("mine")
    with pytest.raises(SessionCorrupt, match="File exists"):
        fork_session(source, target(tmp_path), NEW, fresh_ids=True)
    assert target(tmp_path).read_text() == "mine"
    assert len(list(source.parent.iterdir())) == 2
    assert not (tmp_path / "file-history").exists()


def test_a_copy_into_another_home_brings_the_kept_files_there(tmp_path: Path) -> None:
    source = session(tmp_path / "one")
    kept = tmp_path / "one" / "file-history" / OLD
    kept.mkdir(parents=True)
    (kept / "abc@v1").write_text("old")
    (kept / "a folder").mkdir()
    (kept / "a link").symlink_to("/etc/passwd")
    there = target(tmp_path / "two")
    fork_session(source, there, NEW, fresh_ids=False)
    assert [path.name for path in (tmp_path / "two" / "file-history" / NEW).iterdir()] == ["abc@v1"]
    assert sorted(path.name for path in kept.parent.iterdir()) == [OLD]
    assert (tmp_path / "two" / "file-history").stat().st_mode & 0o777 == 0o700


def test_checkpoints_before_the_first_prompt_come_along(tmp_path: Path) -> None:
    source = session(tmp_path)
    early = {"type": "file-history-snapshot", "messageId": "p1", "snapshot": {"messageId": "p1"}}
    source.write_bytes(encode_line(early) + source.read_bytes())
    fork_session(source, target(tmp_path), NEW, fresh_ids=True)
    first, second = lines(target(tmp_path))[:2]
    assert first["messageId"] == first["snapshot"]["messageId"] == second["uuid"]


def test_what_is_left_out_is_left_out_of_a_branch_too(tmp_path: Path) -> None:
    note = {"type": "left_out", "entries": ["p2", "elsewhere"]}
    more = Entry({"type": "attachment", "uuid": "n", "parentUuid": "a2", "attachment": note})
    source = session(tmp_path)
    with source.open("ab") as file:
        file.write(b"\n" + encode_line(more.data) + encode_line(said("a3", "n", "m3", "end").data))
    fork_session(source, target(tmp_path), NEW, fresh_ids=True)
    copy = lines(target(tmp_path))
    old = {line["forkedFrom"]["messageUuid"]: line["uuid"] for line in copy if "uuid" in line}
    (named,) = (line["attachment"]["entries"] for line in copy if "attachment" in line)
    assert named == [old["p2"], "elsewhere"]
