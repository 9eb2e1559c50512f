"""May this call run? The entry to the door chain: forbids first, allows last, asks if unsure."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, cast

from agentcli.permissions import files
from agentcli.permissions.bash import decide_bash
from agentcli.permissions.bench import make_bench, tool_fits
from agentcli.permissions.paths import PathProbe, spell_roots
from agentcli.permissions.policy import Decision, Policy
from agentcli.permissions.rules import EDIT_TOOLS, READ_TOOLS
from agentcli.protocol.calls import ToolCall

_UNWRITABLE = re.compile("[\0\ud800-\udfff]")
_MAX_DEPTH = 50


def decide(call: ToolCall, policy: Policy, probe: PathProbe) -> Decision:
    """Judge *call*: deny, ask or allow. Never raises; pure but for *probe*.

    In ``dontAsk`` mode a question becomes a denial.
    """
    problem = _input_problem(call.input)
    if problem:
        return Decision("deny", f"{call.name}: {problem}")
    if call.name in READ_TOOLS | EDIT_TOOLS:
        decision = files.decide_file(call, make_bench(policy, probe))
    elif call.name == "Bash":
        decision = decide_bash(call, make_bench(policy, probe))
    else:
        return Decision("deny", f"There is no tool named {call.name[:80]!r}.")
    if decision.behavior == "ask" and policy.mode == "dontAsk":
        reason = f"{decision.reason}. Questions are off (dontAsk mode), so it was not run."
        return replace(decision, behavior="deny", reason=reason, suggestions=())
    return decision


def path_reader(
    policy: Policy, probe: PathProbe, extra_roots: tuple[str, ...] = ()
) -> Callable[[str], bool]:
    """A check for one search: may a path that it found be shown to the model?

    *extra_roots* are folders outside whose search the person approved. The check never raises; it
    remembers what it saw on the disk, so make a new one for each call.
    """
    bench = make_bench(policy, probe)
    extra = spell_roots(extra_roots, bench.probe)
    return lambda path: _input_problem(path) is None and files.may_read(path, bench, extra)


def hidden_tools(policy: Policy, names: Iterable[str]) -> frozenset[str]:
    """The tools of *names* that are denied whole, so the model need not hear of them. Pure."""
    bare = [rule.rule.tool for rule in policy.deny if rule.rule.content is None]
    return frozenset(
        name for name in names for tool in bare if tool_fits(tool, name) or _includes(tool, name)
    )


def _includes(rule_tool: str, name: str) -> bool:
    """``Edit`` and ``Read`` stand for all tools of their kind; unread files are not edited."""
    if rule_tool == "Edit":
        return name in EDIT_TOOLS
    return rule_tool == "Read" and name in READ_TOOLS | {"Edit", "Write"}


def _input_problem(given: object) -> str | None:
    queue: list[tuple[object, int]] = [(given, 0)]
    while queue:
        value, depth = queue.pop()
        if depth > _MAX_DEPTH:
            return "the input is nested too deeply."
        if isinstance(value, str):
            if _UNWRITABLE.search(value):
                return "the input holds a NUL character or broken Unicode."
        elif isinstance(value, dict):
            for key, item in cast("dict[Any, Any]", value).items():
                queue += [(key, depth + 1), (item, depth + 1)]
        elif isinstance(value, list):
            queue += [(item, depth + 1) for item in cast("list[Any]", value)]
    return None
