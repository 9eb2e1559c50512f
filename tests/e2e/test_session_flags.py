"""The flags about sessions, as one uses them in a shell."""

import json
from collections.abc import Callable
from pathlib import Path

from tests.e2e.program import World

MakeWorld = Callable[..., World]
ID = "11111111-2222-4333-8444-555555555555"


def text_of(path: Path) -> str:
    return path.read_text()


def test_a_session_of_a_given_id_and_name_is_found_by_both(world: MakeWorld) -> None:
    here = world("echo")
    done = here.run("-p", "first words", "--session-id", ID, "--name", "the cart")
    assert done.returncode == 0, done.stderr
    (path,) = here.sessions()
    assert path.stem == ID
    assert '"customTitle":"the cart"' in text_of(path)
    for which in ("the cart", "first words", ID[:8], str(path)):
        again = here.run("-p", "more", "--resume", which)
        assert again.returncode == 0, again.stderr
    assert len(here.sessions()) == 1
    assert text_of(path).count('"content":"more"') == 4
    taken = here.run("-p", "x", "--session-id", ID)
    assert taken.returncode == 1 and "is there already" in taken.stderr


def test_fork_session_leaves_the_original_as_it_was(world: MakeWorld) -> None:
    here = world("echo")
    here.run("-p", "first words", "--name", "the cart")
    (old,) = here.sessions()
    before = old.read_bytes()
    done = here.run("-p", "second", "--continue", "--fork-session", "--session-id", ID)
    assert done.returncode == 0, done.stderr
    assert old.read_bytes() == before
    (new,) = [path for path in here.sessions() if path != old]
    assert new.stem == ID
    assert "first words" in text_of(new) and '"content":"second"' in text_of(new)
    assert {json.loads(line)["sessionId"] for line in text_of(new).splitlines()} == {ID}


def test_an_ambiguous_name_says_what_there_is(world: MakeWorld) -> None:
    here = world("echo")
    here.run("-p", "fix the cart")
    here.run("-p", "empty the cart")
    done = here.run("-p", "x", "--resume", "cart")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "2 sessions fit 'cart'" in done.stderr
    nothing = here.run("-p", "x", "--resume")
    assert nothing.returncode == 1 and "needs an id" in nothing.stderr


def test_without_persistence_nothing_is_written(world: MakeWorld) -> None:
    here = world("tools")
    made = 'CALL {"name": "Write", "input": {"file_path": "a.txt", "content": "x"}}'
    flags = ("--no-session-persistence", "--permission-mode", "acceptEdits")
    done = here.run("-p", made, *flags)
    assert done.returncode == 0, done.stderr
    assert (here.project / "a.txt").read_text() == "x"
    assert here.sessions() == []
    assert not (here.home / ".agentcli" / "file-history").exists()
    assert here.run("-p", "SAY x", CLAUDE_CODE_SKIP_PROMPT_HISTORY="1").stdout == "x\n"
    assert here.sessions() == []
