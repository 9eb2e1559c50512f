"""The prompt in the person's own editor."""

import os
import sys
from pathlib import Path

from agentcli.frontends.tui.composer.editor import Problem, edit_file, edit_text, find_editor
from tests.frontends.tui.composing import composing

LONG = "row\n" * 30
LABEL = "[Pasted text #1 +29 lines]"


# the editor


def script(tmp_path: Path, body: str) -> dict[str, str]:
    """An environment whose editor is a script with *body*; the file is ``path``."""
    file = tmp_path / "my editor.py"
    file.write_text(f"import os, sys\npath = sys.argv[-1]\n{body}\n")
    return {**os.environ, "EDITOR": f"{sys.executable} '{file}' --wait", "VISUAL": ""}


def test_the_editor_gets_the_text_in_a_private_file(tmp_path: Path):
    body = (
        "mode = oct(os.stat(path).st_mode & 0o777)\n"
        "text = open(path, encoding='utf-8').read()\n"
        "open(path, 'w', encoding='utf-8').write(f'{text}|{mode}|{os.path.basename(path)}\\n')"
    )
    edited = edit_text("zwei\nZeilen é", script(tmp_path, body))
    assert edited == "zwei\nZeilen é|0o600|prompt.md"


def test_an_editor_that_fails_changes_nothing(tmp_path: Path):
    problem = edit_text("old", script(tmp_path, "open(path, 'w').write('new'); sys.exit(3)"))
    assert isinstance(problem, Problem) and "exit 3" in problem.text
    problem = edit_text("old", script(tmp_path, "os.kill(os.getpid(), 9)"))
    assert isinstance(problem, Problem) and "killed" in problem.text
    problem = edit_text("old", script(tmp_path, "os.remove(path)"))
    assert isinstance(problem, Problem)
    problem = edit_text("old", script(tmp_path, "open(path, 'wb').write(bytes(100))"))
    assert isinstance(problem, Problem) and "no text" in problem.text


def test_the_temporary_file_is_gone_afterwards(tmp_path: Path):
    seen = tmp_path / "seen"
    edit_text("x", script(tmp_path, f"open({str(seen)!r}, 'w').write(path)"))
    assert seen.read_text() and not Path(seen.read_text()).parent.exists()


def test_which_editor_is_taken():
    def which(name: str) -> str | None:
        return f"/bin/{name}" if name in ("vi", "code", "ed") else None

    assert find_editor({"EDITOR": "ed -s", "VISUAL": "code"}, which) == ["code", "--wait"]
    assert find_editor({"EDITOR": "ed -s"}, which) == ["ed", "-s"]
    assert find_editor({"EDITOR": "code -w"}, which) == ["code", "-w"]
    assert find_editor({}, which) == ["vi"]
    for env in ({"EDITOR": "emacs"}, {"EDITOR": "ed 'x"}):
        problem = find_editor(env, which)
        assert isinstance(problem, Problem) and "$EDITOR" in problem.text
    problem = find_editor({}, lambda _: None)
    assert problem == Problem("no editor found; set $EDITOR")


def test_a_file_of_its_own_can_be_edited(tmp_path: Path):
    file = tmp_path / "keys.json"
    file.write_text("{}")
    assert edit_file(file, script(tmp_path, "open(path, 'a').write('!')")) is None
    assert file.read_text() == "{}!"


async def test_what_comes_back_from_the_editor_keeps_its_chips():
    async with composing() as desk:
        await desk.type("see ")
        await desk.paste(LONG)
        assert desk.composer.full_text == f"see {LONG}"
        desk.composer.put(f"look at {LONG} please")
        assert desk.text == f"look at {LABEL} please"
        desk.composer.put("x" * 200_000)
        assert desk.text == "[Pasted text #2]"
        await desk.press("ctrl+underscore", "ctrl+underscore")
        assert desk.text == f"see {LABEL}"


async def test_a_terminal_that_cannot_be_left_is_told():
    async with composing() as desk:
        await desk.type("x")
        await desk.press("ctrl+g")
        await desk.pilot.pause()
        assert desk.text == "x"
        assert desk.app.hints == ["no other program can be started in this terminal"]
