"""Reading the end of a file gives the same conversation as reading all of it."""

import os
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcli.protocol.errors import SessionCorrupt, SessionNotFound
from agentcli.session.codec import encode_line
from agentcli.session.entries import Entry
from agentcli.session.reading import Window, read_all, read_session, read_window
from agentcli.session.tree import conversation
from tests.session.trees import call, marker, prompt, result, said, uuids


def window_of(path: Path, whole_bytes: int = 0) -> Window:
    fd = os.open(path, os.O_RDONLY)
    try:
        return read_window(fd, whole_bytes)
    finally:
        os.close(fd)


def all_of(path: Path) -> Window:
    fd = os.open(path, os.O_RDONLY)
    try:
        return read_all(fd)
    finally:
        os.close(fd)


def write(path: Path, entries: list[Entry], tail: bytes = b"") -> Path:
    path.write_bytes(b"".join(encode_line(entry.data) for entry in entries) + tail)
    return path


def random_session(rng: random.Random, size: int) -> list[Entry]:
    """Prompts, answers, parallel calls, rewinds, compactions, progress, now and then damage."""
    entries: list[Entry] = []
    leaf: str | None = None
    for number in range(size):
        uuid = f"u{number}"
        known = [entry.uuid for entry in entries if entry.uuid]
        match rng.randrange(12):
            case 0:
                leaf_data = {"type": "system", "subtype": "compact_boundary", "uuid": uuid}
                entries.append(Entry({**leaf_data, "parentUuid": None, "logicalParentUuid": leaf}))
                entries.append(prompt(uuid + "s", uuid, "summary", isCompactSummary=True))
                leaf = uuid + "s"
            case 1 if known:
                leaf = rng.choice(known)
                entries.append(marker(leaf))
            case 2:
                entries.append(
                    Entry({"type": "progress", "uuid": uuid, "parentUuid": leaf, "data": {}})
                )
            case 3:
                entries.append(prompt(uuid, leaf, "side", isSidechain=True))
            case 4 | 5:
                calls = [f"{uuid}c{index}" for index in range(rng.randint(1, 3))]
                parent = leaf
                for one in calls:
                    entries.append(call(one, parent, f"m{number}", f"t-{one}"))
                    parent = one
                for one in rng.sample(calls, len(calls)):
                    entries.append(result(f"{one}r", one, f"t-{one}"))
                    leaf = f"{one}r"
            case 6 if rng.random() < 0.2:
                entries.append(said(uuid, "phantom", f"m{number}", "lost its parent"))
                leaf = uuid
            case 7:
                entries.append(said(uuid, leaf, f"m{number}", "an answer"))
                leaf = uuid
            case 8:
                entries.append(Entry({"type": "custom-title", "customTitle": "t"}))
            case _:
                entries.append(prompt(uuid, leaf, "go on " * rng.randrange(40)))
                leaf = uuid
    return entries


@given(seed=st.integers(0, 2**32), size=st.integers(0, 120), cut=st.integers(0, 400))
def test_the_window_holds_the_conversation(
    tmp_path_factory: pytest.TempPathFactory, seed: int, size: int, cut: int
) -> None:
    entries = random_session(random.Random(seed), size)
    path = write(tmp_path_factory.getbasetemp() / "window.jsonl", entries)
    data = path.read_bytes()
    path.write_bytes(data[: max(0, len(data) - cut)])
    whole = conversation(all_of(path).entries)
    assert uuids(conversation(window_of(path).entries)) == uuids(whole)


def test_only_the_end_of_a_long_file_is_read(tmp_path: Path) -> None:
    old = [prompt(f"p{n}", f"p{n - 1}" if n else None, "x" * 2000) for n in range(1000)]
    boundary = Entry({"type": "system", "subtype": "compact_boundary", "uuid": "b"})
    boundary.data["parentUuid"] = None
    new = [boundary, prompt("s", "b", isCompactSummary=True), said("a", "s", "m", "hello")]
    path = write(tmp_path / "long.jsonl", [*old, *new])
    window = window_of(path)
    assert uuids(window.entries) == "b s a"
    assert window.partial
    assert len(all_of(path).entries) == 1003


def test_a_small_file_is_read_whole_so_that_its_damage_is_told(tmp_path: Path) -> None:
    boundary = Entry({"type": "system", "uuid": "b", "parentUuid": None})
    path = write(tmp_path / "small.jsonl", [boundary, said("a", "b", "m", "hello")])
    path.write_bytes(b'{"torn":\n' + path.read_bytes())
    assert window_of(path, 1 << 20).bad_lines == 1
    assert window_of(path).bad_lines == 0


def test_a_cleared_conversation_is_empty(tmp_path: Path) -> None:
    entries = [prompt("a", None), said("b", "a", "m", "x"), marker(None, explicit=True)]
    assert conversation(window_of(write(tmp_path / "c.jsonl", entries)).entries) == []


@pytest.mark.parametrize("size", [1, 300_000, 3_000_000])
def test_a_giant_line_is_read_from_the_back(tmp_path: Path, size: int) -> None:
    entries = [prompt("a", None, "é" * size), said("b", "a", "m", "x")]
    window = window_of(write(tmp_path / "g.jsonl", entries, tail=b'{"torn'))
    assert uuids(conversation(window.entries)) == "a b"
    assert window.bad_lines == 1


def test_what_cannot_be_read_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(SessionNotFound):
        read_session(tmp_path / "none.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(SessionCorrupt, match=r"folder\.jsonl"):
        read_session(tmp_path / "folder.jsonl")
