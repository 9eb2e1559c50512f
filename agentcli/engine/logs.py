"""The session files of one engine: a new one, one that is there, a copy of one."""

from collections.abc import Callable
from pathlib import Path

from agentcli.protocol.errors import UsageError
from agentcli.protocol.events import Event, Notice
from agentcli.protocol.ids import new_uuid
from agentcli.session.checkpoints import Checkpoints
from agentcli.session.file_history import DELTA, SNAPSHOT
from agentcli.session.log import Place, SessionLog
from agentcli.session.store import session_file


class Logs:
    """``place`` says where entries are written from; problems become notices, which *emit* takes
    from any thread: checkpoints are noted from others.

    ``keep`` off: nothing is written to the disk; ``checkpoints`` off: no file is backed up.
    """

    def __init__(
        self,
        home: Path,
        cwd: Path,
        place: Callable[[], Place],
        emit: Callable[[Event], None],
        *,
        entrypoint: str,
        keep: bool,
        checkpoints: bool,
    ) -> None:
        self._home, self._cwd = home, cwd
        self._place = place
        self._emit = emit
        self._entrypoint = entrypoint
        self._keep = keep
        self._checkpoints = checkpoints

    def new(self, session_id: str | None = None) -> SessionLog:
        """The log of a session that has no file yet."""
        session_id = session_id or new_uuid()
        path = session_file(self._home, self._cwd, session_id)
        return SessionLog(
            path, session_id, self._place, self._tell, self._entrypoint, keep=self._keep
        )

    def open(self, file: Path) -> SessionLog:
        """Raises SessionNotFound, SessionBusy or SessionCorrupt; UsageError where nothing may be
        written. Blocking."""
        self._check_keeping()
        return SessionLog.open_existing(file, self._place, self._tell, self._entrypoint)

    def fork(
        self,
        source: Path,
        *,
        fresh_ids: bool,
        upto: str | None = None,
        title: str | None = None,
        session_id: str | None = None,
    ) -> SessionLog:
        """Copy the conversation of *source* to a new session here and open that. Blocking.

        Raises SessionError; UsageError where nothing may be written. *source* is only read.
        """
        self._check_keeping()
        from agentcli.session.fork import fork_session

        session_id = session_id or new_uuid()
        target = session_file(self._home, self._cwd, session_id)
        fork_session(source, target, session_id, fresh_ids=fresh_ids, upto=upto, title=title)
        return self.open(target)

    def checkpoints_for(self, log: SessionLog) -> Checkpoints | None:
        """The file checkpoints of the session *log*; None where none are kept."""
        if not (self._keep and self._checkpoints):
            return None
        folder = self._home / "file-history" / log.session_id
        made = Checkpoints(folder, log.note, self._tell)
        made.take(log.side(SNAPSHOT, DELTA))
        return made

    def _check_keeping(self) -> None:
        if not self._keep:
            raise UsageError(
                "sessions are not kept in this run, and going on with one would write to it; "
                "start without CLAUDE_CODE_SKIP_PROMPT_HISTORY"
            )

    def _tell(self, text: str) -> None:
        self._emit(Notice("error", text))
