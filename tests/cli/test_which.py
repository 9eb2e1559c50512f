"""Flags → the session that a start goes on with."""

from pathlib import Path

import pytest

from agentcli.cli.args import parse_args
from agentcli.cli.which import Which, skips_persistence, which_session
from agentcli.protocol.errors import SessionAmbiguous, SessionNotFound, UsageError
from agentcli.protocol.ids import new_uuid
from agentcli.session.entries import user_draft
from agentcli.session.log import Place, SessionLog
from agentcli.session.store import session_file

NEW = "aaaaaaaa-2222-4333-8444-555555555555"


class Home:
    """A home with sessions, and the flags of a start in the folder that they are of."""

    def __init__(self, root: Path) -> None:
        self.home, self.cwd = root / "home", root / "shop"
        self.cwd.mkdir()

    def add(self, prompt: str) -> Path:
        session_id = new_uuid()
        file = session_file(self.home, self.cwd, session_id)
        log = SessionLog(file, session_id, lambda: Place(str(self.cwd), None))
        log.append(user_draft(prompt))
        log.close()
        return file

    def which(self, *argv: str, headless: bool = False) -> Which:
        return which_session(parse_args(argv), self.home, self.cwd, headless=headless)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_what_the_flags_choose(home: Home) -> None:
    cart, docs = home.add("fix the cart"), home.add("write docs")
    assert home.which() == Which()
    assert home.which("--session-id", NEW.upper()) == Which(session_id=NEW)
    assert home.which("-c") == Which(docs)
    assert home.which("-r", "cart") == Which(cart)
    assert home.which("-r", cart.stem, "--fork-session") == Which(cart, fork=True)
    copy = home.which("-c", "--fork-session", "--session-id", NEW)
    assert copy == Which(docs, fork=True, session_id=NEW)


def test_where_a_window_lets_one_choose(home: Home) -> None:
    home.add("fix the cart")
    home.add("empty the cart")
    assert home.which("-r") == Which(pick=True)
    assert home.which("-r", "--fork-session") == Which(fork=True, pick=True)
    assert home.which("-r", "cart") == Which(pick=True, query="cart")
    with pytest.raises(SessionAmbiguous):
        home.which("-p", "x", "-r", "cart", headless=True)
    with pytest.raises(SessionAmbiguous):  # the name would be lost in the list
        home.which("-r", "cart", "--name", "mine")
    with pytest.raises(UsageError, match="needs an id"):
        home.which("-p", "x", "-r", headless=True)


def test_what_is_not_there_or_there_already(home: Home) -> None:
    taken = home.add("hello").stem
    for wrong in ("nothing like it", NEW):
        with pytest.raises(SessionNotFound):
            home.which("-r", wrong)
    with pytest.raises(UsageError, match="is there already"):
        home.which("--session-id", taken)


def test_when_nothing_is_kept() -> None:
    on = {"CLAUDE_CODE_SKIP_PROMPT_HISTORY": "1"}
    assert skips_persistence(parse_args(["-p", "x", "--no-session-persistence"]), {})
    assert skips_persistence(parse_args([]), on)
    assert not skips_persistence(parse_args(["-c"]), {})
    for argv in (["-c"], ["-r", "x"], ["-r"]):
        with pytest.raises(UsageError, match="unset it"):
            skips_persistence(parse_args(argv), on)
