"""After a failed request: wait how long, or stop. Pure, no clock, no randomness."""

from collections.abc import Mapping

from agentcli.protocol.errors import (
    NetworkError,
    Overloaded,
    ProviderError,
    RateLimited,
    SettingsError,
    StreamCut,
)

DEFAULT_MAX_RETRIES = 10
MOST_RETRIES = 15
LONGEST_RETRY_AFTER = 60.0
_FIRST_DELAY = 0.5
_LONGEST_DELAY = 8.0
_LONGEST_DELAY_OVERLOADED = 32.0
_RETRIED_STATUS = frozenset({408, 409, 429})


def retry_delay(
    error: ProviderError, attempt: int, *, max_attempts: int = DEFAULT_MAX_RETRIES, jitter: float
) -> float | None:
    """Seconds to wait before the request is sent again, or None to give up. Pure.

    *attempt* counts the failures so far, the first is 1; *jitter* (0.75 to 1) scales a wait of
    our own choice. The caller asks only while no block of the answer is finished.
    """
    if attempt > max_attempts or not _may_retry(error):
        return None
    if error.retry_after is not None:
        # A wait of minutes is for the person to decide; the error's message says how long.
        return error.retry_after if error.retry_after <= LONGEST_RETRY_AFTER else None
    longest = _LONGEST_DELAY_OVERLOADED if isinstance(error, Overloaded) else _LONGEST_DELAY
    # The exponent is held down since 2.0 ** 1024 would raise.
    return min(longest, _FIRST_DELAY * 2.0 ** min(attempt - 1, 16)) * jitter


def max_retries(env: Mapping[str, str]) -> int:
    """``CLAUDE_CODE_MAX_RETRIES`` (0 to 15; more counts as 15), else 10. Raises SettingsError."""
    text = env.get("CLAUDE_CODE_MAX_RETRIES", "").strip()
    if not text:
        return DEFAULT_MAX_RETRIES
    if not text.isascii() or not text.isdigit():
        raise SettingsError("CLAUDE_CODE_MAX_RETRIES must be a number from 0 to 15.")
    return min(int(text), MOST_RETRIES)


def _may_retry(error: ProviderError) -> bool:
    if error.should_retry is not None:
        return error.should_retry
    if isinstance(error, RateLimited | Overloaded | NetworkError | StreamCut):
        return True
    return error.status in _RETRIED_STATUS
