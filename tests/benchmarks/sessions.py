"""What the list of sessions costs: 500 of 10 MB each, of which only the ends are read."""

import resource
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from agentcli.protocol.ids import new_uuid
from agentcli.session.catalog import Catalog
from agentcli.session.codec import encode_line
from agentcli.session.entries import EntryDraft, assistant_draft, user_draft
from agentcli.session.log import Place, SessionLog
from agentcli.session.store import session_file
from tests.benchmarks.measure import report
from tests.e2e.program import World

_SESSIONS = 500
_SIZE = 10_000_000


def measure(world: World, stack: ExitStack) -> list[str]:
    """The list behind the picker, of sessions that we wrote and of ones without our marks."""
    del stack
    broken: list[str] = []
    for marked in (True, False):
        folder = world.home / str(marked)
        _write_sessions(folder, world.project, marked=marked)
        spent = median(_list_ms(folder, world.project) for _ in range(5))
        name = f"list of {_SESSIONS} sessions of 10 MB, {'ours' if marked else 'foreign'}"
        broken += report(name, spent, 150)
    return broken


def _list_ms(home: Path, cwd: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_SELF)
    found = Catalog(home, cwd).list()
    after = resource.getrusage(resource.RUSAGE_SELF)
    assert len(found) == _SESSIONS and all(info.last_prompt for info in found)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000


def _write_sessions(home: Path, cwd: Path, *, marked: bool) -> None:
    """Both ends are those of a real conversation of 250 kB; a hole makes up the size."""
    begin, end = _make_ends(home / "model", cwd)
    for number in range(_SESSIONS):
        session_id = new_uuid()
        file = session_file(home, cwd, session_id)
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as out:
            out.write(begin)
            out.seek(_SIZE - len(end))
            out.write(b"\n" + end)
            if marked:
                out.write(encode_line({"type": "custom-title", "customTitle": f"title {number}"}))
                out.write(encode_line({"type": "last-prompt", "lastPrompt": "the last"}))


def _make_ends(folder: Path, cwd: Path) -> tuple[bytes, bytes]:
    session_id = new_uuid()
    file = folder / f"{session_id}.jsonl"
    log = SessionLog(file, session_id, lambda: Place(str(cwd), "main"))
    for number in range(100):
        log.append(user_draft(f"prompt {number} " + "x" * 200))
        for _ in range(2):
            log.append(_answer(f"msg_{number}"))
    log.close()
    lines = [line for line in file.read_bytes().splitlines(True) if b'"last-prompt"' not in line]
    return b"".join(lines[:150]), b"".join(lines[150:])


def _answer(message_id: str) -> EntryDraft:
    return assistant_draft(
        message_id=message_id,
        model="claude-sonnet-5-5",
        block={"type": "text", "text": "word " * 200},
        stop_reason="end_turn",
        usage={"input_tokens": 10, "output_tokens": 100},
        request_id="req",
    )
