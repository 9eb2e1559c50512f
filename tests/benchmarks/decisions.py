"""What a permission decision costs: over the corpus of calls, and for very long commands."""

import tempfile
from contextlib import ExitStack
from pathlib import Path
from time import process_time

from agentcli.permissions.decide import decide, preload
from agentcli.permissions.paths import DiskProbe
from agentcli.permissions.policy import HookOpinion, Policy
from agentcli.permissions.rules import parse_rules
from agentcli.protocol.calls import ToolCall
from tests.benchmarks.measure import report
from tests.e2e.program import World
from tests.permissions.corpus import load_cases, prepare

_ROUNDS = 5
_LONG = {
    "one quoted word": "echo '" + "x" * 9_900 + "'",
    "a script in a here-document": "python3 - <<'E'\n" + "print('line of code', 1)\n" * 390 + "E",
    "200 lines": "npm run build --silent -- x\n" * 350,
    "1,900 expansions": "echo " + '"$x" ' * 1_900,
    "1,100 files": "cat " + "src/a.py " * 1_080,
    "nested": "$(" * 45 + "ls" + ")" * 45 + " " * 9_800,
}
_HOSTILE = {
    "3,330 commands": "ls;" * 3_330,
    "2,500 files": "rm " + " ".join(f"{number:x}" for number in range(2_500)),
    "garbage": "".join(chr(33 + (number * 7_919) % 90) for number in range(9_990)),
    # Where the parser cannot go on it tries everything: quadratic.
    "9,990 characters of )-f": ")-f" * 3_330,
    "9,990 characters of %|": "%|" * 4_995,
    "9,990 characters of ~[[))": "~[[))" * 1_998,
    "100,000 characters": "ls " * 33_000,
}


def measure(world: World, stack: ExitStack) -> list[str]:
    """The corpus (p50, p99), commands of 10,000 characters, and hostile ones without a limit."""
    del world, stack
    preload()
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        figures = sorted(
            _spent(*prepare(case, base / str(number)))
            for number, case in enumerate(load_cases())
            if len(str(case["input"])) < 10_000
        )
        print(f"{'  a decision of the corpus, p50':<58} {figures[len(figures) // 2]:9.3f} CPU-ms")
        broken = report(
            "a decision of the corpus, p99", figures[int(len(figures) * 0.99)], 2, "CPU-ms"
        )
        policy = _policy(base)
        for name, text in _LONG.items():
            spent = _spent(ToolCall("t", "Bash", {"command": text}), policy, None)
            broken += report(f"10,000 characters: {name}", spent, 20, "CPU-ms")
        for name, text in _HOSTILE.items():
            spent = _spent(ToolCall("t", "Bash", {"command": text}), policy, None)
            print(f"{f'  hostile: {name}':<58} {spent:9.1f} CPU-ms")
    return broken


def _policy(base: Path) -> Policy:
    rules = parse_rules(["Bash(npm run *)", "Bash(make *)"], "allow", "userSettings", "/").rules
    deny = parse_rules(["Bash(curl *)", "Read(.env)"], "deny", "userSettings", "/").rules
    root = str(base)
    return Policy("default", (root,), root, root, allow=rules, deny=deny, trusted=True)


def _spent(call: ToolCall, policy: Policy, hook: HookOpinion | None) -> float:
    """CPU-ms of one decision: the best of a few, since a busy machine makes all others larger."""
    figures: list[float] = []
    for _ in range(_ROUNDS):
        start = process_time()
        decide(call, policy, DiskProbe(), hook)
        figures.append((process_time() - start) * 1000)
    return min(figures)
