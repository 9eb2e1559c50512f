"""The prompt in the person's own editor."""

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from agentcli.base.files import decode_text, read_limited
from agentcli.frontends.tui.composer.pasting import clean_paste

_FALLBACKS = ("nano", "vi", "vim")
_WAITING = {"code", "code-insiders", "codium", "cursor", "subl", "zed", "windsurf"}
"""Programs that return at once unless told otherwise."""
_LARGEST = 10 << 20


@dataclass(frozen=True, slots=True)
class Problem:
    """Why nothing was edited, in one line for the person."""

    text: str


def find_editor(
    env: Mapping[str, str], which: Callable[[str], str | None] = shutil.which
) -> list[str] | Problem:
    """Program and arguments of $VISUAL or $EDITOR, else of an editor that is there. Never raises
    and, but for looking at $PATH, pure."""
    for name in ("VISUAL", "EDITOR"):
        setting = env.get(name, "").strip()
        if not setting:
            continue
        try:
            words = shlex.split(setting)
        except ValueError as error:
            return Problem(f"${name} cannot be read ({error}): {setting}")
        if which(words[0]) is None:
            return Problem(f"${name} is {words[0]}, which cannot be found")
        if Path(words[0]).name in _WAITING and not {"--wait", "-w"} & set(words):
            words.append("--wait")
        return words
    for program in _FALLBACKS:
        if which(program) is not None:
            return [program]
    return Problem("no editor found; set $EDITOR")


def edit_text(text: str, env: Mapping[str, str]) -> str | Problem:
    """Open *text* in the editor; gives what was saved, without the newline that editors add. Never
    raises; blocks, and the editor owns the terminal meanwhile."""
    try:
        with tempfile.TemporaryDirectory(prefix="prompt-") as folder:
            file = Path(folder) / "prompt.md"
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                out.write(text.encode(errors="replace"))
            if (problem := edit_file(file, env)) is not None:
                return problem
            decoded = decode_text(read_limited(file, _LARGEST))
    except OSError as error:
        return Problem(f"the prompt could not be edited: {error.strerror}")
    if decoded is None:
        return Problem("what the editor saved is no text, so nothing was changed")
    return clean_paste(decoded.text).removesuffix("\n")


def edit_file(file: Path, env: Mapping[str, str]) -> Problem | None:
    """Open *file* in the editor and wait for its end. Never raises; blocks, and the editor owns the
    terminal meanwhile."""
    editor = find_editor(env)
    if isinstance(editor, Problem):
        return editor
    try:
        ended = subprocess.run([*editor, str(file)], env=dict(env), check=False)
    except OSError as error:
        return Problem(f"{editor[0]} cannot be started: {error.strerror}")
    if ended.returncode:
        how = f"exit {ended.returncode}" if ended.returncode > 0 else "killed"
        return Problem(f"{Path(editor[0]).name} failed ({how}), so nothing was changed")
    return None
