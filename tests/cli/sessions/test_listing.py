"""``agentcli sessions list`` and finding a session by what one remembers of it."""

import io
import json
import os
from pathlib import Path

import pytest

from agentcli.cli.sessions.listing import rows
from agentcli.cli.sessions.run import run_sessions
from agentcli.protocol.history import SessionInfo
from agentcli.session.codec import encode_line
from agentcli.session.store import session_file
from tests.session.trees import prompt

FIRST, SECOND = (f"{letter * 8}-0000-4000-8000-000000000000" for letter in "ab")


@pytest.fixture
def project(tmp_path: Path, own_home: Path) -> Path:
    folder, other = tmp_path / "project", tmp_path / "other"
    for place, sid, title in ((folder, FIRST, "fix the cart"), (other, SECOND, "more tests")):
        place.mkdir()
        path = session_file(own_home / ".agentcli", place, sid)
        path.parent.mkdir(parents=True)
        base = {"userType": "external", "cwd": str(place), "version": "2.0.0", "sessionId": sid}
        more = {"isSidechain": False, "timestamp": "2026-11-30T10:00:00.000Z", "gitBranch": "main"}
        first = encode_line(prompt("p", None, "hello", **base, **more).data)
        named = {"type": "custom-title", "customTitle": title, "sessionId": sid}
        path.write_bytes(first + encode_line(named))
    return folder


def run(*argv: str, cwd: Path) -> tuple[int, str]:
    out = io.BytesIO()
    return run_sessions(argv, cwd, os.environ, out), out.getvalue().decode()


def test_the_sessions_of_the_folder_or_of_all(project: Path) -> None:
    code, text = run("list", cwd=project)
    (line,) = text.splitlines()
    assert code == 0 and line.split()[0] == FIRST[:8]
    assert "fix the cart" in line and "main" in line
    _, text = run("list", "--all", cwd=project)
    assert len(text.splitlines()) == 2 and str(project) in text
    _, text = run("list", "--all", "--json", "TESTS", cwd=project)
    (info,) = (json.loads(line) for line in text.splitlines())
    assert (info["id"], info["title"], info["branch"]) == (SECOND, "more tests", "main")


def test_nothing_found_is_no_error(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "zzz", cwd=project) == (0, "")
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("name", [FIRST, FIRST[:6], "fix the cart", SECOND])
def test_a_session_is_found_by_id_begin_and_title(project: Path, name: str) -> None:
    code, text = run("show", name, cwd=project)
    assert code == 0 and text.endswith("## You\n\nhello\n")


def test_what_is_not_found_is_one_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "nothing \x1b like it", cwd=project) == (1, "")
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "\x1b" not in error


def test_rows_fit_the_terminal_whatever_the_title() -> None:
    file = Path("x")
    infos = [
        SessionInfo(FIRST, file, title, True, "", "", "/x", "main", 5_000, 0.0)
        for title in ("short", "日本語" * 40, "a\x1b[31m" + "b" * 200)
    ]
    made = list(rows(infos, 60, 300.0, False))
    starts = {row.index("main") + sum(ord(c) > 0x2FFF for c in row) for row in made}
    assert len(starts) == 1 and not any("\x1b" in row for row in made)
    assert [row.split()[:2] for row in made] == [[FIRST[:8], "5m"]] * 3
