"""What the tests of the tools share."""

from pathlib import Path

import pytest

from tests.tools.helpers import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    root = tmp_path / "project"
    root.mkdir()
    return Bench(root)
