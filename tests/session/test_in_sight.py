"""Titles and the last prompt stay within the last 64 KiB, where public readers look."""

from pathlib import Path

from agentcli.session.entries import user_draft
from agentcli.session.in_sight import SIGHT_BYTES
from agentcli.session.log import Place, SessionLog

SID = "11111111-2222-4333-8444-555555555555"


def new_log(folder: Path) -> SessionLog:
    return SessionLog(folder / "p" / "x" / f"{SID}.jsonl", SID, lambda: Place("/c", None))


def tail(log: SessionLog) -> bytes:
    return log.file.read_bytes()[-SIGHT_BYTES:]


def test_a_title_is_written_again_before_it_is_out_of_sight(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    log.append(user_draft("first"))
    log.rename("the cart")
    log.note({"type": "tag", "tag": "shop"})
    for number in range(40):
        log.append(user_draft(f"prompt {number} " + "x" * 5000))
        log.keep_in_sight(f"prompt {number}")
        assert b'{"type":"custom-title","customTitle":"the cart"' in tail(log)
        assert b'{"type":"tag","tag":"shop"' in tail(log)
        assert b'"lastPrompt":"prompt %d"' % number in tail(log)
    assert log.file.read_bytes().count(b"customTitle") < 12


def test_a_title_that_another_program_gave_meanwhile_is_the_one_that_stays(
    tmp_path: Path,
) -> None:
    log = new_log(tmp_path)
    log.append(user_draft("first"))
    log.rename("old")
    with log.file.open("ab") as file:
        file.write(b'{"type":"custom-title","customTitle":"new","sessionId":"%s"}\n' % SID.encode())
    for _ in range(30):
        log.append(user_draft("x" * 4000))
        log.keep_in_sight("p")
    assert b'"customTitle":"new"' in tail(log)
    assert b'"customTitle":"old"' not in tail(log)


def test_it_stays_though_much_is_written_before_and_after_it_is_seen(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    log.append(user_draft("first"))
    log.rename("old")
    for title in ("new", "newer"):
        line = f'{{"type":"custom-title","customTitle":"{title}","sessionId":"{SID}"}}\n'
        with log.file.open("ab") as file:
            file.write(line.encode())
        for _ in range(2):
            log.append(user_draft("x" * 2 * SIGHT_BYTES))
            log.keep_in_sight("p")
            assert b'"customTitle":"%s"' % title.encode() in tail(log)
            assert log.title == title
    log.rename("ours")
    log.append(user_draft("x" * 2 * SIGHT_BYTES))
    log.keep_in_sight("p")
    assert tail(log).count(b"customTitle") == tail(log).count(b'"customTitle":"ours"') == 1
    assert log.title == "ours"


def test_a_name_waits_for_the_first_prompt(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    log.rename("early")
    assert not log.file.exists()
    assert log.title == "early"
    log.append(user_draft("first"))
    assert b'"customTitle":"early"' in log.file.read_bytes()
    assert log.title == "early"


def test_a_session_that_is_not_kept_touches_no_disk(tmp_path: Path) -> None:
    log = SessionLog(tmp_path / "p" / "s.jsonl", SID, lambda: Place("/c", None), keep=False)
    log.append(user_draft("first"))
    log.rename("n")
    log.keep_in_sight("first")
    log.sync()
    log.close()
    assert [entry.blocks[0]["text"] for entry in log.path()] == ["first"]
    assert list(tmp_path.iterdir()) == []


def test_a_title_stays_in_sight_while_the_next_turn_writes(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    log.append(user_draft("first"))
    log.rename("the cart")
    for _ in range(60):
        log.append(user_draft("x" * 1500))
        log.keep_in_sight("p")
        end = log.file.stat().st_size
        seen = log.file.read_bytes()[max(0, end + 20_000 - SIGHT_BYTES) :]
        assert b'"customTitle":"the cart"' in seen
