"""What stands in the composer, as a value."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from agentcli.frontends.tui.composer.chips import Content


class Draft(NamedTuple):
    """What stands in the composer, with what its chips stand for, and what was put away."""

    text: str = ""
    cursor: int = 0
    shell: bool = False
    contents: Mapping[int, Content] = MappingProxyType({})
    stashed: "Draft | None" = None

    @property
    def empty(self) -> bool:
        """Is there nothing to be kept?"""
        return not self.text.strip() and self.stashed is None
