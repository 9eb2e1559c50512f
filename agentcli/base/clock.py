"""Time, in the two forms the product needs."""

import time
from datetime import UTC, datetime


def timestamp() -> str:
    """Now as ``YYYY-MM-DDTHH:MM:SS.mmmZ``, the form of the session file."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def elapsed_ms(since: float) -> int:
    """Milliseconds since *since*, a value of ``time.monotonic()``."""
    return round((time.monotonic() - since) * 1000)
