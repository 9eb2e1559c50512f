"""Which session a start goes on with: none, one, a copy of one, or one still to be chosen."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from agentcli.cli.options import Args
from agentcli.protocol.errors import SessionAmbiguous, UsageError


class Which(NamedTuple):
    """``file`` is the session to go on with, or with ``fork`` to copy; ``session_id`` the id of
    the new one. ``pick``: the window lets the person choose, among those with ``query``, and copies
    that one with ``fork``."""

    file: Path | None = None
    fork: bool = False
    session_id: str | None = None
    pick: bool = False
    query: str = ""


def which_session(args: Args, home: Path, cwd: Path, *, headless: bool) -> Which:
    """What the flags say. Raises SessionError, or UsageError where nobody can choose."""
    new_id = args.session_id.lower() if args.session_id else None
    if new_id is not None:
        _check_unused(new_id, home)
    if args.resume is None and not args.continue_:
        return Which(session_id=new_id)
    from agentcli.session.catalog import Catalog

    catalog = Catalog(home, cwd)
    if args.continue_:
        info = catalog.newest(interactive=not headless)
        return Which(info.file, args.fork_session, new_id)
    wanted = (args.resume or "").strip()
    if not wanted:
        if headless:
            raise UsageError("--resume needs an id, a title or words here; see agentcli sessions")
        return Which(fork=args.fork_session, pick=True)
    try:
        return Which(catalog.find(wanted).file, args.fork_session, new_id)
    except SessionAmbiguous:
        if headless or new_id is not None or args.name:
            raise  # they are meant for the session that is gone on with, not for one till then
        return Which(fork=args.fork_session, pick=True, query=wanted)


def skips_persistence(args: Args, env: Mapping[str, str]) -> bool:
    """Is the session not to be kept on the disk? Raises UsageError where it is there already."""
    skips = bool(env.get("CLAUDE_CODE_SKIP_PROMPT_HISTORY"))
    if skips and (args.resume is not None or args.continue_):
        raise UsageError(
            "CLAUDE_CODE_SKIP_PROMPT_HISTORY is set, and a session that is gone on with would be "
            "written to; unset it, or start a new one"
        )
    return skips or args.no_session_persistence


def _check_unused(session_id: str, home: Path) -> None:
    if any((home / "projects").glob(f"*/{session_id}.jsonl")):
        raise UsageError(
            f"session {session_id} is there already; go on with it by --resume {session_id}"
        )
