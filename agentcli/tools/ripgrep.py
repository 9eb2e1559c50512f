"""Runs a content search: ripgrep if it is there, else the Python searcher, as a process."""

import os
import shutil
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import msgspec

from agentcli.base.procs import Outcome, StopOutput, run_command
from agentcli.tools.shell_env import fixed_path

MAX_BYTES = 20 << 20
MAX_COLUMNS = 500
SECONDS = 20.0
_FALLBACK = Path(__file__).with_name("grep_fallback.py")


@dataclass(frozen=True, slots=True)
class Search:
    """What to look for; ``target`` is a name inside the folder that is searched."""

    pattern: str
    target: str = "."
    mode: Literal["content", "files_with_matches", "count"] = "files_with_matches"
    globs: tuple[str, ...] = ()
    file_type: str = ""
    ignore_case: bool = False
    only_matching: bool = False
    line_numbers: bool = True
    before: int = 0
    after: int = 0
    multiline: bool = False


@dataclass(frozen=True, slots=True)
class SearchOutput:
    """``data``: paths end with NUL, then (unless only files are listed) the rest of a line.

    ``full`` is false when the search was stopped because of its size or time.
    """

    data: bytes
    errors: str
    outcome: Outcome
    full: bool


def find_ripgrep() -> str | None:
    """Path of ``rg``: installed with this package, beside the interpreter, or on PATH."""
    beside = (Path(sysconfig.get_path("scripts")), Path(sys.executable).parent)
    for folder in beside:
        path = shutil.which("rg", path=str(folder))
        if path:
            return path
    # Never one that lies in the folder that happens to be current.
    return shutil.which("rg", path=fixed_path(os.environ.get("PATH", os.defpath)))


def ripgrep_argv(program: str, search: Search) -> list[str]:
    """Arguments for ripgrep: no configuration file, no shell, nothing taken as a flag. Pure."""
    argv = [program, "--no-config", "--hidden", "--color=never", "--null", "--with-filename"]
    argv += ["--no-heading", f"--max-columns={MAX_COLUMNS}", "--max-columns-preview"]
    argv += [f"--glob={glob}" for glob in search.globs]
    argv += ["--glob=!.git"]
    if search.file_type:
        argv.append(f"--type={search.file_type}")
    if search.ignore_case:
        argv.append("--ignore-case")
    if search.multiline:
        argv += ["--multiline", "--multiline-dotall"]
    if search.mode == "files_with_matches":
        argv.append("--files-with-matches")
    elif search.mode == "count":
        argv.append("--count")
    else:
        argv.append("--line-number" if search.line_numbers else "--no-line-number")
        if search.only_matching:
            argv.append("--only-matching")
        argv += [f"--before-context={search.before}", f"--after-context={search.after}"]
    return [*argv, "-e", search.pattern, "--", search.target]


def fallback_argv(search: Search) -> list[str]:
    """Arguments for the Python searcher, which prints the same. Pure."""
    return [sys.executable, "-I", str(_FALLBACK), msgspec.json.encode(asdict(search)).decode()]


async def run_search(
    search: Search, folder: Path, env: Mapping[str, str], program: str | None
) -> SearchOutput:
    """Search *folder*; *program* is ripgrep, None means the fallback. Raises ``OSError``.

    Cancel-safe; bounded in time and size.
    """
    data, errors = bytearray(), bytearray()

    def take(chunk: bytes) -> None:
        data.extend(chunk)
        if len(data) > MAX_BYTES:
            raise StopOutput

    def take_error(chunk: bytes) -> None:
        errors.extend(chunk[: 65_536 - len(errors)])

    outcome = await run_command(
        ripgrep_argv(program, search) if program else fallback_argv(search),
        cwd=folder,
        env=env,
        on_output=take,
        on_errors=take_error,
        max_seconds=SECONDS,
    )
    full = outcome.ending == "exited"
    if not full:
        # The last record may be cut.
        mark = b"\0" if search.mode == "files_with_matches" else b"\n"
        del data[data.rfind(mark) + 1 :]
    return SearchOutput(bytes(data), errors.decode("utf-8", "replace"), outcome, full)
