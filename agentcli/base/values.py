"""Reading JSON of unknown shape without a crash: what is not of the wanted kind reads as empty."""

from typing import Any, cast


def as_dict(value: object) -> dict[str, Any]:
    """*value* if it is a dict, else an empty one. Pure."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """*value* if it is a list, else an empty one. Pure."""
    return cast("list[Any]", value) if isinstance(value, list) else []
