"""Programs that run other programs, run for real with random options: what is seen through them is
what they start. PATH holds them and stand-ins that only log."""

import os
import random
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from agentcli.permissions.shell.wrappers import see_through, unwrap

# What is understood stands more than once: else a few hundred calls would hardly hold it.
_OPTIONS = {
    "timeout": "5|5|1s|.5|5m|-k 1|-s KILL|-sKILL|--signal=9|--preserve-status|-v|--|5x|01|+5",
    "nice": "-n 5|-n 5|-n -5|-n5|-5|--adjustment=3|-n|--5|--|+5|-nn|10",
    "nohup": "--|--help",
    "stdbuf": "-oL|-oL|-o0|-eL|-i0|-o L|--output=L|-o1K|--|-o5|-o1KB|-oLL|-o1k|-o0M|-e4096",
    "env": "-i|A=1|A=1|-u X|-uX|--|-|-0|x=2|--unset=Q|-Ss1|-v|-iu Z|--split-string=s2",
    "xargs": "-n 1|-0|-I {}|-r|-t|-P 1|-d x|--|-L1|-I{}|-i|-e|-E k",
    "setsid": "-w|--|-f|-c",
    "ionice": "-c 3|-c3|-n 0|-t|--|-c2",
}
_STAND_INS = ("s0", "s1", "s2", "5", "1s", "-n", "--", "k", "L")
_LOGGING = """\
#!/bin/bash
printf -v all '%s\\1' "${0##*/}" "$@"
printf '%s\\2' "$all" >> "$LOG"
"""


def _call(draw: random.Random, present: list[str]) -> tuple[str, ...]:
    words: list[str] = []
    for _ in range(draw.randint(1, 3)):
        name = draw.choice(present)
        options = draw.choices(_OPTIONS[name].split("|"), k=draw.choice([0, 1, 1, 1, 1, 2, 3]))
        words += [name, *" ".join(options).split()]
    return (*words, f"s{draw.randint(0, 2)}", *draw.choices(["s0", "a", "-x", "A=1"], k=2))


def _ran(words: tuple[str, ...], folder: Path, log: Path) -> list[tuple[str, ...]]:
    log.write_text("")
    process = subprocess.Popen(
        words,
        executable=folder / "bin" / words[0],
        cwd=folder,
        env={"PATH": str(folder / "bin"), "LOG": str(log)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with suppress(subprocess.TimeoutExpired):
        process.wait(5)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    records = log.read_text().split("\2")
    return [tuple(record.split("\1")[:-1]) for record in records if record]


def _starts(words: tuple[str, ...], ran: tuple[str, ...]) -> bool:
    # Bare xargs adds operands.
    return bool(words) and ran[: len(words)] == words


def fuzz_wrappers(seed: int, count: int, folder: Path) -> tuple[int, list[str]]:
    """How many calls ran a stand-in, and those that ran one which was not seen."""
    draw = random.Random(seed)
    (folder / "bin").mkdir()
    present = [name for name in _OPTIONS if shutil.which(name)]
    for name in present:
        (folder / "bin" / name).symlink_to(str(shutil.which(name)))
    for name in _STAND_INS:
        (folder / "bin" / name).write_text(_LOGGING)
        (folder / "bin" / name).chmod(0o755)
    effective, wrong = 0, list[str]()
    for number in range(count):
        words = _call(draw, present)
        inner, seen = unwrap(words), see_through([words])
        # A log of its own: what setsid starts may write when the next call runs.
        for ran in _ran(words, folder, folder / f"log{number}"):
            effective += 1
            # A name that starts with a dash is an option that the wrapper took; no rule names it.
            if inner[0] not in _OPTIONS and inner[0][0] != "-" and not _starts(inner, ran):
                wrong.append(f"{words} ran {ran}, approved as {inner}")
            junk = ran[0] not in ("s0", "s1", "s2")
            if not (seen.opaque or junk or any(_starts(found, ran) for found in seen.commands)):
                wrong.append(f"{words} ran {ran}, unseen in {seen.commands}")
    return effective, wrong


def test_what_wrappers_start_is_seen(tmp_path):
    effective, wrong = fuzz_wrappers(1, 150, tmp_path)
    assert wrong == [] and effective > 30


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_wrappers_start_is_seen_in_thousands_of_call(tmp_path):
    assert fuzz_wrappers(2, 5_000, tmp_path)[1] == []
