"""What a person can get wrong: one clear line, no traceback, nothing lost silently."""

import os
import subprocess
from pathlib import Path

import pytest

from agentcli.cli.args import parse_args
from agentcli.cli.policy import make_policy
from agentcli.protocol.errors import UsageError
from agentcli.settings.model import Loaded, Settings
from agentcli.settings.sources import home_dir
from tests.e2e.program import AGENTCLI


@pytest.mark.parametrize("folder", ["", "/nowhere", "~nobody-of-this-name/x", "a" * 5000, "loop"])
def test_an_added_folder_that_cannot_be_used(tmp_path: Path, folder: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    args = parse_args(["x", f"--add-dir={folder}"])
    with pytest.raises(UsageError, match=r"--add-dir: .* is not a directory") as caught:
        make_policy(args, Loaded(Settings()), tmp_path, tmp_path, trusted=False)
    assert len(caught.value.message) < 300


@pytest.mark.parametrize("value", ["abc", "1.5", "", "9" * 5000, "٣"])
def test_a_number_that_is_none(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse_args(["x", f"--max-turns={value}"])
    error = capsys.readouterr().err
    assert caught.value.code == 2 and "must be a whole number" in error
    assert len(error) < 200 and error.count("\n") == 1


def test_a_mistake_is_one_line_without_control_characters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        parse_args(["x", "--\x1b[31m\nred" + "x" * 5000])
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "\x1b" not in error and len(error) < 500


@pytest.mark.parametrize("name", ["HOME", "AGENTCLI_HOME", "CLAUDE_CONFIG_DIR"])
def test_a_folder_of_the_project_is_never_taken_for_the_persons_own(name: str) -> None:
    env = {"HOME": "/h", name: "own"}
    with pytest.raises(UsageError, match=f"{name} must be an absolute path, not 'own'"):
        home_dir(env)
    assert home_dir({"HOME": "/h", "XDG_CONFIG_HOME": "own"}) == Path("/h/.agentcli")


def test_an_ascii_python_is_told_and_loses_nothing(tmp_path: Path) -> None:
    env = {"PATH": os.defpath, "HOME": str(tmp_path), "LC_ALL": "C", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [*AGENTCLI, "-p", "é"], env=env, cwd=tmp_path, capture_output=True, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 1 and b"set LC_ALL=C.UTF-8" in done.stderr
    assert done.stderr.count(b"\n") == 1
