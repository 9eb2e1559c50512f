"""Measuring a child process: CPU milliseconds (user + system), not wall time.

Machines are shared and noisy; what a process burnt is not.
"""

import os
import resource
import subprocess
import sys
import time
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


def wait_until(seconds: float) -> None:
    """Sleep until the monotonic clock shows *seconds*."""
    time.sleep(max(0.0, seconds - time.monotonic()))


PYTHON = sys.executable
