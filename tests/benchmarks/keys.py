"""What a key costs in an empty and in a very long conversation, how much the latter weighs, and
what a window costs at which nobody looks."""

import json
import time
from contextlib import ExitStack
from pathlib import Path

from tests.benchmarks.measure import process_cpu_ms, report, resident_mb
from tests.benchmarks.streams import composer
from tests.e2e.program import AGENTCLI, World, server
from tests.e2e.terminal import Terminal

_KEYS = 100
_ENTRIES = 10_000


def measure_idle(world: World, stack: ExitStack) -> list[str]:
    """The share of a core that an idle window takes."""
    terminal = Terminal(AGENTCLI, env=world.env(), cwd=world.project)
    terminal.wait_for("? help")
    terminal.pump(3)
    before = process_cpu_ms(terminal.pid)
    terminal.pump(10)
    spent = process_cpu_ms(terminal.pid) - before
    terminal.close()
    return report("window, idle for 10 s", spent / 100, 0.3, "%")


def measure(world: World, stack: ExitStack) -> list[str]:
    """Keys and scrolling, empty and long."""
    world.base_url = stack.enter_context(server("hello"))
    empty = _type(world)
    session = _write_session(world)
    full = _type(world, "--resume", session)
    print(f"{'  resident memory, empty and long':<58} {empty[2]:9.1f} {full[2]:.1f} MB")
    return [
        *report("key to screen, empty conversation", empty[0], 16),
        *report(f"key to screen, {_ENTRIES:,} entries", full[0], 16),
        *report("  against the empty one", full[0] / empty[0], 1.5, "times"),
        *report(f"page up and down, {_ENTRIES:,} entries", full[1], 50),
        *report(f"{_ENTRIES:,} entries weigh", full[2] - empty[2], 30, "MB"),
    ]


def _type(world: World, *arguments: str) -> tuple[float, float, float]:
    """CPU-ms of a key, CPU-ms of a page, resident MB."""
    terminal = Terminal([*AGENTCLI, *arguments], env=world.env(), cwd=world.project, size=(120, 40))
    terminal.wait_for("? help", 120)
    terminal.pump(3)
    memory = resident_mb(terminal.pid)
    before = process_cpu_ms(terminal.pid)
    for number in range(_KEYS):
        shown = composer(terminal)
        terminal.send("x" if number % 2 else "y")
        end = time.monotonic() + 5
        while composer(terminal) == shown and time.monotonic() < end:
            terminal.pump_once(0.02)
    key = (process_cpu_ms(terminal.pid) - before) / _KEYS
    before = process_cpu_ms(terminal.pid)
    for number in range(20):
        terminal.send("\x1b[5~" if number < 10 else "\x1b[6~")
        terminal.pump(0.05)
    page = (process_cpu_ms(terminal.pid) - before) / 20
    terminal.close()
    return key, page, memory


def _write_session(world: World) -> str:
    """A session of prompts, answers and calls made by printing once; its id."""
    world.run("-p", "hi")
    (file,) = world.sessions()
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    user = next(line for line in lines if line["type"] == "user")
    answer = next(line for line in lines if line["type"] == "assistant")
    parent = lines[-1].get("uuid") or answer["uuid"]
    with file.open("a") as stream:
        for number in range(_ENTRIES // 2):
            for kind, source in (("user", user), ("assistant", answer)):
                uuid = f"00000000-0000-4000-8000-{number:011d}{0 if kind == 'user' else 1}"
                entry = json.loads(json.dumps(source))
                entry |= {"uuid": uuid, "parentUuid": parent}
                if kind == "user":
                    entry["message"]["content"] = f"prompt number {number}: round the total once"
                else:
                    entry["message"]["id"] = f"msg_{number}"
                    text = f"Answer **{number}**: `total()` rounds each line.\n\n- a\n- b"
                    entry["message"]["content"] = [{"type": "text", "text": text}]
                stream.write(json.dumps(entry, separators=(",", ":")) + "\n")
                parent = uuid
    return Path(file).stem
