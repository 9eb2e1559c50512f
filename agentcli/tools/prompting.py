"""Loads the text that tells the model about a tool."""

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).with_name("prompts")


@cache
def load_prompt(name: str) -> str:
    """Text of ``prompts/<name>.md`` without the final newline. Byte-stable."""
    return (_FOLDER / f"{name}.md").read_text(encoding="utf-8").rstrip("\n")
