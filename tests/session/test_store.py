"""Finding session files: slugs that public readers compute too, newest session of a folder."""

import json
import os
from pathlib import Path

import pytest

from agentcli.protocol.errors import SessionNotFound
from agentcli.protocol.ids import is_uuid, new_uuid
from agentcli.session.store import (
    find_session,
    latest_session,
    project_folder,
    project_slug,
    session_file,
)


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        ("/home/a_b/c.d", "-home-a-b-c-d"),
        ("C:\\Users\\A b", "C--Users-A-b"),
        ("/한/é", "----"),
        ("/x" * 100, "-x" * 100),
        ("/x" * 150, ("-x" * 150)[:200] + "-4y6yx2"),
    ],
)
def test_slug(path: str, slug: str) -> None:
    assert project_slug(path) == slug


def write_session(home: Path, cwd: Path, age: int, **fields: object) -> str:
    session_id = new_uuid()
    assert is_uuid(session_id)
    path = session_file(home, cwd, session_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    line = {"type": "user", "uuid": new_uuid(), "cwd": str(cwd), "isSidechain": False, **fields}
    path.write_text(json.dumps(line) + "\n")
    os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
    return session_id


def test_continue_takes_the_newest_session_of_exactly_this_folder(tmp_path: Path) -> None:
    home, ours, other = tmp_path / "home", tmp_path / "a_b", tmp_path / "a-b"
    ours.mkdir()
    other.mkdir()
    write_session(home, ours, age=50)
    newest = write_session(home, ours, age=40)
    write_session(home, other, age=10)  # same slug, another folder
    write_session(home, ours, age=5, isSidechain=True)
    (project_folder(home, ours) / "notes.jsonl").write_text("{}\n")
    (project_folder(home, ours) / f"{new_uuid()}.jsonl").touch()
    assert latest_session(home, ours).stem == newest


def test_a_session_is_found_by_id_from_any_folder(tmp_path: Path) -> None:
    home = tmp_path / "home"
    session_id = write_session(home, tmp_path / "elsewhere", age=1)
    assert find_session(home, tmp_path, session_id.upper()).stem == session_id


@pytest.mark.parametrize(
    "session_id", ["nope", "../../etc/passwd", "0e4d6f0e-5b5c-4c7e-9f0a-3c1d2b4a5f60"]
)
def test_an_unknown_session_says_what_to_do(tmp_path: Path, session_id: str) -> None:
    with pytest.raises(SessionNotFound, match="--continue"):
        find_session(tmp_path, tmp_path, session_id)


def test_no_session_yet(tmp_path: Path) -> None:
    with pytest.raises(SessionNotFound, match="without --continue"):
        latest_session(tmp_path, tmp_path)
