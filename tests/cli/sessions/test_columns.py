"""Rows that stand straight whatever the script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcli.cli.sessions.columns import age, cells, fit, size


@given(st.text(max_size=30), st.integers(1, 20))
def test_a_column_is_as_wide_as_it_says(text: str, room: int) -> None:
    assert cells(fit(text, room)) == room


def test_wide_and_combining_letters_count_as_they_are_drawn() -> None:
    assert (cells("日本"), cells("e\u0301"), cells("ab")) == (4, 1, 2)
    assert fit("日本語", 4) == "日… "


@pytest.mark.parametrize(
    ("seconds", "told"), [(-5, "now"), (59, "now"), (60, "1m"), (7_300, "2h"), (200_000, "2d")]
)
def test_ages(seconds: float, told: str) -> None:
    assert age(seconds) == told


@pytest.mark.parametrize(
    ("count", "told"),
    [(0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (9_960, "10 kB"), (999_600, "1.0 MB"),
     (104_000_000, "104 MB"), (5_000_000_000_000, "5000 GB")],
)  # fmt: skip
def test_sizes(count: int, told: str) -> None:
    assert size(count) == told
