"""The mark in front of the composer: who is spoken to, the model or the shell."""

from rich.segment import Segment
from textual.app import ComposeResult
from textual.strip import Strip
from textual.widget import Widget

from agentcli.frontends.tui.composer.area import Composer


class ComposerRow(Widget, can_focus=False):
    """The mark and the composer, side by side."""

    DEFAULT_CSS = "ComposerRow { layout: horizontal; height: auto; }"

    def __init__(self, composer: Composer, id: str | None = None) -> None:
        super().__init__(id=id)
        self._composer = composer

    def compose(self) -> ComposeResult:
        yield Mark(self._composer)
        yield self._composer


class Mark(Widget, can_focus=False):
    """``›`` for a prompt, ``!`` in shell mode."""

    DEFAULT_CSS = """
    Mark { width: 2; height: 1; color: $accent; text-style: bold; }
    Mark.-shell { color: $warning; }
    """

    def __init__(self, composer: Composer, id: str | None = None) -> None:
        super().__init__(id=id)
        self._composer = composer

    def on_mount(self) -> None:
        self.watch(self._composer, "shell_mode", self._show)

    def _show(self, shell: bool) -> None:
        self.set_class(shell, "-shell")
        self.refresh()

    def render_line(self, y: int) -> Strip:
        style = self.rich_style
        sign = "!" if self._composer.shell_mode else "›"
        return Strip([Segment(sign, style)], 1).adjust_cell_length(self.size.width, style)
