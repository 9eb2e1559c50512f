"""What is piped in: bounded, text only, and never waited for without end."""

import os
import select
import stat

from agentcli.frontends.oneshot.streams import tell
from agentcli.protocol.errors import UsageError

LIMIT_BYTES = 10 * 1024 * 1024
_FIRST_BYTE_SECONDS = 3.0


def stdin_is_piped() -> bool:
    """True if stdin is a pipe, a socket or a file: something that was meant to be read."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def read_stdin(*, has_prompt: bool) -> str:
    """All of stdin as text; empty if nobody writes within 3 s though a prompt was given.

    Raises UsageError for more than 10 MB and for bytes that are no text.
    """
    if has_prompt and not select.select([0], [], [], _FIRST_BYTE_SECONDS)[0]:
        tell("nothing came on stdin within 3 s; going on without it.")
        return ""
    pieces: list[bytes] = []
    size = 0
    while size <= LIMIT_BYTES:
        try:
            piece = os.read(0, 1 << 20)
        except OSError as error:
            raise UsageError(
                f"cannot read stdin ({error.strerror}); give a file or a pipe"
            ) from None
        if not piece:
            return _as_text(b"".join(pieces))
        pieces.append(piece)
        size += len(piece)
    raise UsageError("stdin has more than 10 MB; save it to a file and name the file in the prompt")


def _as_text(data: bytes) -> str:
    if b"\0" in data:
        raise UsageError(
            "stdin is binary (it holds NUL bytes); save it to a file and name that in the prompt"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"stdin is not UTF-8 text (byte {error.start}); convert it first, e.g. with iconv"
        ) from None
