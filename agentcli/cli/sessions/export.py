"""``agentcli sessions export``: a conversation into a file of its own."""

import os
from pathlib import Path
from typing import BinaryIO

from agentcli.base.text import one_line
from agentcli.base.writing import atomic_write
from agentcli.cli.sessions.args import SessionArgs
from agentcli.cli.sessions.place import Place, read_entries, title_of
from agentcli.frontends.shared.export import to_json, to_markdown
from agentcli.frontends.shared.whole import whole_conversation
from agentcli.protocol.errors import UsageError
from agentcli.session.tree import conversation

_MODE = 0o600


def export(args: SessionArgs, place: Place, out: BinaryIO) -> int:
    """Write the conversation that a resume would find, with what compactions stand for. Raises
    AgentCliError, and OSError for stdout only."""
    session = place.find(args.session)
    entries = read_entries(session)
    path, title = whole_conversation(entries, conversation(entries)), title_of(entries)
    named_json = args.file is not None and args.file.lower().endswith(".json")
    if args.format == "json" or (args.format is None and named_json):
        text = to_json(path, title=title)
    else:
        text = to_markdown(path, title=title, full=args.full)
    if args.file in (None, "-"):
        out.write(text.encode())
    else:
        file = place.cwd / str(args.file)
        if os.path.realpath(file) == os.path.realpath(session):
            raise UsageError("that is the session itself; name another file")
        _write(file, text.encode(), args.force)
    return 0


def _write(file: Path, data: bytes, force: bool) -> None:
    shown = one_line(str(file), 400)
    try:
        if force:
            atomic_write(file, data, _MODE)
        else:
            _write_new(file, data)
    except FileExistsError:
        raise UsageError(f"{shown} is there already; --force writes over it") from None
    except OSError as error:
        raise UsageError(f"cannot write {shown}: {error.strerror or error}") from None


def _write_new(file: Path, data: bytes) -> None:
    """What cannot be written whole goes away."""
    fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE)
    try:
        with os.fdopen(fd, "wb") as stream:
            stream.write(data)
    except OSError:
        file.unlink(missing_ok=True)
        raise
