"""``agentcli permissions check``: JSON lines in and out, and one call in words."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.program import AGENTCLI
from tests.permissions.corpus import World, load_cases


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    (folder / ".git").mkdir(parents=True)
    (tmp_path / "home").mkdir()
    return folder


def check(
    folder: Path, *args: str, lines: bytes | None = None, **env: str
) -> "subprocess.CompletedProcess[bytes]":
    home = folder.parent / "home"
    given = {"PATH": os.environ["PATH"], "HOME": str(home), "AGENTCLI_HOME": str(home / ".own")}
    return subprocess.run(
        [*AGENTCLI, "permissions", *args],
        cwd=folder,
        env=given | env,
        input=lines,
        stdin=None if lines is not None else subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
    )


def line(**fields: Any) -> bytes:
    return json.dumps({"tool": "Bash", "input": {"command": "ls"}, **fields}).encode() + b"\n"


def test_the_whole_corpus_is_answered_as_accepted(tmp_path: Path) -> None:
    cases, sent = load_cases(), b""
    for case in cases:
        world = World(tmp_path / case["id"])
        world.build(case)
        filled = world.fill(case)
        sent += json.dumps(
            {**filled, "cwd": world.names["${CWD}"], "home": world.names["${HOME}"]}
        ).encode()
        sent += b"\n"
    (tmp_path / "x").mkdir()
    done = check(tmp_path / "x", "check", lines=sent)
    answers = [json.loads(text) for text in done.stdout.splitlines()]
    assert done.returncode == 0 and len(answers) == len(cases)
    wrong = [
        (case["id"], case["input"], answer)
        for case, answer in zip(cases, answers, strict=True)
        if answer["id"] != case["id"]
        or answer["decision"] not in (case.get("accept") or [case["expect"]])
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (b"x\n", "Expecting value"),
        (b"[1]\n", "expected a JSON object"),
        (b"\xff\n", "utf-8"),
        (b"[" * 100_000 + b"\n", "nested too deeply"),
        (b'"' + b"x" * (5 << 20) + b'"\n', "longer than 4 MB"),
        (line(mode=5), "mode: expected a string"),
        (line(mode="fast"), "unknown permission mode"),
        (line(rules=[]), "rules: expected an object"),
        (line(rules={"allow": "Bash"}), "rules.allow: expected a list of strings"),
        (line(rules_source="x"), "rules_source"),
        (line(tool=None), "tool: expected"),
        (line(input=[]), "input: expected an object"),
        (line(trusted="yes"), "trusted: expected true or false"),
        (line(hook={"PreToolUse": "maybe"}), "hook.PreToolUse"),
        (line(additional_directories=[1]), "additional_directories"),
    ],
    ids=range(15),
)
def test_a_bad_line_gets_an_error_and_the_next_an_answer(
    folder: Path, sent: bytes, words: str
) -> None:
    done = check(folder, "check", lines=b"\n" + sent + line(id="next")[:-1])
    first, second = [json.loads(text) for text in done.stdout.splitlines()]
    assert words in first["error"] and (first["line"], second["id"]) == (2, "next")
    assert (second["decision"], done.returncode, done.stderr) == ("allow", 1, b"")


def test_fields_count(folder: Path) -> None:
    sent = [
        line(id=1, input={"command": "make"}, rules={"allow": ["Bash(make *)", "Bash("]}),
        line(id=2, input={"command": "make"}, rules={"allow": ["Bash(make *)"]}, trusted=False),
        line(id=3, input={"command": "make"}, headless=True),
        line(id=4, input={"command": "make"}, hook={"PreToolUse": "allow"}),
        line(id=5, input={"command": "make; ls"}, mode="dontAsk"),
        line(
            id=6,
            input={"command": f"ls {folder.parent}"},
            additional_directories=[str(folder.parent)],
        ),
        line(id=7, input={"command": "ls \ud800"}),
    ]
    done = check(folder, "check", lines=b"".join(sent))
    answers = [json.loads(text) for text in done.stdout.splitlines()]
    assert [
        answer["decision"] for answer in answers
    ] == "allow ask deny allow deny allow deny".split()
    assert (
        "not a permission rule" in answers[0]["problems"][0]
        and answers[0]["rule"] == "Bash(make *)"
    )
    assert answers[1]["parts"] == ["make"] and answers[1]["suggestions"] == ["Bash(make)"]


def test_a_reader_that_goes_away_is_no_error(folder: Path) -> None:
    script = f"{AGENTCLI[0]} permissions check | head -c 1 >/dev/null; echo ${{PIPESTATUS[0]}}"
    home = folder.parent / "home"
    done = subprocess.run(
        ["bash", "-c", script],
        input=line() * 20_000,
        capture_output=True,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "AGENTCLI_HOME": str(home / ".own")},
        check=False,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == (b"141\n", b"")


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["Bash", "ls"], 0, "allow: it would run"),
        (["Bash", "npm test && rm -rf x"], 3, "    ask   rm -rf x"),
        (["Bash", "curl x; ls", "--disallowedTools", "Bash(curl *)"], 4, "from the command line"),
        (["Bash", "make", "--mode", "bypassPermissions"], 0, "mode:    bypassPermissions"),
        (["Bash", "f() { a; }"], 3, "It holds a function definition"),
        (["Read", "../x"], 3, "Outside the working directories"),
        (["Edit", '{"file_path": ".git/config"}'], 3, "Protected: .git"),
        (["WebFetch", "file:///x"], 4, "only http and https"),
        (["mcp__srv__x"], 3, "MCP server srv"),
        (["Bash", "echo \x1b[2K\u202e"], 3, "\\x1b[2K\\u202e"),
    ],
    ids=range(10),
)
def test_one_call_in_words(folder: Path, args: list[str], code: int, words: str) -> None:
    done = check(folder, "check", *args)
    assert done.returncode == code, done
    assert words in done.stdout.decode()


def test_the_settings_in_force_are_those_of_a_session(folder: Path) -> None:
    (folder / ".claude").mkdir()
    rules = {"permissions": {"allow": ["Bash(make *)"], "deny": ["Bash(curl *)", "Bahs"]}}
    (folder / ".claude/settings.json").write_text(json.dumps(rules))
    done = check(folder, "check", "Bash", "make x")
    assert done.returncode == 3 and b"is not trusted" in done.stderr and b"Bahs" in done.stderr
    done = check(folder, "check", "Bash", "make x", "--trust")
    assert done.returncode == 0
    assert b"Bash(make *), from .claude/settings.json" in done.stdout
    done = check(folder, "check", "Bash", "make x && curl y", "--trust", "--json")
    facts = json.loads(done.stdout)
    assert (done.returncode, facts["rule"]) == (4, "Bash(curl *)")
    assert [part[:2] for part in facts["explained"]] == [["make x", "allow"], ["curl y", "deny"]]
    (folder / ".claude/settings.json").write_text("{")
    done = check(folder, "check", "Bash", "ls")
    assert done.returncode == 3 and b"Rules are missing" in done.stdout


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["chek"], "there is 'permissions check'"),
        (["check", "Bash", "ls", "--cwd", "/nowhere"], "--cwd: '/nowhere' is not a directory"),
        (["check", "Bash", "ls", "--mode", "fast"], "unknown permission mode"),
        (["check", "Edit", "{"], "looks like JSON"),
        (["check", "Frob", "x"], "must be a JSON object"),
        (["check", "Bash", "ls", "--frob"], "unrecognized arguments: --frob"),
        (["check", "Bash", "ls", "--allowedTools", "Bash("], "not a permission rule"),
    ],
    ids=range(7),
)
def test_a_wrong_command_line_is_one_line(folder: Path, args: list[str], words: str) -> None:
    done = check(folder, *args)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr.decode() and done.stderr.count(b"\n") == 1


def test_help_says_how_to_ask(folder: Path) -> None:
    for args in ([], ["--help"], ["check", "--help"]):
        done = check(folder, *args)
        assert done.returncode == 0 and b"permissions check" in done.stdout


def test_nothing_is_left_behind_and_nothing_heavy_loaded(folder: Path) -> None:
    check(folder, "check", "Bash", "ls")
    assert list((folder.parent / "home").iterdir()) == []
    code = "import sys; from agentcli.cli.main import run;"
    code += "run(['permissions', 'check', 'Bash', 'ls']);"
    code += "print({'textual', 'httpx2', 'anthropic', 'rich'} & set(sys.modules), file=sys.stderr)"
    python = str(Path(AGENTCLI[0]).parent / "python")
    done = subprocess.run([python, "-c", code], capture_output=True, cwd=folder, check=True)
    assert done.stderr.splitlines()[-1] == b"set()"
