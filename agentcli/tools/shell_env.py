"""Which shell runs a command, with which environment, and where it stood at the end.

No rc file is read: aliases and functions of the person's shell are not there, and a command runs
the same way for everybody. PATH and the other variables come from the environment.
"""

import os
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from agentcli.base.git_guard import GIT_GUARDS
from agentcli.tools.paths import inside

_SHELLS = ("bash", "zsh")
_SCRUBBED = ("ANTHROPIC_", "CLAUDE_CODE_OAUTH")
# Nothing may wait for a key or a password that nobody can type.
_QUIET = {
    "CLAUDECODE": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
}
# Loaded by bash and sh at start even without a terminal, or changing how a text is read: commands
# are judged as a plain bash reads them.
_RC_VARIABLES = (
    "BASH_ENV",
    "ENV",
    "CDPATH",
    "SHELLOPTS",
    "BASHOPTS",
    "GLOBIGNORE",
    "POSIXLY_CORRECT",
)
# Functions and options of the person's shell, and what makes git act on another repository.
_CHANGES_MEANING = (
    "BASH_FUNC_",
    "SHELLOPTS",
    "BASHOPTS",
    "PS4",
    "CDPATH",
    "ZDOTDIR",
    "GIT_",
    "RIPGREP_",
)
_GIT_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")


def find_shell(env: Mapping[str, str]) -> str:
    """Path of the shell: ``CLAUDE_CODE_SHELL`` (bash or zsh only), bash, else sh.

    Not the person's login shell: commands are judged as bash reads them.
    """
    path = env.get("CLAUDE_CODE_SHELL", "")
    if os.path.basename(path) in _SHELLS and os.path.isabs(path) and os.access(path, os.X_OK):
        return path
    return shutil.which("bash", path=fixed_path(env.get("PATH", os.defpath))) or "/bin/sh"


def command_env(env: Mapping[str, str]) -> dict[str, str]:
    """Environment of a command: no credentials of the model, nothing interactive. Pure."""
    kept = {
        name: value
        for name, value in env.items()
        if not name.startswith(_SCRUBBED) and name not in _RC_VARIABLES
    }
    kept.setdefault("PATH", os.defpath)
    return {**kept, **_QUIET}


def guarded_env(env: Mapping[str, str], roots: tuple[Path, ...], command: str) -> dict[str, str]:
    """Environment of a *command* that runs unasked: no program or function of the project, or that
    a repository's configuration names, can come in the place of the one that was judged.
    """
    kept = {
        name: value
        for name, value in command_env(env).items()
        if name in _GIT_KEPT or not name.startswith(_CHANGES_MEANING)
    }
    path = fixed_path(kept["PATH"], roots) or os.defpath
    looks_only = command.split()[:1] == ["which"]
    if not looks_only or shutil.which("which", path=kept["PATH"]) != shutil.which(
        "which", path=path
    ):
        kept["PATH"] = path
    return {**kept, **_QUIET, **GIT_GUARDS}


def fixed_path(path: str, roots: tuple[Path, ...] = ()) -> str:
    """The folders of a search *path* that are absolute and outside *roots*."""
    folders = path.split(os.pathsep)
    return os.pathsep.join(
        folder for folder in folders if os.path.isabs(folder) and not inside(Path(folder), roots)
    )


def shell_argv(shell: str, command: str, cwd_fd: int) -> list[str]:
    """Arguments that run *command* verbatim and then write the directory to *cwd_fd*. Pure.

    ``eval`` of a quoted text: a syntax error or an open quote cannot swallow what follows. The
    directory is written by a trap, for commands that ``exit``, and at the end, for those that set
    a trap of their own.
    """
    record = f"{{ command pwd -P; printf '\\0'; }} >>/dev/fd/{cwd_fd} 2>/dev/null"
    script = (
        f"trap {shlex.quote(record)} EXIT\neval {shlex.quote(command)}\n"
        f"set -- $?; {record}; exit $1"
    )
    plain = ["--noprofile", "--norc"] if os.path.basename(shell) == "bash" else []
    return [shell, *plain, "-c", script]


def read_cwd(cwd_fd: int) -> Path | None:
    """The directory that the shell recorded last, if it did and it is still there."""
    data = os.pread(cwd_fd, 1 << 20, 0)
    records = data.split(b"\0")[:-1]
    if not records:
        return None
    path = Path(os.fsdecode(records[-1].removesuffix(b"\n")))
    return path if path.is_absolute() and path.is_dir() else None


def start_directory(cwd: Path, roots: tuple[Path, ...]) -> Path:
    """*cwd*, or if it is gone the first root or the nearest folder above it that exists."""
    for path in (cwd, *roots, *(roots[0].parents if roots else cwd.parents)):
        if path.is_dir():
            return path
    return Path("/")
