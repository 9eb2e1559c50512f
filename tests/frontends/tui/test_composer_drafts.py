"""The draft on disk: written soon, taken over by the next window."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from agentcli.frontends.tui.composer.chips import Image
from agentcli.frontends.tui.composer.draft import Draft
from agentcli.frontends.tui.composer.drafts import Drafts

LONG = "row\n" * 30
LABEL = "[Pasted text #1 +29 lines]"


# on disk


def eventually(path: Path, there: bool = True) -> None:
    deadline = monotonic() + 5
    while path.exists() is not there:
        assert monotonic() < deadline, path
        sleep(0.01)


def test_a_draft_is_written_soon_privately_and_removed_when_empty(tmp_path: Path):
    drafts = Drafts(tmp_path, "/code")
    file = tmp_path / "drafts" / "s1.json"
    drafts.save(Draft("typed before there was a session"))
    drafts.watch("s1")
    began = monotonic()
    drafts.save(Draft("hello", 3, True, {1: "paste", 2: Image("image/png", "AA==")}))
    assert not file.exists()
    eventually(file)
    assert 0.3 < monotonic() - began < 3
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    record = json.loads(file.read_text())
    assert (record["text"], record["cursor"], record["shell"]) == ("hello", 3, True)
    assert (record["project"], record["pid"]) == ("/code", os.getpid())
    drafts.save(Draft())
    eventually(file, there=False)
    drafts.save(Draft("last words"))
    drafts.close()
    assert json.loads(file.read_text())["text"] == "last words"
    drafts.save(Draft("too late"))
    assert json.loads(file.read_text())["text"] == "last words"


def test_the_draft_moves_with_the_window_to_another_session(tmp_path: Path):
    drafts = Drafts(tmp_path, "/code")
    drafts.watch("s1")
    drafts.save(Draft("half a thought"))
    eventually(tmp_path / "drafts" / "s1.json")
    drafts.watch("s2")
    eventually(tmp_path / "drafts" / "s2.json")
    assert not (tmp_path / "drafts" / "s1.json").exists()
    drafts.save(Draft())
    eventually(tmp_path / "drafts" / "s2.json", there=False)
    drafts.close()


def leave_behind(home: Path, project: str, session: str, text: str) -> None:
    """Another window of *project* dies with *text* in its composer."""
    code = (
        "import sys, os\nfrom pathlib import Path\n"
        "from agentcli.frontends.tui.composer.drafts import Draft, Drafts\n"
        "drafts = Drafts(Path(sys.argv[1]), sys.argv[2])\ndrafts.watch(sys.argv[3])\n"
        "drafts.save(Draft(sys.argv[4], 2, False, {1: 'paste'}, Draft('away')))\ndrafts.close()\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(home), project, session, text], check=False)


def test_a_draft_whose_window_is_gone_is_taken_over_once(tmp_path: Path):
    leave_behind(tmp_path, "/code", "dead", "[Pasted text #1] unfinished")
    leave_behind(tmp_path, "/other", "elsewhere", "not ours")
    one, two = Drafts(tmp_path, "/code"), Drafts(tmp_path, "/code")
    one.watch("s1")
    two.watch("s2")
    draft = one.load(resumed=False)
    assert draft is not None
    assert (draft.text, draft.cursor, draft.contents) == (
        "[Pasted text #1] unfinished",
        2,
        {1: "paste"},
    )
    assert draft.stashed == Draft("away")
    assert two.load(resumed=False) is None
    assert [file.name for file in sorted((tmp_path / "drafts").iterdir())] == [
        "elsewhere.json",
        "s1.json",
    ]


def test_a_resumed_session_has_its_own_draft(tmp_path: Path):
    leave_behind(tmp_path, "/code", "dead", "of the other")
    leave_behind(tmp_path, "/code", "mine", "of this one")
    drafts = Drafts(tmp_path, "/code")
    drafts.watch("mine")
    draft = drafts.load(resumed=True)
    assert draft is not None and draft.text == "of this one"
    drafts.watch("fresh")
    assert drafts.load(resumed=True) is None


def test_the_draft_of_a_window_that_runs_is_left_alone(tmp_path: Path):
    folder = tmp_path / "drafts"
    folder.mkdir()
    record = {"text": "busy", "pid": os.getppid(), "project": "/code"}
    (folder / "busy.json").write_text(json.dumps(record))
    drafts = Drafts(tmp_path, "/code")
    drafts.watch("s1")
    assert drafts.load(resumed=False) is None
    # the same number, but another process by now
    (folder / "busy.json").write_text(json.dumps({**record, "started": "1"}))
    draft = drafts.load(resumed=False)
    assert draft is not None and draft.text == "busy"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"text": 5, "pid": 1}', b"\xff", b'{"pid": "x", "project": "/code"}',
     b'{"text": "", "pid": 999999999, "project": "/code"}', b"[" * 100_000],
    ids=range(8),
)  # fmt: skip
def test_broken_files_are_no_trouble(tmp_path: Path, content: bytes):
    folder = tmp_path / "drafts"
    folder.mkdir()
    (folder / "broken.json").write_bytes(content)
    (folder / "s1.json").write_bytes(content)
    drafts = Drafts(tmp_path, "/code")
    drafts.watch("s1")
    assert drafts.load(resumed=False) is None
    assert drafts.load(resumed=True) is None


def test_no_disk_is_no_trouble(tmp_path: Path):
    home = tmp_path / "file"
    home.write_text("in the way")
    drafts = Drafts(home, "/code")
    drafts.watch("../../etc/passwd")
    drafts.watch("s1")
    drafts.save(Draft("x"))
    assert drafts.load(resumed=False) is None
    drafts.close()
    assert home.read_text() == "in the way"
