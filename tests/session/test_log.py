"""The session file: what is appended is there, whatever the disk or a reader does."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentcli.protocol.calls import ToolResult
from agentcli.protocol.errors import SessionBusy, SessionCorrupt
from agentcli.session.entries import EntryDraft, assistant_draft, result_draft, user_draft
from agentcli.session.log import Place, SessionLog

SID = "11111111-2222-4333-8444-555555555555"


def place() -> Place:
    return Place("/code/shop", "main")


def new_log(folder: Path, problems: list[str] | None = None) -> SessionLog:
    told = problems if problems is not None else []
    return SessionLog(folder / "p" / "x" / f"{SID}.jsonl", SID, place, told.append)


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def test_no_file_before_the_first_entry_and_private_modes_after(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    assert not log.file.exists()
    log.append(user_draft("hello"))
    assert log.file.stat().st_mode & 0o777 == 0o600
    assert log.file.parent.stat().st_mode & 0o777 == 0o700


def test_entries_form_a_chain_and_carry_the_base_fields(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    first = log.append(user_draft("one", mode="plan"))
    second = log.append(user_draft("two"))
    written = lines(log.file)
    assert [line["parentUuid"] for line in written] == [None, first.uuid]
    assert written[1]["uuid"] == second.uuid
    base = {"isSidechain": False, "userType": "external", "cwd": "/code/shop", "sessionId": SID}
    assert base.items() <= written[0].items()
    assert written[0]["gitBranch"] == "main"
    assert written[0]["permissionMode"] == "plan"
    assert written[0]["message"] == {"role": "user", "content": "one"}


def test_each_entry_is_later_than_the_one_before(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    log.append_all([user_draft(str(n)) for n in range(40)])
    for number in range(40):
        log.append(user_draft(str(number)))
    stamps = [str(line["timestamp"]) for line in lines(log.file)]
    assert stamps == sorted(set(stamps))


def test_entries_are_on_the_file_before_append_returns(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    for count in range(1, 4):
        log.append(user_draft(f"prompt {count}"))
        assert len(lines(log.file)) == count


def test_line_separators_are_escaped_and_surrogates_replaced(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    entry = log.append(user_draft("a\u2028b\u2029c\u0085d\x7fe\ud83df"))
    raw = log.file.read_bytes()
    assert not any(part in raw for part in (b"\xe2\x80\xa8", b"\xe2\x80\xa9", b"\xc2\x85", b"\x7f"))
    assert lines(log.file)[0]["message"] == {
        "role": "user",
        "content": "a\u2028b\u2029c\u0085d\x7fe\ufffdf",
    }
    assert entry.message["content"] == "a\u2028b\u2029c\u0085d\x7fe\ufffdf"


def test_json_is_compact(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    log.append(EntryDraft("assistant", {"message": {"usage": {"input_tokens": 1}}}))
    assert b'"usage":{"input_tokens":1}' in log.file.read_bytes()


@pytest.mark.parametrize("cut", range(1, 40))
def test_a_torn_last_line_is_closed_before_the_next_entry(tmp_path: Path, cut: int) -> None:
    log = new_log(tmp_path)
    log.append(user_draft("first"))
    log.append(user_draft("second"))
    log.close()
    data = log.file.read_bytes()
    log.file.write_bytes(data[: -cut * 5])
    again = SessionLog.open_existing(log.file, place)
    whole = len(again.path())
    again.append(user_draft("third"))
    again.close()
    reread = SessionLog.open_existing(log.file, place)
    assert len(reread.path()) == whole + 1
    assert reread.path()[-1].blocks == [{"type": "text", "text": "third"}]
    reread.close()


def test_bad_lines_are_skipped_counted_and_kept(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    log.append(user_draft("first"))
    log.close()
    junk = b'{"type":"us\n\n42\n[]\n\xff\xfe\n' + b"\0" * 300 + b'\n{"type":"future","x":1}\n'
    log.file.write_bytes(junk + log.file.read_bytes())
    again = SessionLog.open_existing(log.file, place)
    assert [entry.blocks[0]["text"] for entry in again.path()] == ["first"]
    assert again.bad_lines == 4
    again.append(user_draft("second"))
    again.close()
    assert log.file.read_bytes().startswith(junk)


def test_one_writer_per_file(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    log.append(user_draft("mine"))
    with pytest.raises(SessionBusy, match="open in another agentcli"):
        SessionLog.open_existing(log.file, place)
    log.close()
    SessionLog.open_existing(log.file, place).close()


def test_a_closed_log_is_free_though_a_copy_of_its_descriptor_lives_on(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    log.append(user_draft("mine"))
    (number,) = (n for n in os.listdir("/proc/self/fd") if _leads_to(n, log.file))
    copy = os.dup(int(number))  # as ``sync`` in its thread, or a child between fork and exec
    log.close()
    SessionLog.open_existing(log.file, place).close()
    os.close(copy)


def _leads_to(number: str, path: Path) -> bool:
    try:
        return os.readlink(f"/proc/self/fd/{number}") == str(path)
    except OSError:
        return False


def test_memory_holds_what_a_resume_finds(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    details = {"lines": ("a", "b"), "rate": float("inf"), "odd": "\ud800"}
    log.append(result_draft("t", None, ToolResult("x", details=details)))
    details["odd"] = "changed later"
    live = [entry.data for entry in log.path()]
    log.close()
    again = SessionLog.open_existing(log.file, place)
    assert [entry.data for entry in again.path()] == live
    again.close()


def test_an_empty_file_cannot_be_resumed(tmp_path: Path) -> None:
    path = tmp_path / f"{SID}.jsonl"
    path.touch()
    with pytest.raises(SessionCorrupt, match="empty"):
        SessionLog.open_existing(path, place)


def test_a_file_in_the_folders_place_is_told_once_and_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "p").write_text("in the way")
    problems: list[str] = []
    log = new_log(tmp_path, problems)
    log.append(user_draft("one"))
    log.append(user_draft("two"))
    assert len(problems) == 1 and "cannot be saved" in problems[0]
    assert len(log.path()) == 2 and log.unsaved == 2
    (tmp_path / "p").unlink()
    log.append(user_draft("three"))
    assert log.unsaved == 0
    assert [line["message"]["content"] for line in lines(log.file)] == ["one", "two", "three"]  # pyright: ignore[reportIndexIssue]


_FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from agentcli.session.entries import user_draft
from agentcli.session.log import Place, SessionLog
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
problems = []
log = SessionLog(Path(sys.argv[1]), "s", lambda: Place("/", None), problems.append)
log.append(user_draft("before"))
size = log.file.stat().st_size
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 50, hard))
log.append(user_draft("x" * 500))
log.append(user_draft("after"))
assert len(problems) == 1, problems
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
log.append(user_draft("space again"))
log.close()
again = SessionLog.open_existing(Path(sys.argv[1]), lambda: Place("/", None))
print([entry.blocks[0]["text"][:11] for entry in again.path()], again.bad_lines)
"""


