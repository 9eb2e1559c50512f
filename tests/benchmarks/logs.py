"""What the session log costs: an append, the next request, going on with a very long session."""

import resource
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

from agentcli.context.building import PayloadBuilder
from agentcli.context.payload import PromptFrame
from agentcli.session.entries import assistant_draft, user_draft
from agentcli.session.log import Place, SessionLog
from agentcli.session.store import session_file
from tests.benchmarks.long_session import write_long_session
from tests.benchmarks.measure import PYTHON, cpu_ms, report, threads_cpu_ms
from tests.e2e.program import AGENTCLI, World, server
from tests.e2e.terminal import Terminal

_LINES = 200_000
_COMPACT_EACH = 4_000
_SESSION = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
_APPENDS = 2_000
_READ = "import sys; file = open(sys.argv[1], 'rb')\nwhile file.read(1 << 20): pass"


def measure(world: World, stack: ExitStack) -> list[str]:
    """Append, payload, resume."""
    return [*_measure_append(), *_measure_payload(), *_measure_resume(world, stack)]


def _measure_append() -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        log = _new_log(Path(folder))
        block = {"type": "text", "text": "word " * 200}
        rounds = [_spent(lambda: _append(log, block, _APPENDS)) / _APPENDS / 2 for _ in range(5)]
        log.close()
    return report("append of one block of 1 kB", median(rounds) * 1000, 100, "CPU-µs")


def _measure_payload() -> list[str]:
    figures = {entries: _request_ms(entries) for entries in (10, 10_000)}
    print(f"{'  next request, 10 and 10,000 entries':<58} {figures[10]:9.3f} {figures[10_000]:.3f}")
    ratio = figures[10_000] / figures[10]
    return report("next request, 10,000 entries against 10", ratio, 2, "times")


def _request_ms(entries: int) -> float:
    """CPU-ms to build the next request after one more prompt and answer."""
    frame = PromptFrame("claude-sonnet-5-5", "system", [], {})
    with tempfile.TemporaryDirectory() as folder:
        log = _new_log(Path(folder))
        block = {"type": "text", "text": "word " * 20}
        _append(log, block, entries // 2)
        builder = PayloadBuilder()
        builder.build(log.path(), frame)
        figures: list[float] = []
        for _ in range(300):
            _append(log, block, 1)
            figures.append(_spent(lambda: builder.build(log.path(), frame)))
        log.close()
    return sum(sorted(figures)[30:270]) / 240


def _measure_resume(world: World, stack: ExitStack) -> list[str]:
    world.base_url = stack.enter_context(server("hello"))
    file = session_file(world.home / ".agentcli", world.project, _SESSION)
    size = write_long_session(file, _SESSION, str(world.project), _LINES, _COMPACT_EACH)
    plain = cpu_ms([PYTHON, "-c", _READ, str(file)], env=world.env(), cwd=world.project)
    print(f"{f'plain read of {size / 1e6:.0f} MB, {_LINES:,} lines':<58} {plain:9.1f} CPU-ms")
    empty = ready(world)
    resumed = ready(world, "--resume", _SESSION)
    print(f"{'  window ready, empty and resumed':<58} {empty:9.1f} {resumed:.1f} CPU-ms")
    return report("resume of it, above an empty start", resumed - empty, 300)


def ready(world: World, *arguments: str, rounds: int = 5) -> float:
    """Median CPU-ms of the window until everything is loaded and it waits for a prompt."""
    figures: list[float] = []
    for _ in range(rounds):
        command = [*AGENTCLI, *arguments]
        terminal = Terminal(command, env=world.env(), cwd=world.project, size=(120, 40))
        terminal.wait_for("? help", 60)
        terminal.pump(2.5)
        figures.append(threads_cpu_ms(terminal.pid))
        terminal.close()
    return median(figures)


def _new_log(folder: Path) -> SessionLog:
    return SessionLog(folder / "p" / "x" / "s.jsonl", _SESSION, lambda: Place("/code", "main"))


def _append(log: SessionLog, block: dict[str, Any], pairs: int) -> None:
    for number in range(pairs):
        log.append(user_draft("a prompt"))
        usage = {"input_tokens": 10, "output_tokens": 100}
        log.append(
            assistant_draft(
                message_id=f"msg_{len(log.path())}_{number}",
                model="claude-sonnet-5-5",
                block=block,
                stop_reason="end_turn",
                usage=usage,
                request_id="req",
            )
        )


def _spent(work: Callable[[], object]) -> float:
    before = resource.getrusage(resource.RUSAGE_SELF)
    work()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000
