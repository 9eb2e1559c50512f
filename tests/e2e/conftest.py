"""Worlds for end-to-end tests."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.program import World, server


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Callable[..., World]]:
    """``world("tools")``: a fresh home and project with that script on the other end."""
    with ExitStack() as stack:

        def make(script: str = "tools", *args: str) -> World:
            home, project = tmp_path / "home", tmp_path / "project"
            home.mkdir()
            project.mkdir()
            return World(home, project, stack.enter_context(server(script, *args)))

        yield make
