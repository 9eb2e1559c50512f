"""Makes the pilot wait in small steps: it sleeps twice per key, 20 ms each, by default."""

import pytest
from textual import _wait


@pytest.fixture(autouse=True)
def quick_pilot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_wait, "SLEEP_GRANULARITY", 0.003)
