"""Keeps the terminal around the window told: its title, its progress, a call when it is left."""

from collections.abc import Mapping
from time import monotonic
from typing import Any, Protocol

from textual.app import App
from textual.timer import Timer

from agentcli.frontends.tui.terminal.colors import ASK_COLOR
from agentcli.frontends.tui.terminal.driver import Outside
from agentcli.frontends.tui.terminal.modes import can_ask_colors
from agentcli.frontends.tui.terminal.notify import Channel, call_sequence, should_call
from agentcli.frontends.tui.terminal.title import (
    PROGRESS_OFF,
    Activity,
    has_progress,
    progress_sequence,
    title_sequence,
    wants_title,
)

_AGAIN = 8.0
"""Some terminals take progress away that is not told again for a while."""
_CALLS: dict[Activity, str] = {
    "idle": "done",
    "asking": "needs your answer",
    "failed": "the turn failed",
}


class OutsideLike(Protocol):
    """Where the link writes."""

    def tell(self, text: str) -> None: ...

    def keep(self, shown: str, undo: str) -> None: ...


class TerminalLink:
    """All methods belong to the app's own thread. Without a terminal they do nothing."""

    def __init__(
        self,
        app: App[Any],
        env: Mapping[str, str],
        channel: Channel = "auto",
        progress: bool = True,
        titled: bool = True,
        outside: "OutsideLike | None" = None,
    ) -> None:
        self._app = app
        self._outside: OutsideLike = outside or Outside(app)
        self._env = env
        self._channel: Channel = channel
        self._progress = progress and has_progress(env)
        self._titled = titled and wants_title(env)
        self._activity: Activity = "idle"
        self._topic = self._directory = ""
        self._busy_since = 0.0
        self._told = ("", "")
        self._again: Timer | None = None
        self.focused: bool | None = None
        """Has the window the focus? None until the terminal has told it once."""

    def attach(self) -> None:
        """Begin: to be called when the app is mounted."""
        self._app.watch(self._app, "app_focus", self._focus_changed, init=False)
        self._tell()

    def name(self, topic: str, directory: str) -> None:
        """What the conversation is about (any text; "" for not known yet) and where it works."""
        self._topic, self._directory = topic, directory
        self._tell()

    def show(self, activity: Activity) -> None:
        """The turn began, waits for an answer, ended. Calls the person who looks elsewhere."""
        if activity == "failed" and self.focused:
            activity = "idle"  # it is being seen
        before, self._activity = self._activity, activity
        if before == activity:
            return
        if activity == "busy" and before != "asking":
            self._busy_since = monotonic()
        if activity in _CALLS and before in {"busy", "asking"}:
            self._call(_CALLS[activity])
        if activity == "busy" and self._progress and self._again is None:
            self._again = self._app.set_interval(_AGAIN, self._tell_progress)
        elif activity != "busy" and self._again is not None:
            self._again.stop()
            self._again = None
        self._tell()

    def ask_color(self) -> None:
        """Ask for the background colour again; `BackgroundTold` is the answer, if one comes."""
        if can_ask_colors(self._env):
            self._outside.tell(ASK_COLOR)

    def _call(self, what: str) -> None:
        if should_call(self.focused, monotonic() - self._busy_since):
            where = self._topic or self._directory
            text = f"{what} · {where}" if where else what
            self._outside.tell(call_sequence(self._channel, self._env, "agentcli", text))

    def _focus_changed(self, focused: bool) -> None:
        self.focused = focused
        if focused and self._activity == "failed":
            self.show("idle")  # it was seen

    def _tell(self) -> None:
        title = title_sequence(self._activity, self._topic, self._directory) if self._titled else ""
        progress = progress_sequence(self._activity) if self._progress else ""
        shown = title + (progress if self._activity != "idle" else "")
        if (title, progress) == self._told:
            return
        changed = title if title != self._told[0] else ""
        if progress != self._told[1] and (self._told[1] or self._activity != "idle"):
            changed += progress
        self._told = (title, progress)
        self._outside.keep(shown, PROGRESS_OFF if self._progress else "")
        self._outside.tell(changed)

    def _tell_progress(self) -> None:
        self._outside.tell(progress_sequence(self._activity))
