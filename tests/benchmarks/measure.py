"""Measuring a child process: CPU milliseconds (user + system), not wall time.

Machines are shared and noisy; what a process burnt is not.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median


def cpu_ms(command: Sequence[str], *, env: Mapping[str, str], cwd: Path, rounds: int = 5) -> float:
    """Median CPU-ms of *command* over *rounds* runs. Raises CalledProcessError if one fails."""
    figures: list[float] = []
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            command,
            env=dict(env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        figures.append(spent * 1000)
    return median(figures)


def process_cpu_ms(pid: int) -> float:
    """CPU-ms that the running process *pid* has burnt so far, its threads included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def threads_cpu_ms(pid: int) -> float:
    """As `process_cpu_ms`, to the microsecond, but only of the threads that live."""
    files = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(file.read_text().split()[0]) for file in files) / 1e6


def resident_mb(pid: int) -> float:
    """Memory of the process *pid* that is its own, in MB."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    fields = dict(line.split(":", 1) for line in text.splitlines()[1:])
    return sum(int(fields[name].split()[0]) for name in ("Private_Clean", "Private_Dirty")) / 1000


def report(name: str, figure: float, limit: float, unit: str = "CPU-ms") -> list[str]:
    """Print a figure; its name if it is over the limit."""
    print(f"{name:<58} {figure:9.1f} {unit}   limit {limit:.1f}", flush=True)
    return [] if figure <= limit else [name]


PYTHON = sys.executable
