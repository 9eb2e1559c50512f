"""The three standard streams of a one-shot run, also where the caller closed or broke them."""

import contextlib
import os
import sys
from typing import TextIO


def open_missing_streams() -> None:
    """Give every closed standard stream a stand-in, before a file of ours gets its number.

    Writing to a missing stdout fails with EBADF as it should; a missing stderr takes all.
    """
    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, mode), True)  # gets the lowest free number
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] as Python leaves it
        sys.stdout = os.fdopen(1, "w", closefd=False)
    if sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stderr = os.fdopen(2, "w", closefd=False)


def tell(text: str, err: TextIO | None = None) -> None:
    """One diagnostic line on stderr, under the program's name. Never raises."""
    say(f"agentcli: {text}", err)


def say(line: str, err: TextIO | None = None) -> None:
    """One line on stderr. Never raises: a broken stderr must not cost the answer."""
    with contextlib.suppress(OSError):
        print(line, file=err or sys.stderr, flush=True)


def tell_stdout_gone(error: OSError, err: TextIO | None = None) -> None:
    """Say why stdout does not take the answer; a reader that went away is quiet, as in any pipe."""
    if not isinstance(error, BrokenPipeError):
        tell(f"cannot write to stdout: {error.strerror}.", err)
    # Python flushes stdout once more at exit; it must not fail there a second time.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
