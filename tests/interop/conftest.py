"""The written home, a copy of it for each test, and the readers, which are an optional extra."""

import asyncio
import os
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.interop.home import Sessions, write_home

_CHOSEN = os.environ.get("AGENTCLI_CCUSAGE", "")  # read here: no test sees variables of ours
_HINT = "the foreign readers are not installed: pip install -e '.[interop]'"


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Sessions:
    folder = tmp_path_factory.mktemp("interop")
    return asyncio.run(write_home(folder / "home", folder / "project"))


@pytest.fixture
def sessions(written: Sessions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sessions:
    """The sessions in a copy of the home that the test may change, and that readers look into."""
    home = tmp_path / "home"
    shutil.copytree(written.home, home)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home))
    return written.at(home)


@pytest.fixture
def sdk() -> ModuleType:
    """``claude_agent_sdk``; only its own Python code is used, never the binary it brings."""
    return pytest.importorskip("claude_agent_sdk", reason=_HINT)


@pytest.fixture
def converter() -> ModuleType:
    """The part of ``claude-code-log`` that reads."""
    return pytest.importorskip("claude_code_log.converter", reason=_HINT)


@pytest.fixture
def transcripts() -> ModuleType:
    """``claude-code-transcripts``."""
    return pytest.importorskip("claude_code_transcripts", reason=_HINT)


@pytest.fixture
def ccusage() -> str:
    """The npm program ``ccusage``: ``AGENTCLI_CCUSAGE``, that of this environment, or of PATH."""
    if shutil.which("node") is None:
        pytest.skip("ccusage needs Node, which is not installed")
    own = Path(sys.prefix, "npm", "node_modules", ".bin", "ccusage")
    found = _CHOSEN or (str(own) if own.exists() else shutil.which("ccusage") or "")
    if not found:
        pytest.skip(f"no ccusage: npm install --prefix {sys.prefix}/npm ccusage@20.0.24")
    return found
