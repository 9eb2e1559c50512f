"""How long to wait for what, in seconds."""

from collections.abc import Mapping
from dataclasses import dataclass

from agentcli.protocol.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Timeouts:
    """``first_byte`` counts from the request on; ``idle`` between two pieces of the answer."""

    connect: float = 10.0
    first_byte: float = 600.0
    idle: float = 300.0


def load_timeouts(env: Mapping[str, str]) -> Timeouts:
    """Defaults, with ``API_TIMEOUT_MS`` for the first byte. Raises SettingsError. Pure."""
    text = env.get("API_TIMEOUT_MS", "").strip()
    if not text:
        return Timeouts()
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise SettingsError("API_TIMEOUT_MS must be a number of milliseconds, such as 600000.")
    return Timeouts(first_byte=int(text) / 1000)
