"""Time, in the two forms the product needs."""

import time
from datetime import UTC, datetime, timedelta

_MILLISECOND, _SECOND = timedelta(milliseconds=1), timedelta(seconds=1)


def timestamp() -> str:
    """Now as ``YYYY-MM-DDTHH:MM:SS.mmmZ``, the form of the session file."""
    return _form(datetime.now(UTC))


def timestamp_after(last: str) -> str:
    """Now as ``timestamp``, but later than *last*, one of before, unless the clock was set back."""
    now = datetime.now(UTC)
    stamp = _form(now)
    if stamp > last:
        return stamp
    after = datetime.fromisoformat(last) + _MILLISECOND
    return _form(after) if after - now < _SECOND else stamp


def _form(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def elapsed_ms(since: float) -> int:
    """Milliseconds since *since*, a value of ``time.monotonic()``."""
    return round((time.monotonic() - since) * 1000)
