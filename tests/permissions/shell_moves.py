"""Random shell texts that move between real folders, harmless to run, and what bash did with them.

Every stand-in has a number, so that what was logged is told from what was not. ``cat`` is one of
them: it logs what it would show.
"""

import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.permissions.shell_runner import run_batch

OUT, HIDDEN = "OUT", "HIDDEN"
_TREE = {
    **dict.fromkeys(("cwd/f", "cwd/bf", "cwd/d1/f", "cwd/d1/e1/f", "cwd/sp ace/f"), "IN"),
    **dict.fromkeys(("cwd/d2/f", "cwd/d2/e2/f"), HIDDEN),
    **dict.fromkeys(("f", "e1/f", "out/f", "out/e1/f"), OUT),
}
_LINKS = {
    "cwd/l1": "d1/e1",
    "cwd/lo": "../out",
    "cwd/d1/lnk": "../d2/e2",
    "cwd/[b]f": "../out/f",
    "cwd/d1/a]": "../../out/f",
    "cwd/dangle": "../out/new",
    "cwd/loop": "loop",
}
_FOLDERS = (
    *("d1", "d2", "d1/e1", "e1", "l1", "lo", "d1/lnk", "sp\\ ace", "'d1'", '"d2"', "./d2"),
    *("..", ".", "../..", "l1/..", "lo/..", "d1/lnk/..", "e1/../..", "l1/../e1", "../cwd"),
    *("nowhere", "loop", "dangle", "f", "d*", "d?", "[d]1", '"$v"', "$v", "~", "d1/"),
    *("-", "--", "-P", "-L", "-P d1", "-- d1", "''", ""),
)
_FILES = ("f", "*f", "[b]f", "a[]a]", "[!x]f", "dangle", "f/.", "n1", '"$v/f"', "'f'")
_MOVES = (
    *(["cd "] * 12),
    *("command cd ", "builtin cd ", "time cd ", "nice cd ", "nohup cd ", "! cd ", "pushd "),
    *("CDPATH=d1 cd ", "LANG=C cd ", "cd >n2 ", "eval cd ", "command -v cd "),
)
_CLIMBS = 40
_JOINTS = ("; ", " && ", " && ", " && ", " || ", "\n", " & ", " | ")
_PREAMBLE = """\
command_not_found_handle() {
  local name=$1 number=$2 shown= file; shift 2 || return
  IFS= read -r -N 99 shown
  [[ $name == cat ]] && for file; do shown+=$(<"$file"); done
  printf '%s\\1%s\\1%s\\2' "${number%.}" "$(pwd -P)" "$shown" >> "$LOG"
  (( 10#${number//[!0-9]/}0 / 10 % 3 ))
}
run() {
  local text; IFS= read -r -d '' text < "$1/text"
  ( LOG="$1/log"; cd "$1/cwd" || exit; OLDPWD=$1; ulimit -t 2 -f 64; eval "$text"; wait ) \
    </dev/null >/dev/null 2>&1
}
v=d2
"""


@dataclass(frozen=True)
class Moved:
    """``stood``: the folder of each stand-in that ran, by its number; ``shown``: all that was
    read; ``made``: the files that are new, from the place that holds ``cwd``."""

    stood: tuple[tuple[str, str], ...]
    shown: str
    made: frozenset[str]


class Moves:
    """Makes texts from a seed: lists, groups, loops and substitutions around ``cd``."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.count: int = 0

    def text(self) -> str:
        """One text, which does not climb above ``home_in``; its stand-ins are numbered from 1."""
        while True:
            self.count = 0
            text = self._list(2)
            # A body of a loop runs twice, one in another four times.
            if text.count("..") * 2 ** text.count("for i") <= _CLIMBS:
                return text

    def _list(self, depth: int) -> str:
        text = self._command(depth)
        for _ in range(self.draw.randint(0, 3)):
            text += self.draw.choice(_JOINTS) + self._command(depth)
        return text

    def _command(self, depth: int) -> str:
        if depth <= 0 or self.draw.random() < 0.65:
            return self._simple()
        inner, other = self._list(depth - 1), self._list(0)
        into = self.draw.choice(["", "", "", " >/dev/null", " 2>/dev/null", " >n3", " 2>&1"])
        forms: list[Callable[[], str]] = [
            lambda: f"({inner}){into}",
            lambda: f"{{ {inner}\n}}{into}",
            lambda: f"if {other}; then {inner}\nelse {self._simple()}; fi{into}",
            lambda: f"if {other}; then {self._simple()}; elif {self._simple()}; then {inner}\nfi",
            lambda: f"for i in a b; do {inner}\ndone{into}",
            lambda: f"while {other}; do {inner}\nbreak\ndone{into}",
            lambda: f"until {other}; do {inner}\nbreak\ndone{into}",
            lambda: f"case x in a) {inner}\n;; *) {other};; esac{into}",
            lambda: f"{self._stand_in()} x$({inner}){into}",
            lambda: f"{self._stand_in()} <({inner}){into}",
            lambda: f"! {self._simple()}{into}",
        ]
        return self.draw.choice(forms)()

    def _simple(self) -> str:
        if self.draw.random() < 0.45:
            return self.draw.choice(_MOVES) + self.draw.choice(_FOLDERS)
        end = self.draw.choice(
            ["", "", "", "", " >n4", " 2>&1", " >/dev/null", f" <{self._file()}"]
        )
        return self._stand_in() + end

    def _stand_in(self) -> str:
        self.count += 1
        # ``cat`` judges its number as a name of a file, which must not be a folder's.
        name = self.draw.choice(["s0", "s1", "cat"])
        operands = [self._file() for _ in range(self.draw.randint(0, 2))] if name == "cat" else []
        return " ".join([name, f"{self.count}.", *operands])

    def _file(self) -> str:
        folder = self.draw.choice(_FOLDERS) if self.draw.random() < 0.4 else ""
        plain = folder and not folder.startswith(("-", "~", "'", '"', "$"))
        return f"{folder}/{self.draw.choice(_FILES)}" if plain else self.draw.choice(_FILES)


def home_in(folder: Path) -> Path:
    """A folder so deep in *folder* that no text climbs out of *folder*."""
    home = folder.resolve().joinpath(*["x"] * (_CLIMBS + 2))
    home.mkdir(parents=True)
    (home / "f").write_text(OUT)
    return home


def make_place(place: Path) -> None:
    """The folders that the texts speak of, below *place*; they are run in its ``cwd``."""
    for name, text in _TREE.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    for name, target in _LINKS.items():
        (place / name).symlink_to(target)
    (place / "log").touch()


def run_moves(texts: list[str], places: list[Path], home: Path) -> list[Moved]:
    """Run each text in its place, made before; ``home`` is the folder of the person."""
    for text, place in zip(texts, places, strict=True):
        (place / "text").write_text(text)
    run_batch(places, home, _PREAMBLE)
    return [_read(place) for place in places]


def _read(place: Path) -> Moved:
    log = (place / "log").read_bytes().decode("utf-8", "replace")
    records = [record.split("\1") for record in log.split("\2") if record.count("\1") == 2]
    made = {
        os.path.relpath(os.path.join(folder, name), place)
        for folder, _, names in os.walk(place)
        for name in names
    }
    return Moved(
        tuple((number, folder) for number, folder, _ in records),
        "".join(shown for *_, shown in records),
        frozenset(made - {*_TREE, *_LINKS, "log", "text"}),
    )
