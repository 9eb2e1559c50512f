"""What stands in the composer, as a value."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agentcli.frontends.tui.composer.chips import Content


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands in the composer, with what its chips stand for, and what was put away."""

    text: str = ""
    cursor: int = 0
    shell: bool = False
    contents: Mapping[int, Content] = field(default_factory=dict[int, Content])
    stashed: "Draft | None" = None

    @property
    def empty(self) -> bool:
        """Is there nothing to be kept?"""
        return not self.text.strip() and self.stashed is None
