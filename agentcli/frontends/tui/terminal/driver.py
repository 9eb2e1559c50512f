"""Textual's terminal driver with our modes: on whenever the window is on the screen, else off."""

import termios
from typing import Any, cast

from textual.app import App
from textual.drivers import linux_driver
from textual.drivers._writer_thread import WriterThread
from textual.drivers.linux_driver import LinuxDriver

from agentcli.frontends.tui.terminal.modes import Modes


class SteadyWriter(WriterThread):
    """Goes on taking text when the terminal is gone: else whoever writes would wait for ever, and
    the window could not end."""

    def run(self) -> None:
        gone = False
        while (text := self._queue.get()) is not None:
            if gone:
                continue
            try:
                self._file.write(text)
                if self._queue.empty():
                    self._file.flush()
            except (OSError, ValueError):
                gone = True


class TerminalDriver(LinuxDriver):
    """Suspending, an editor, a signal and the end all pass through the two methods below."""

    modes: Modes | None = None
    """Set for the class before the app runs: Textual makes the object itself."""

    _drawing = False

    def start_application_mode(self) -> None:
        cast("Any", linux_driver).WriterThread = SteadyWriter
        if self._drawing and not self._begin_again():
            return
        super().start_application_mode()
        writer = self._writer_thread
        # without a writer it could not start: it was put into the background meanwhile
        if writer is not None and writer.is_alive() and self.modes is not None:
            self._drawing = True
            super().write(self.modes.enter())

    def _begin_again(self) -> bool:
        """Continued without having been suspended: stopped from outside, so that the shell may
        have changed the terminal, or the terminal hung up. False: it is gone."""
        try:
            termios.tcgetattr(self.fileno)
        except termios.error:
            return False
        self.suspend_application_mode()
        self._must_signal_resume = True  # to be drawn anew
        return True

    def stop_application_mode(self) -> None:
        if self._drawing and self.modes is not None:
            super().write(self.modes.leave())
        self._drawing = False
        super().stop_application_mode()

    def tell(self, text: str) -> bool:
        """Write *text* between two frames; False, and nothing done, while not on the screen."""
        if self._drawing and text:
            super().write(text)
            return True
        return False


def tell_terminal(app: App[Any], text: str) -> bool:
    """Write *text* to the terminal between two frames; call it where the app runs. False: there
    is no terminal, or the window is not on it now."""
    driver = _driver(app)
    return driver is not None and driver.tell(text)


class Outside:
    """What of the terminal is not the screen, for the window that *app* draws."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app

    def tell(self, text: str) -> None:
        """`tell_terminal`."""
        tell_terminal(self._app, text)

    def keep(self, shown: str, undo: str) -> None:
        """*shown* is written again when the window comes back, *undo* when it goes."""
        driver = _driver(self._app)
        if driver is not None and driver.modes is not None:
            driver.modes.shown, driver.modes.undo = shown, undo


def _driver(app: App[Any]) -> TerminalDriver | None:
    driver = app._driver  # pyright: ignore[reportPrivateUsage]  # there is no public way to it
    return driver if isinstance(driver, TerminalDriver) else None
