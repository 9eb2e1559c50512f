"""Names with wildcards are taken for all that bash would put in their place, in bounded time."""

import subprocess
import time

import pytest

from agentcli.permissions.paths import DiskProbe
from agentcli.permissions.shell.wildcards import expand


@pytest.fixture
def folder(tmp_path):
    for name in (
        "a.py",
        "b.py",
        ".env",
        "d/x.py",
        "d/.h",
        "e f/y.py",
        "[z]",
        "-n",
        "d/e/z.py",
        "A.PY",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    return tmp_path


@pytest.mark.parametrize(
    "pattern",
    [
        "*",
        "*.py",
        "?.py",
        ".*",
        "*/*.py",
        "d/*",
        "d/**",
        "**/*.py",
        "[ab].py",
        "[!a].py",
        "\\[z]",
        "*/",
        "./*",
        "nothing*",
        "d/*/*",
        "e\\ f/*",
    ],
)
def test_no_fewer_names_than_bash(folder, pattern):
    script = f"printf '%s\\0' {pattern}"
    done = subprocess.run(
        ["/bin/bash", "--noprofile", "--norc", "-c", script],
        cwd=folder,
        capture_output=True,
        check=True,
    )
    theirs = {name.rstrip("/").removeprefix("./") for name in done.stdout.decode().split("\0")[:-1]}
    ours = expand(pattern, str(folder), DiskProbe())
    assert ours is not None
    assert theirs <= {name.rstrip("/").removeprefix("./") for name in ours}


def test_what_is_not_understood_or_too_much_is_nothing(folder):
    assert expand("[[:alpha:]]*", str(folder), DiskProbe()) is None
    for number in range(600):
        (folder / f"many{number}").write_text("")
    assert expand("many*", str(folder), DiskProbe()) is None


def test_a_bomb_of_wildcards_is_bounded(folder, project):
    for number in range(200):
        (folder / f"n{number}/m{number}").mkdir(parents=True)
    there = project.having(roots=(str(folder),), cwd=str(folder)).with_rules("deny", "Read(.env)")
    start = time.process_time()
    for command in (
        "ls " + "*/" * 3_000,
        "cat " + "*/*/* " * 1_500,
        "ls " + "*" * 9_000,
        "cat *;" * 1_500,
    ):
        assert there.bash(command).reason
    assert time.process_time() - start < 10


def test_every_match_is_judged(folder, project):
    there = project.having(roots=(str(folder),), cwd=str(folder))
    assert there.bash("cat *.py").behavior == "allow"
    assert there.bash("cat *").behavior == "ask"  # one of them is called -n
    assert there.with_rules("deny", "Read(a.py)").bash("cat *.py").behavior == "deny"
    assert there.with_rules("deny", "Read(.env)").bash("cat *.py").behavior == "allow"
    (folder / "l.py").symlink_to("/etc/passwd")
    assert there.bash("cat *.py").behavior == "ask"
