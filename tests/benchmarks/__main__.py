"""Print the figures that the project holds itself to, each with its floor and its limit.

Run it on a quiet machine and read ratios: a busy neighbour makes every figure larger.
``python -m tests.benchmarks starts keys`` measures only those parts.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from tests.benchmarks import decisions, keys, logs, sessions, starts, streams
from tests.e2e.program import World

PARTS: dict[str, Callable[[World, ExitStack], list[str]]] = {
    "starts": starts.measure,
    "idle": keys.measure_idle,
    "keys": keys.measure,
    "streams": streams.measure,
    "logs": logs.measure,
    "picker": sessions.measure,
    "decide": decisions.measure,
}


def main(names: list[str]) -> int:
    """Measure the parts *names* (none: all of them); 1 if a limit is broken, 2 for a wrong name."""
    if unknown := [name for name in names if name not in PARTS]:
        print(f"no part {unknown[0]}; there are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    broken: list[str] = []
    for name in names or PARTS:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            world = World(folder / "home", folder / "project", "http://127.0.0.1:9")
            world.home.mkdir()
            world.project.mkdir()
            broken += PARTS[name](world, stack)
    for line in broken:
        print("over the limit:", line)
    return 1 if broken else 0


if __name__ == "__main__":
    os.environ.pop("NO_COLOR", None)
    sys.exit(main(sys.argv[1:]))
