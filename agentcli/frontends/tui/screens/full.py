"""A sheet as tall as the window: for lists that are worth the whole screen."""

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.screens.sheet import ResultT, Sheet, SheetView


class FullView(SheetView):
    """The view of a sheet that leaves no row to the conversation."""

    DEFAULT_CSS = "FullView { height: 100%; }"

    @property
    def wanted_height(self) -> int:
        return self.screen.size.height


class FullSheet(Sheet[ResultT]):
    """The conversation lies behind it as it is, so that nothing has moved when it closes."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.view: SheetView = FullView(look)

    def redraw(self) -> None:
        view = self.view
        view.parts = self.draw(self.size.width)
        view.top = max(0, min(view.top, view.hidden))
        view.refresh()