def test_a_full_disk_loses_no_entry(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _FULL_DISK, str(tmp_path / "a" / "b" / "s.jsonl")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "['before', 'xxxxxxxxxxx', 'after', 'space again'] 1", done.stderr


def test_what_was_appended_survives_a_kill(tmp_path: Path) -> None:
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "from agentcli.session.entries import user_draft\n"
        "from agentcli.session.log import Place, SessionLog\n"
        "log = SessionLog(Path(sys.argv[1]), 's', lambda: Place('/', None))\n"
        "log.append(user_draft('kept'))\nos.kill(os.getpid(), 9)\n"
    )
    path = tmp_path / "a" / "b" / "s.jsonl"
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert done.returncode == -9
    log = SessionLog.open_existing(path, place)
    assert log.path()[0].blocks[0]["text"] == "kept"
    assert os.path.exists(path)


def test_what_a_thread_writes_after_the_end_is_kept_and_holds_no_lock(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    log.append(user_draft("mine"))
    log.close()
    log.note({"type": "tag", "tag": "late"})
    again = SessionLog.open_existing(log.file, place)
    assert [entry.data["tag"] for entry in again.side("tag")] == ["late"]
    again.close()


def test_ids_of_branches_that_were_left_are_used_also_after_a_resume(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    log.append(user_draft("one"))
    block = {"type": "tool_use", "id": "call_0", "name": "Glob", "input": {}}
    draft = assistant_draft(
        message_id="msg_0", model="m", block=block, stop_reason=None, usage={}, request_id=None
    )
    log.append(draft)
    log.move([])
    log.close()
    again = SessionLog.open_existing(log.file, place)
    assert not again.path() and {"msg_0", "call_0"} <= again.facts.used_ids
    again.close()
