"""Rules of the house that no type checker sees: sizes, laziness, where packages may be named."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "agentcli"
SOURCES = sorted(
    path for path in PACKAGE.rglob("*.py") if PACKAGE / "demo" / "project" not in path.parents
)
LIMITS = {"engine/loop.py": 200, "frontends/tui/app.py": 250}
HEAVY = {"anthropic", "mcp", "git", "prompt_toolkit", "pydantic", "textual", "rich", "httpx2"} | {
    "tree_sitter"
}


def name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_no_file_outgrows_its_room(path: Path) -> None:
    lines = len(path.read_text().splitlines())
    assert lines <= LIMITS.get(name(path), 300)


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_every_module_says_its_one_job(path: Path) -> None:
    text = path.read_text()
    assert not text.strip() or ast.get_docstring(ast.parse(text))


def modules_after(code: str) -> set[str]:
    """Top-level packages in ``sys.modules`` after *code* ran in a fresh interpreter."""
    report = "\nimport sys\nprint(*{m.partition('.')[0] for m in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", code + report], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        ("import agentcli", set[str]()),
        ("import agentcli.__main__", set[str]()),
        ("import agentcli.cli.main", set[str]()),
        ("import agentcli.engine.build", set[str]()),
        ("import agentcli.cli.startup", set[str]()),
        ("import agentcli.frontends.oneshot.runner", set[str]()),
        ("import agentcli.demo.server", set[str]()),
        ("import agentcli.cli.sessions.listing, agentcli.cli.sessions.tree", set[str]()),
        ("import agentcli.cli.sessions.check, agentcli.cli.sessions.export", set[str]()),
        ("import agentcli.cli.sessions.show, agentcli.engine.frame", set[str]()),
        ("import agentcli.provider.http_transport", {"httpx2"}),
        ("import agentcli.provider.sdk_transport", set[str]()),
        # Textual imports tree_sitter by itself where it is installed.
        ("import agentcli.frontends.tui.app", {"textual", "rich", "tree_sitter"}),
    ],
)
def test_heavy_packages_are_imported_only_where_they_are_needed(
    code: str, allowed: set[str]
) -> None:
    assert modules_after(code) & HEAVY <= allowed


def test_the_version_is_answered_without_any_import() -> None:
    code = (
        "import sys\nbefore = set(sys.modules)\nsys.argv = ['agentcli', '--version']\n"
        "from agentcli.__main__ import main\nmain()\n"
        "new = {m for m in set(sys.modules) - before if not m.startswith('agentcli')}\n"
        "assert not new, new"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_sessions_are_listed_without_the_engine_and_its_windows() -> None:
    code = "from agentcli.cli.main import run\nrun(['sessions', 'list'])\n"
    code += "import sys\nloud = ('engine', 'tools', 'permissions', 'context', 'frontends.tui')\n"
    code += (
        "assert not [m for m in sys.modules if m.startswith(tuple(f'agentcli.{n}' for n in loud))]"
    )
    assert not modules_after(code) & HEAVY


def imports_of(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


_HOMES = {
    "textual": ("frontends/tui/",),
    "prompt_toolkit": ("frontends/repl/",),
    "rich": ("frontends/tui/", "frontends/repl/"),
    "httpx2": ("provider/",),
    "anthropic": ("provider/sdk_",),
    "mcp": ("mcp/",),
    "git": ("base/repo.py",),
    "pydantic": (),
}


@pytest.mark.parametrize("package", sorted(_HOMES))
def test_third_party_packages_stay_in_their_rooms(package: str) -> None:
    homes = _HOMES[package]
    outside = [
        name(path)
        for path in SOURCES
        if any(module.partition(".")[0] == package for module in imports_of(path))
        and not name(path).startswith(homes or ("-",))
    ]
    assert outside == []


def test_base_protocol_and_the_loop_use_the_standard_library_only() -> None:
    known = {*sys.stdlib_module_names, "agentcli"}
    for path in SOURCES:
        if name(path).startswith(("base/", "protocol/")) or name(path) == "engine/loop.py":
            strangers = {m.partition(".")[0] for m in imports_of(path)} - known
            assert not strangers - ({"git"} if name(path) == "base/repo.py" else set()), name(path)
