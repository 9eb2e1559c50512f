"""``--print`` in pipes: stdout is the answer, stderr the rest, the exit code the truth."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.program import AGENTCLI, World, call

MakeWorld = Callable[..., World]


def test_a_prompt_gives_only_the_answer_on_stdout(world: MakeWorld) -> None:
    done = world("echo").run("-p", "say this back")
    assert (done.returncode, done.stdout, done.stderr) == (0, "say this back\n", "")


def test_stdin_alone_and_beside_a_prompt(world: MakeWorld) -> None:
    echo = world("echo")
    assert echo.run(stdin="from a pipe").stdout == "from a pipe\n"
    assert echo.run("-p", "first", stdin="then this\n").stdout == "first\n\nthen this\n"


def test_flags_stand_on_either_side_of_the_prompt(world: MakeWorld) -> None:
    echo = world("echo")
    for args in (("-p", "--model", "opus", "hi"), ("hi", "-p", "--model=opus")):
        assert echo.run(*args).stdout == "hi\n"


def test_the_json_result_has_the_documented_fields(world: MakeWorld) -> None:
    done = world("echo").run("-p", "hi", "--output-format", "json")
    result = json.loads(done.stdout)
    assert done.returncode == 0
    assert (result["type"], result["subtype"], result["is_error"]) == ("result", "success", False)
    assert result["result"] == "hi" and result["num_turns"] == 1
    assert result["terminal_reason"] == "completed" and result["stop_reason"] == "end_turn"
    assert result["total_cost_usd"] > 0 and result["usage"]["output_tokens"] > 0
    assert set(result) >= {"duration_ms", "duration_api_ms", "session_id", "uuid", "modelUsage"}


def test_stream_json_tells_each_block_with_the_uuid_of_the_transcript(world: MakeWorld) -> None:
    here = world("tools")
    (here.project / "a.txt").write_text("alpha")
    prompt = call("Read", file_path=str(here.project / "a.txt"))
    done = here.run("-p", prompt, "--output-format", "stream-json", "--verbose")
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [message["type"] for message in messages]
    assert kinds == ["system", "assistant", "user", "assistant", "result"]
    assert messages[0]["subtype"] == "init" and "Read" in messages[0]["tools"]
    in_file = {line["uuid"]: line for line in here.lines()}
    for message in messages[1:4]:
        assert in_file[message["uuid"]]["message"]["content"] == message["message"]["content"]
    assert "alpha" in messages[2]["message"]["content"][0]["content"]
    assert done.stderr == ""


def test_partial_messages_are_the_raw_stream(world: MakeWorld) -> None:
    args = ("--output-format", "stream-json", "--include-partial-messages")
    done = world("echo").run("-p", "hi", *args)
    events = [json.loads(x) for x in done.stdout.splitlines() if '"stream_event"' in x]
    kinds = [event["event"]["type"] for event in events]
    assert kinds[0] == "message_start" and kinds[-1] == "message_stop"


def test_what_would_ask_is_denied_and_reported(world: MakeWorld) -> None:
    here = world("tools")
    prompt = call("Bash", command="touch made; true") + "\nSAY sorry"
    done = here.run("-p", prompt)
    assert (done.returncode, done.stdout) == (0, "sorry\n")
    assert "not allowed: Bash touch made; true" in done.stderr
    assert "--allowedTools" in done.stderr
    assert not (here.project / "made").exists()
    result = json.loads(here.run("-p", prompt, "--output-format=json").stdout)
    assert [d["tool_name"] for d in result["permission_denials"]] == ["Bash"]


def test_rules_and_modes_from_flags(world: MakeWorld) -> None:
    here = world("tools")
    prompt = call("Bash", command="touch made")
    assert here.run("-p", prompt, "--allowedTools", "Bash(touch *)").returncode == 0
    assert (here.project / "made").exists()
    write = call("Write", file_path=str(here.project / "new.txt"), content="x\n")
    here.run("-p", write, "--permission-mode", "acceptEdits")
    assert (here.project / "new.txt").read_text() == "x\n"
    denied = call("Write", file_path=str(here.project / "not.txt"), content="x\n")
    here.run("-p", denied, "--permission-mode", "acceptEdits", "--disallowedTools", "Write,Edit")
    assert not (here.project / "not.txt").exists()
    plan = call("Write", file_path=str(here.project / "plan.txt"), content="x\n")
    here.run("-p", plan, "--permission-mode", "plan")
    assert not (here.project / "plan.txt").exists()


def test_bypass_is_refused_for_root_outside_a_container(world: MakeWorld) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root is refused")
    here = world("tools")
    prompt = call("Bash", command="touch made; true")
    args = ("-p", prompt, "--permission-mode", "bypassPermissions")
    refused = here.run(*args)
    assert refused.returncode == 1 and "root" in refused.stderr
    assert here.run(*args, AGENTCLI_SANDBOXED="1").returncode == 0
    assert (here.project / "made").exists()


def test_continue_and_resume_go_on_with_the_session(world: MakeWorld) -> None:
    here = world("tools")
    here.run("-p", "SAY one")
    (path,) = here.sessions()
    assert here.run("-p", "SAY two", "--continue").stdout == "two\n"
    assert here.run("-p", "SAY three", "--resume", path.stem).stdout == "three\n"
    assert here.sessions() == [path]
    prompts = [
        line["message"]["content"]
        for line in here.lines()
        if line["type"] == "user" and isinstance(line["message"]["content"], str)
    ]
    assert prompts == ["SAY one", "SAY two", "SAY three"]


def test_max_turns(world: MakeWorld) -> None:
    here = world("tools")
    prompt = "\nTHEN\n".join([call("Glob", pattern="*")] * 4)
    done = here.run("-p", prompt, "--max-turns", "2", "--output-format", "json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["subtype"] == "error_max_turns"


def test_verbose_tells_calls_on_stderr(world: MakeWorld) -> None:
    done = world("tools").run("-p", call("Glob", pattern="*"), "--verbose")
    assert "✓ Glob" in done.stderr and "Glob" not in done.stdout.splitlines()[0]


def test_a_closed_reader_is_quiet_and_a_full_disk_is_told(world: MakeWorld) -> None:
    here = world("echo")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*AGENTCLI, "-p", "hi"],
            cwd=here.project,
            env=here.env(),
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "agentcli: cannot write to stdout: No space left on device."
    ]


BAD = [
    (["-p", ""], "prompt is empty"),
    (["-p", "  \n "], "prompt is empty"),
    (["-p", "--resume", "fix it"], "'fix it' was taken for what --resume names"),
    (["-p", "x", "--nope"], "--nope"),
    (["-p", "x", "--model", "sonett"], "sonnet"),
    (["-p", "x", "--model", ""], "model"),
    (["-p", "x", "--max-turns", "0"], "at least 1"),
    (["-p", "x", "--permission-mode", "yolo"], "yolo"),
    (["-p", "x", "--output-format", "xml"], "xml"),
    (["-p", "x", "--resume", "nope"], "sessions list"),
    (["-p", "x", "--continue"], "without --continue"),
    (["-p", "x", "--add-dir", "/does/not/exist"], "/does/not/exist"),
]


@pytest.mark.parametrize(("args", "said"), BAD, ids=[" ".join(a) for a, _ in BAD])
def test_bad_arguments_get_one_line(world: MakeWorld, args: list[str], said: str) -> None:
    done = world("echo").run(*args)
    assert done.returncode != 0 and done.stdout == ""
    assert said in done.stderr and len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "prompt is empty"),
        (b"\x7fELF\0\0", "binary"),
        (b"caf\xe9 au lait", "UTF-8"),
        (b"x" * (10 * 1024 * 1024 + 1), "10 MB"),
    ],
    ids=["empty", "binary", "latin-1", "huge"],
)
def test_bad_stdin_gets_one_line(world: MakeWorld, data: bytes, said: str) -> None:
    done = world("echo").run(stdin=data)
    assert done.returncode == 1 and said in done.stderr and len(done.stderr.splitlines()) == 1


def test_no_credentials_says_what_to_do(world: MakeWorld) -> None:
    done = world("echo").run("-p", "x", ANTHROPIC_API_KEY="", ANTHROPIC_BASE_URL="")
    assert done.returncode == 1
    for word in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "--demo"):
        assert word in done.stderr


@contextmanager
def listener(answer: bytes) -> Generator[str]:
    """A server that gives every connection the same bytes."""
    code = (
        "import socket,sys\ns=socket.socket();s.bind(('127.0.0.1',0));s.listen();"
        "print(s.getsockname()[1],flush=True)\n"
        "while True:\n c,_=s.accept();c.recv(65536)\n"
        f" c.sendall({answer!r});c.close()\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as p:
        assert p.stdout is not None
        yield f"http://127.0.0.1:{p.stdout.readline().strip()}"
        p.kill()


_HTML = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 13\r\n\r\n<html></html>"
_REFUSED = b'{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}'
_401 = (
    b"HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: 95\r\n\r\n"
    + _REFUSED.ljust(95)
)


@pytest.mark.parametrize(
    ("answer", "said"),
    [(_HTML, "ANTHROPIC_BASE_URL"), (_401, "ANTHROPIC_API_KEY")],
    ids=["html", "401"],
)
def test_a_wrong_server_or_key_gets_one_line(world: MakeWorld, answer: bytes, said: str) -> None:
    here = world("echo")
    with listener(answer) as url:
        done = here.run("-p", "x", ANTHROPIC_BASE_URL=url)
    assert done.returncode == 1 and done.stdout == ""
    assert said in done.stderr and len(done.stderr.splitlines()) == 1
    assert "test-key" not in done.stderr
    assert here.lines()[-1]["isApiErrorMessage"] is True


def test_no_network_says_what_cannot_be_reached(world: MakeWorld) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}"
    done = world("echo").run("-p", "x", ANTHROPIC_BASE_URL=url, CLAUDE_CODE_MAX_RETRIES="1")
    assert done.returncode == 1 and url.removeprefix("http://") in done.stderr


def test_a_deleted_directory_is_told(world: MakeWorld, tmp_path: Path) -> None:
    here = world("echo")
    code = (
        "import os, sys\nfolder = sys.argv[1]\nos.mkdir(folder)\nos.chdir(folder)\n"
        "os.rmdir(folder)\nos.execv(sys.argv[2], sys.argv[2:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "gone"), sys.executable, *AGENTCLI, "-p", "x"],
        env=here.env(PYTHONSAFEPATH="1"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and "no longer exists" in done.stderr


def test_a_home_that_cannot_be_written_is_told_before_anything_is_sent(world: MakeWorld) -> None:
    here = world("echo")
    (here.home / "file").write_text("")
    done = here.run("-p", "x", AGENTCLI_HOME=str(here.home / "file" / "sub"))
    assert done.returncode == 1 and done.stdout == ""
    assert "AGENTCLI_HOME" in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_bad_entry_of_the_settings_is_told_and_the_rest_works(world: MakeWorld) -> None:
    here = world("tools")
    home = here.home / ".agentcli"
    home.mkdir()
    (home / "settings.json").write_text('{"permissions": {"allow": ["Bash(touch *)", 7]}}')
    done = here.run("-p", call("Bash", command="touch made"))
    assert done.returncode == 0 and (here.project / "made").exists()
    assert "permissions.allow[1]: expected a string" in done.stderr


def test_broken_settings_are_told_with_their_place_and_nothing_runs_unasked(
    world: MakeWorld,
) -> None:
    here = world("tools")
    folder = here.project / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text('{\n  "permissions": {,}\n}')
    done = here.run("-p", call("Bash", command="touch made"), "--allowedTools", "Bash(touch *)")
    assert done.returncode == 0 and not (here.project / "made").exists()
    assert "settings.json:2:" in done.stderr
    assert "Rules are missing, because" in done.stdout
    assert (folder / "settings.json").read_text() == '{\n  "permissions": {,}\n}'


def test_sigint_ends_the_run_and_its_children_and_keeps_the_session(world: MakeWorld) -> None:
    here = world("tools")
    process = here.start(
        "-p",
        call("Bash", command="echo $$ > pid; sleep 60"),
        "--permission-mode=bypassPermissions",
        AGENTCLI_SANDBOXED="1",
    )
    pid_file = here.project / "pid"
    deadline = time.monotonic() + 30
    while not (pid_file.exists() and pid_file.read_text().strip()):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130 and "--resume" in err
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
    assert here.run("-p", "SAY back", "--continue").stdout == "back\n"


_CUT = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
    b'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message",'
    b'"role":"assistant","model":"x","content":[],"usage":{"input_tokens":1}}}\n\n'
    b'event: content_block_start\ndata: {"type":"content_block_start","index":0,'
    b'"content_block":{"type":"text","text":""}}\n\n'
    b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
    b'"delta":{"type":"text_delta","text":"half of it"}}\n\n'
)


def test_a_response_that_is_always_cut_is_no_answer(world: MakeWorld) -> None:
    here = world("echo")
    with listener(_CUT) as url:
        done = here.run("-p", "x", ANTHROPIC_BASE_URL=url)
    assert done.returncode == 1 and done.stdout == ""
    assert len(done.stderr.splitlines()) <= 3 and "half of it" not in done.stderr
    assert "half of it" not in json.dumps(here.lines())
    assert here.run("-p", "SAY x", "--continue").returncode == 0


def test_a_full_disk_gives_the_answer_a_line_and_a_failure(world: MakeWorld) -> None:
    here = world("echo")
    command = 'ulimit -f 1; exec "$@"'
    done = subprocess.run(
        ["bash", "-c", command, "sh", *AGENTCLI, "-p", "x" * 3000],
        cwd=here.project,
        env=here.env(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and done.stdout == "x" * 3000 + "\n"
    assert "cannot be saved" in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_directory_that_vanishes_in_the_middle(world: MakeWorld) -> None:
    here = world("tools")
    prompt = "\nTHEN\n".join(
        [call("Bash", command=f"rmdir {here.project}"), call("Bash", command="pwd"), "SAY over"]
    )
    args = ("--permission-mode", "bypassPermissions")
    done = here.run("-p", prompt, *args, AGENTCLI_SANDBOXED="1")
    assert done.returncode == 0 and done.stdout.endswith("over\n"), done.stderr
    assert len(here.sessions()) == 1


@pytest.mark.slow
def test_the_official_sdk_as_transport_gives_the_same_answer(world: MakeWorld) -> None:
    here = world("tools")
    done = here.run("-p", call("Glob", pattern="*") + "\nSAY same", "--transport", "sdk")
    assert (done.returncode, done.stdout, done.stderr) == (0, "same\n", "")


def test_bytes_that_are_no_text_in_an_added_prompt_do_no_harm(world: MakeWorld) -> None:
    here = world("echo")
    command = [*AGENTCLI, "-p", "hi", "--append-system-prompt", b"\xff"]
    done = subprocess.run(
        command, cwd=here.project, env=here.env(), capture_output=True, stdin=subprocess.DEVNULL
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"hi\n", b"")


def test_compact_shortens_the_session_and_says_so_in_one_line(world: MakeWorld) -> None:
    demo = world("demo")
    assert demo.run("-p", "hello there").returncode == 0
    done = demo.run("-p", "/compact the greeting", "--continue")
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.startswith("Compacted: ") and done.stdout.count("\n") == 1
    (boundary,) = [line for line in demo.lines() if line.get("subtype") == "compact_boundary"]
    assert boundary["compactMetadata"]["trigger"] == "manual"
    again = demo.run("-p", "/compact", "--continue")
    assert again.returncode != 0 and "too little to compact" in again.stderr
    assert demo.run("-p", "think", "--continue").returncode == 0
    done = demo.run("-p", "/compact", "--continue", "--output-format", "stream-json", "--verbose")
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    assert [message["type"] for message in messages] == ["system", "system", "result"]
    assert messages[1]["subtype"] == "compact_boundary"
    assert messages[1]["compact_metadata"]["trigger"] == "manual"
    assert messages[1]["compact_metadata"]["pre_tokens"] > 0
