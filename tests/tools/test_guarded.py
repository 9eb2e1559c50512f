"""Commands that run unasked run nothing of the project; tools act on the file that was judged."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

from agentcli.tools.limits import spill
from agentcli.tools.ripgrep import find_ripgrep
from agentcli.tools.shell_env import find_shell, fixed_path
from tests.tools.helpers import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    root = tmp_path / "work"
    root.mkdir()
    return Bench(root)


def _trap(path: Path) -> Path:
    """A program that leaves a mark beside the project when it runs."""
    path.write_text(f'#!/bin/sh\necho {path.name} >>{path.parent.parent}/ran\ncat "$@"\n')
    path.chmod(0o755)
    return path


def _ran(bench: Bench) -> str:
    mark = bench.root.parent / "ran"
    return mark.read_text() if mark.exists() else ""


async def test_programs_and_functions_of_the_project_are_not_found(bench: Bench) -> None:
    _trap(bench.root / "ls")
    bench.env |= {
        "PATH": f".::{bench.root}:{os.environ['PATH']}",
        "BASH_FUNC_ls%%": "() { echo function; }",
        "CDPATH": "/",
    }
    bench.ctx.guarded = True
    assert await bench.text("Bash", command="ls") == "ls"
    assert _ran(bench) == ""
    bench.ctx.guarded = False  # approved by a person: everything as they are used to
    assert await bench.text("Bash", command="ls") == "function"


async def test_which_still_tells_what_a_person_would_run(bench: Bench) -> None:
    tool = _trap(bench.root / "tool")
    bench.env["PATH"] = f"{bench.root}:{os.environ['PATH']}"
    bench.ctx.guarded, bench.ctx.instead = True, "which tool"
    assert await bench.text("Bash", command="which tool") == str(tool)
    _trap(bench.root / "which")
    await bench.fails("Bash", command="which tool")
    assert _ran(bench) == ""


async def test_the_judged_text_runs_in_place_of_the_command(bench: Bench) -> None:
    bench.ctx.instead = "echo guarded"
    assert await bench.text("Bash", command="echo plain") == "guarded"


async def test_git_starts_no_program_that_a_configuration_names(bench: Bench) -> None:
    def git(*args: str) -> None:
        subprocess.run(["git", *args], cwd=bench.root, check=True, capture_output=True)

    git("init", "-q")
    git("config", "user.email", "a@example.org")
    git("config", "user.name", "A")
    (bench.root / "a.txt").write_text("one\n")
    git("add", "-A")
    git("commit", "-qm", "first")
    (bench.root / "a.txt").write_text("two\n")
    hooks = bench.root / "hooks"
    hooks.mkdir()
    hook = hooks / "post-index-change"
    hook.write_text(f"#!/bin/sh\necho hook >>{bench.root.parent}/ran\n")
    hook.chmod(0o755)
    git("config", "core.fsmonitor", str(_trap(bench.root / "monitor")))
    git("config", "core.hooksPath", str(hooks))
    git("config", "log.showSignature", "true")
    git("config", "gpg.program", str(_trap(bench.root / "gpg")))
    bench.env |= {
        "GIT_EXTERNAL_DIFF": str(_trap(bench.root / "external")),
        "GIT_DIR": str(bench.root / "elsewhere"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "diff.external",
        "GIT_CONFIG_VALUE_0": str(bench.root / "external"),
    }
    for command in ("git status", "git diff", "git log", "git ls-files"):
        bench.ctx.guarded = True
        assert "a.txt" in await bench.text("Bash", command=command) or command == "git log"
    assert _ran(bench) == ""


def test_a_search_path_is_taken_only_where_it_is_fixed(tmp_path: Path) -> None:
    project, link = tmp_path / "p", tmp_path / "l"
    (project / "bin").mkdir(parents=True)
    link.symlink_to(project)
    path = f".::bin:/usr/bin:{project}/bin:{link}/bin:/bin"
    assert fixed_path(path, (project,)) == "/usr/bin:/bin"
    assert fixed_path(path) == f"/usr/bin:{project}/bin:{link}/bin:/bin"


def test_shell_and_searcher_never_come_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("bash", "bin/rg"):
        _trap(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    assert find_shell({"SHELL": "./bash", "PATH": "."}) == "/bin/sh"
    monkeypatch.setenv("PATH", "bin")
    found = find_ripgrep()
    assert found is None or os.path.isabs(found)


@pytest.mark.parametrize("tool", ["Read", "Edit", "Write"])
async def test_a_link_that_was_swapped_is_not_followed(bench: Bench, tool: str) -> None:
    judged, other, link = (bench.root / name for name in ("judged", "other", "link"))
    judged.write_text("harmless\n")
    other.write_text("secret\n")
    link.symlink_to(other)
    bench.ctx.target = judged
    inputs = {"Read": {}, "Edit": {"old_string": "x", "new_string": "y"}, "Write": {"content": "z"}}
    message = await bench.fails(tool, file_path=str(link), **inputs[tool])
    assert "not the file that was approved" in message and "secret" not in message
    assert other.read_text() == "secret\n"
    link.unlink()
    link.symlink_to(judged)
    await bench.text("Read", file_path=str(link))
    await bench.text("Write", file_path=f"/{link}", content="new\n")
    assert judged.read_text() == "new\n"


def test_saved_output_is_private_all_the_way(bench: Bench, tmp_path: Path) -> None:
    bench.ctx.spill_dir = tmp_path / "session" / "results"
    before = os.umask(0)
    try:
        _, path = spill("x" * 50_000, bench.ctx)
    finally:
        os.umask(before)
    assert path is not None
    for place in (path, path.parent, path.parent.parent):
        assert stat.S_IMODE(place.stat().st_mode) & 0o077 == 0
