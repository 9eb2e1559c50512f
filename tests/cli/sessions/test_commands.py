"""``agentcli sessions`` on real files: what is printed, what is written, how it ends."""

import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agentcli.cli.sessions.args import COMMANDS
from agentcli.cli.sessions.run import run_sessions
from agentcli.session.codec import encode_line
from agentcli.session.entries import Entry
from agentcli.session.reading import read_session
from tests.e2e.program import AGENTCLI
from tests.frontends.shared.test_whole import compaction
from tests.session.trees import call, prompt, result, said

SID = "3f2a0000-0000-4000-8000-000000000000"


def conversation() -> list[Entry]:
    return [
        prompt("p1", None, "fix the total"),
        said("a1", "p1", "m1", {"type": "text", "text": "Done."}, "claude-opus-5-5"),
        call("c1", "a1", "m1", "t1"),
        result("r1", "c1", "t1"),
        prompt("p2", "a1", "a way not taken"),
        prompt("p3", "r1", "now \x1b[31mred"),
        said("a3", "p3", "m3", "Red.", "claude-opus-5-5"),
        Entry({"type": "custom-title", "customTitle": "totals", "sessionId": SID}),
    ]


def whole(entry: Entry) -> Entry:
    base = {"userType": "external", "cwd": "/x", "version": "2.0.0", "isSidechain": False}
    stamp = {"sessionId": SID, "timestamp": "2026-11-30T10:00:00.000Z"}
    return Entry({"parentUuid": None, **base, **stamp, **entry.data})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / f"{SID}.jsonl"
    path.write_bytes(b"".join(encode_line(whole(entry).data) for entry in conversation()))
    return path


def run(*argv: str, cwd: Path) -> tuple[int, str]:
    out = io.BytesIO()
    code = run_sessions(argv, cwd, os.environ, out)
    return code, out.getvalue().decode()


def test_show_is_the_conversation_and_not_the_other_branch(file: Path) -> None:
    code, text = run("show", str(file), cwd=file.parent)
    assert code == 0
    assert text.startswith("# totals\n\n## You\n\nfix the total") and text.endswith("Red.\n")
    assert "a way not taken" not in text and "\x1b" not in text


def test_show_json_is_the_path_one_entry_a_line(file: Path) -> None:
    _, text = run("show", file.name, "--json", cwd=file.parent)
    assert [json.loads(line)["uuid"] for line in text.splitlines()] == [
        "p1", "a1", "c1", "r1", "p3", "a3"
    ]  # fmt: skip


def test_show_payload_is_the_body_that_would_be_sent(file: Path) -> None:
    code, text = run("show", file.name, "--payload", cwd=file.parent)
    body = json.loads(text)
    assert code == 0 and body["model"] == "claude-opus-5-5" and body["stream"] is True
    assert [message["role"] for message in body["messages"]] == [
        "user", "assistant", "user", "assistant", "user"
    ]  # fmt: skip
    assert {tool["name"] for tool in body["tools"]} >= {"Read", "Edit", "Bash"}
    assert body["system"] and body["max_tokens"] > 0
    _, text = run("show", file.name, "--payload", "--model", "haiku", cwd=file.parent)
    assert json.loads(text)["model"] == "claude-haiku-5-5"


