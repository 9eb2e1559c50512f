"""How the window ends by an error of its own: what, where, and that the conversation is kept."""

import traceback
from collections.abc import Sequence
from typing import cast

from rich.console import RenderableType
from textual.app import App
from textual.worker import WorkerFailed

from agentcli.base.text import one_line

_FRAMES = 4


class CrashApp(App[int]):
    """An app that keeps the error it fails with in ``crash`` instead of printing it: Textual
    would show the values of all local variables, keys and prompts among them."""

    crash: BaseException | None = None

    def _handle_exception(self, error: Exception) -> None:
        if self.crash is None:
            self.crash = error.error if isinstance(error, WorkerFailed) else error
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()

    def panic(self, *renderables: RenderableType) -> None:
        """End without Textual's own words: a broken style sheet, or no input any more."""
        if self.crash is None:
            self.crash = RuntimeError(f"the terminal cannot be read: {_cause(renderables)}")
        self._return_code = 1
        self._close_messages_no_wait()


def _cause(renderables: Sequence[object]) -> str:
    """The errors inside of the tracebacks that Textual made. Pure."""
    # not by their class: importing it costs the first frame the whole of pygments
    traces = [getattr(one, "trace", None) for one in renderables]
    stacks = [stack for trace in traces for stack in getattr(trace, "stacks", ())]
    return "; ".join(f"{stack.exc_type}: {stack.exc_value}" for stack in stacks) or "unknown"


def tell_crash(error: BaseException, kept: bool = True) -> str:
    """The error in a few lines without any values of variables; *kept*: so is the session. Pure."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    what = one_line(f"{type(error).__name__}: {error}".rstrip(": "), 300)
    places = [_place(frame) for frame in _last_frames(error)]
    lines = [f"agentcli ended by an error of its own: {what}", *places]
    if kept:
        lines.append("The session is kept: agentcli --continue goes on with it.")
    return "\n".join([*lines, ""])


def _last_frames(error: BaseException) -> Sequence[traceback.FrameSummary]:
    # the frames are walked, never their locals; lines are not looked up
    stack = traceback.walk_tb(error.__traceback__)
    return traceback.StackSummary.extract(stack, lookup_lines=False)[-_FRAMES:]


def _place(frame: traceback.FrameSummary) -> str:
    *_, folder, file = ["", *frame.filename.split("/")]
    return "  " + one_line(f"{folder}/{file}:{frame.lineno} in {frame.name}", 200)
