"""Runs random shell texts in a real bash that has nothing to run, and tells what it tried to."""

import contextlib
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

# A name that is not found is what a stand-in would be: it is logged, and never anything else.
_PREAMBLE = """\
command_not_found_handle() {
  local record; printf -v record '%s\\1' "$@"; record=${record//$'\\n'/$'\\3'}
  printf '%s\\2' "$record" >> "$LOG"
  [[ $1 == s[024] ]]
}
run() {
  local text; IFS= read -r -d '' text < "$1/text"
  ( LOG="$1/log"; cd "$1/cwd" || exit; ulimit -t 2 -f 64; eval "$text"; wait ) \
    </dev/null >/dev/null 2>&1
}
v='V W' n=s5
"""
_BASH = "/bin/bash"
_TOGETHER = 25
_SECONDS = 10


@dataclass(frozen=True)
class Ran:
    """What bash did with a text: the words of every command it looked for, the files it made."""

    commands: tuple[tuple[str, ...], ...]
    files: frozenset[str]


def run_texts(texts: list[str], folder: Path) -> list[Ran]:
    """Run each text in a folder of its own below *folder*; a text that hangs is stopped, and with
    it the few that would have come after it in the same bash."""
    places = [folder / str(number) for number in range(len(texts))]
    for place, text in zip(places, texts, strict=True):
        (place / "cwd").mkdir(parents=True)
        (place / "log").touch()
        (place / "text").write_text(text, encoding="utf-8")
    run_batch(places, folder)
    return [_read(place) for place in places]


def run_batch(places: list[Path], folder: Path, preamble: str = _PREAMBLE) -> None:
    """Call the function ``run`` of *preamble* for each of *places*, a few in each bash, with
    *folder* for a home."""
    for start in range(0, len(places), _TOGETHER):
        _run(places[start : start + _TOGETHER], folder, preamble)


def _run(places: list[Path], folder: Path, preamble: str) -> None:
    script = preamble + "".join(f"run '{place}'\n" for place in places)
    bash = subprocess.Popen(
        [_BASH, "--noprofile", "--norc", "-c", script],
        env={"PATH": "/nonexistent", "HOME": str(folder), "LC_ALL": "C.UTF-8"},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with contextlib.suppress(subprocess.TimeoutExpired):
        bash.wait(timeout=_SECONDS)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(bash.pid, signal.SIGKILL)  # and what a text left running in the background
    bash.wait()


def _read(place: Path) -> Ran:
    log = (place / "log").read_bytes().decode("utf-8", "replace")
    # A line end would make bash write the record in two pieces.
    records = [record.replace("\3", "\n") for record in log.split("\2") if record]
    # A text that was stopped may have left half a record.
    commands = {tuple(record.split("\1")[:-1]) for record in records if record.endswith("\1")}
    files = frozenset(path.name for path in (place / "cwd").iterdir())
    return Ran(tuple(sorted(commands)), files)
