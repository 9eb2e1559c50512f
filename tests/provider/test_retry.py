"""When a failed request is sent again, and after how long."""

import pytest

from agentcli.protocol.errors import (
    AuthError,
    BadResponse,
    NetworkError,
    Overloaded,
    PromptTooLong,
    ProviderError,
    RateLimited,
    RequestRefused,
    SettingsError,
    StreamCut,
)
from agentcli.provider.retry import max_retries, retry_delay
from agentcli.provider.timeouts import Timeouts, load_timeouts


@pytest.mark.parametrize(
    ("error", "retried"),
    [
        (RateLimited("", status=429), True),
        (Overloaded("", status=529), True),
        (Overloaded("", kind="overloaded_error"), True),
        (RequestRefused("", status=408), True),
        (RequestRefused("", status=409), True),
        (NetworkError(""), True),
        (StreamCut(""), True),
        (NetworkError("", should_retry=False), False),
        (RateLimited("", status=429, should_retry=False), False),
        (RequestRefused("", status=400, should_retry=True), True),
        (RequestRefused("", status=400), False),
        (RequestRefused("", status=404), False),
        (AuthError("", status=401), False),
        (PromptTooLong("", status=413), False),
        (BadResponse("", status=200), False),
    ],
)
def test_which_errors(error: ProviderError, retried: bool) -> None:
    assert (retry_delay(error, 1, jitter=1.0) is not None) is retried


def test_delays_grow_to_a_limit() -> None:
    network = [retry_delay(NetworkError(""), n, jitter=1.0) for n in range(1, 12)]
    assert network == [0.5, 1, 2, 4, 8, 8, 8, 8, 8, 8, None]
    busy = [retry_delay(Overloaded(""), n, max_attempts=8, jitter=0.75) for n in range(1, 10)]
    assert busy == [0.375, 0.75, 1.5, 3, 6, 12, 24, 24, None]
    assert retry_delay(NetworkError(""), 5000, max_attempts=9999, jitter=1.0) == 8


@pytest.mark.parametrize(("asked", "delay"), [(0.0, 0.0), (7.5, 7.5), (60.0, 60.0), (61.0, None)])
def test_retry_after_is_obeyed_up_to_a_minute(asked: float, delay: float | None) -> None:
    error = RateLimited("", status=429, retry_after=asked)
    assert retry_delay(error, 3, jitter=0.75) == delay


@pytest.mark.parametrize(("text", "count"), [("", 10), ("0", 0), ("3", 3), ("99", 15)])
def test_max_retries(text: str, count: int) -> None:
    assert max_retries({"CLAUDE_CODE_MAX_RETRIES": text}) == count
    assert max_retries({}) == 10


@pytest.mark.parametrize("text", ["-1", "many", "1.5", "²"])
def test_bad_numbers_are_settings_errors(text: str) -> None:
    with pytest.raises(SettingsError, match="CLAUDE_CODE_MAX_RETRIES"):
        max_retries({"CLAUDE_CODE_MAX_RETRIES": text})
    with pytest.raises(SettingsError, match="API_TIMEOUT_MS"):
        load_timeouts({"API_TIMEOUT_MS": text})


def test_timeouts() -> None:
    assert load_timeouts({}) == Timeouts(10, 600, 300)
    assert load_timeouts({"API_TIMEOUT_MS": "1500"}).first_byte == 1.5
    with pytest.raises(SettingsError):
        load_timeouts({"API_TIMEOUT_MS": "0"})