def test_a_model_that_is_not_known_says_what_to_do(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = whole(said("a4", "a3", "m4", "x", "nobodys"))
    file.write_bytes(file.read_bytes() + encode_line(entry.data))
    code, _ = run("show", file.name, "--payload", cwd=file.parent)
    error = capsys.readouterr().err
    assert code == 1 and "--model" in error and error.count("\n") == 1


def test_tree_shows_both_branches_and_where_one_is(file: Path) -> None:
    _, text = run("tree", file.name, cwd=file.parent)
    lines = [line[13:] for line in text.splitlines()]
    assert lines == ["fix the total", "├─ a way not taken", "now \\x1b[31mred  ← here"]
    _, text = run("tree", file.name, "--json", cwd=file.parent)
    nodes = [json.loads(line) for line in text.splitlines()]
    assert [(node["parent"], node["here"]) for node in nodes] == [
        (None, False), (0, False), (0, True)
    ]  # fmt: skip


def test_check_says_what_is_wrong_and_ends_so(file: Path) -> None:
    code, text = run("check", file.name, cwd=file.parent)
    assert code == 0 and "nothing is wrong" in text and "8 lines" in text
    size = file.stat().st_size
    file.write_bytes(file.read_bytes() + b'{"type":"us')
    code, text = run("check", file.name, cwd=file.parent)
    assert code == 1 and f"line 9 (byte {size:,})  error  torn line" in text
    code, text = run("check", file.name, "--json", cwd=file.parent)
    report = json.loads(text)
    assert code == 1 and not report["clean"]
    assert [p["line"] for p in report["problems"]] == [9]
    assert (report["lines"], report["prompts"]) == (9, 3)


def test_a_file_cut_anywhere_is_checked_and_shown(file: Path) -> None:
    data = file.read_bytes()
    for end in range(0, len(data), 23):
        file.write_bytes(data[:end])
        code, text = run("check", file.name, "--json", cwd=file.parent)
        assert code in (0, 1) and json.loads(text)["lines"] == data[:end].count(b"\n") + (
            end > 0 and data[end - 1 : end] != b"\n"
        )
        assert run("tree", file.name, cwd=file.parent)[0] == 0
        assert run("show", file.name, cwd=file.parent)[0] == 0


def test_export_writes_a_private_file_and_replaces_none(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = file.parent / "talk.md"
    assert run("export", file.name, "talk.md", cwd=file.parent) == (0, "")
    assert target.read_text() == run("show", file.name, cwd=file.parent)[1]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    target.write_text("mine")
    assert run("export", file.name, "talk.md", cwd=file.parent)[0] == 1
    assert "--force" in capsys.readouterr().err and target.read_text() == "mine"
    assert run("export", file.name, "talk.md", "--force", cwd=file.parent)[0] == 0
    assert target.read_text() != "mine" and stat.S_IMODE(target.stat().st_mode) == 0o600


def test_export_holds_what_was_said_before_a_compaction(file: Path) -> None:
    tail = compaction("b", [entry for entry in read_session(file).entries if entry.uuid][-1].uuid)
    with file.open("ab") as stream:
        stream.writelines(encode_line(whole(entry).data) for entry in tail)
    code, text = run("export", file.name, "-", cwd=file.parent)
    before, _, after = text.partition("*compacted*")
    assert code == 0 and "## You" in before and "gist b" in after


def test_the_ending_says_the_format_unless_the_flag_does(file: Path) -> None:
    run("export", file.name, "talk.json", cwd=file.parent)
    assert json.loads((file.parent / "talk.json").read_text())["title"] == "totals"
    _, text = run("export", file.name, "--format", "json", cwd=file.parent)
    assert len(json.loads(text)["entries"]) == 6
    run("export", file.name, "odd.json", "--format", "markdown", cwd=file.parent)
    assert (file.parent / "odd.json").read_text().startswith("# totals")


@pytest.mark.parametrize("target", ["nowhere/x.md", "folder", "/dev/full"])
def test_what_cannot_be_written_is_one_line(
    file: Path, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (file.parent / "folder").mkdir()
    assert run("export", file.name, target, cwd=file.parent)[0] == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("name", ["gone.jsonl", "./gone", ".", "/dev/null"])
@pytest.mark.parametrize("command", COMMANDS[1:])
def test_a_file_that_is_not_there_is_one_line(
    tmp_path: Path, command: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = name if "/" in name or name.endswith("jsonl") else "./" + name
    code, text = run(command, given, cwd=tmp_path)
    error = capsys.readouterr().err
    assert (code, text) == (1, "") and error.count("\n") == 1 and "No session file" in error


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["lsit"], "did you mean 'list'?"),
        (["zzz"], "list, show, tree"),
        (["show"], "SESSION"),
        (["export", "a", "b", "--format", "pdf"], "pdf"),
        (["\x1b[31m"], "\\x1b"),
    ],
)
def test_a_wrong_command_line_is_one_line(
    tmp_path: Path, argv: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        run(*argv, cwd=tmp_path)
    error = capsys.readouterr().err
    assert caught.value.code == 2 and told in error and error.count("\n") == 1


def test_alone_it_prints_the_help(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(cwd=tmp_path)[0] == 0
    text = capsys.readouterr().out
    assert all(f"\n  {command} " in text for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_has_a_help(tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        run(command, "--help", cwd=tmp_path)
    assert caught.value.code == 0 and f"sessions {command}" in capsys.readouterr().out


def test_a_full_disk_and_a_reader_that_went_away(file: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*AGENTCLI, "sessions", "show", str(file)], stdout=full, stderr=subprocess.PIPE
        )
    assert done.returncode == 1 and done.stderr.count(b"\n") == 1 and b"No space" in done.stderr
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*AGENTCLI, "sessions", "tree", str(file)], stdout=writing, stderr=subprocess.PIPE
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_it_starts_without_the_heavy_packages(file: Path) -> None:
    code = (
        "import sys, os, pathlib\nfrom agentcli.cli.main import run\n"
        f"file = {str(file)!r}\nfor c in ('show', 'tree', 'check', 'export'):\n"
        "    assert run(['sessions', c, file]) == 0\n"
        "assert run(['sessions', 'show', file, '--payload']) == 0\n"
        "assert run(['sessions', 'list']) == 0\n"
        "print('\\n' + ' '.join({m.partition('.')[0] for m in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert not loaded & {"textual", "rich", "httpx2", "anthropic", "pydantic"}


def test_one_kind_of_fault_does_not_flood_the_report(file: Path) -> None:
    file.write_bytes(b'{"broken\n' * 50 + file.read_bytes())
    code, text = run("check", file.name, cwd=file.parent)
    assert code == 1 and text.count("not JSON") == 21 and "… and 30 more of: not JSON" in text
    _, text = run("check", file.name, "--json", cwd=file.parent)
    assert len(json.loads(text)["problems"]) == 50


def test_a_session_is_never_written_over_by_its_export(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = file.read_bytes()
    (file.parent / "link.md").symlink_to(file.name)
    for target in (file.name, "link.md"):
        assert run("export", file.name, target, "--force", cwd=file.parent)[0] == 1
    assert "session itself" in capsys.readouterr().err and file.read_bytes() == before


def test_a_name_that_no_file_can_have_is_not_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("show", "./" + "n" * 5_000, cwd=tmp_path)[0] == 1
    error = capsys.readouterr().err
    assert "No session file" in error and len(error) < 500


@pytest.mark.parametrize("argv", [[], ["list", "--help"]])
def test_help_into_a_full_disk_is_one_line(argv: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*AGENTCLI, "sessions", *argv], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1 and done.stderr.count(b"\n") == 1 and b"No space" in done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_leaves_in_the_middle_is_noticed(file: Path, unbuffered: str) -> None:
    entry = whole(said("a4", "a3", "m4", "x" * 1_000_000, "claude-opus-5-5"))
    file.write_bytes(file.read_bytes() + encode_line(entry.data))
    env = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    argv = [*AGENTCLI, "sessions", "show", str(file)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as child:
        assert child.stdout is not None and child.stderr is not None
        child.stdout.read(10)
        child.stdout.close()
        error = child.stderr.read()
    assert (child.returncode, error) == (141, b"")
