"""The floor of the window: a Textual app with a text area, up to its first frame."""

from textual.app import App, ComposeResult
from textual.widgets import TextArea


class BareApp(App[None]):
    """Nothing but a text area."""

    def compose(self) -> ComposeResult:
        """One widget."""
        yield TextArea()


if __name__ == "__main__":
    BareApp().run()
