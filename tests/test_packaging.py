"""What an install brings: themes in a wheel and in an editable checkout, the console script."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from agentcli.base.version import __version__
from agentcli.frontends.tui.look.library import theme_dir

ROOT = Path(__file__).parent.parent


def test_the_readme_has_exactly_two_set_up_commands_of_one_line() -> None:
    text = (ROOT / "README.md").read_text()
    commands = [line for line in text.splitlines() if "pip install" in line]
    assert len(commands) == 2
    assert commands[0].startswith("python3 -m venv") and commands[0].endswith("agentcli --demo")
    assert commands[1].startswith("python3 -m venv") and "pytest" in commands[1]
    assert text.index(commands[0]) < text.index(commands[1])


def test_the_top_level_is_what_it_should_be() -> None:
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if tracked.returncode:
        pytest.skip("not a git checkout")
    names = {name.partition("/")[0] for name in tracked.stdout.splitlines()}
    shown = {name for name in names if not name.startswith(".")}
    assert shown == {"pyproject.toml", "agentcli", "tests", "themes", "CLAUDE.md", "README.md"}


def test_themes_are_found_in_an_editable_install() -> None:
    assert theme_dir() == ROOT / "themes"
    names = {path.stem for path in theme_dir().glob("*.toml")}
    assert names >= {"dark", "light", "dark-ansi", "light-daltonized"}


def test_dependencies_name_what_the_project_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {text.partition(">")[0] for text in project["dependencies"]}
    assert names >= {"textual", "rich", "anthropic", "prompt_toolkit", "gitpython", "httpx2"}


@pytest.mark.slow
def test_a_wheel_holds_themes_prompts_and_the_sample(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--no-index", "-q", "-w", str(tmp_path), str(ROOT)], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    code = (
        "from agentcli.frontends.tui.look.library import Themes, theme_dir\n"
        "from agentcli.demo.workspace import make_workspace\n"
        "from agentcli.tools.registry import load_tool, tool_names\n"
        "print(theme_dir(), sorted(Themes(theme_dir())))\n"
        "assert all(load_tool(name).description() for name in tool_names())\n"
        f"assert (make_workspace(__import__('pathlib').Path({str(tmp_path)!r})) / 'shop').is_dir()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(installed), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(installed / "agentcli" / "themes"))
    assert "'dark-ansi'" in done.stdout and "'light'" in done.stdout


@pytest.mark.slow
def test_the_console_script_answers_its_version() -> None:
    script = Path(sys.executable).parent / "agentcli"
    done = subprocess.run([str(script), "-v"], capture_output=True, text=True, check=True)
    assert done.stdout == f"{__version__} (agentcli)\n"
