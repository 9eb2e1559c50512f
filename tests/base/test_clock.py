"""Times of the session file: one form, each later than the one before."""

from datetime import UTC, datetime, timedelta

from agentcli.base.clock import timestamp, timestamp_after


def test_a_stamp_is_later_than_the_last_one_in_the_same_form() -> None:
    stamps = [timestamp()]
    for _ in range(300):
        stamps.append(timestamp_after(stamps[-1]))
    assert stamps == sorted(set(stamps))
    assert all(len(stamp) == 24 and stamp.endswith("Z") for stamp in stamps)


def test_a_clock_that_was_set_back_is_believed() -> None:
    ahead = (datetime.now(UTC) + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    assert timestamp_after(ahead) < ahead
    assert timestamp_after("") <= timestamp()
