"""Every test has its own home, no credentials of the machine, and no network but loopback."""

import os
import socket
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run: what is red is red because of a change. To look for new ones:
# HYPOTHESIS_PROFILE=search python -m pytest …
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

_REAL_CONNECT = socket.socket.connect


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """HOME and AGENTCLI_HOME in a temp folder; no ANTHROPIC_* or CLAUDE_* variable is seen."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("ANTHROPIC_", "CLAUDE_", "AGENTCLI_")):
            monkeypatch.delenv(name)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_COLOR", "COLORFGBG"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("AGENTCLI_HOME", str(home / ".agentcli"))
    return home


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connecting anywhere but to this machine fails the test."""

    def connect(self: socket.socket, address: object) -> None:
        if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test tried to reach {address}")
        _REAL_CONNECT(self, address)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(socket.socket, "connect", connect)
