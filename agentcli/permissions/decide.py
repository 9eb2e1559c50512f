"""May this call run? The entry to the door chain: forbids first, allows last, asks if unsure."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, cast

from agentcli.permissions import files
from agentcli.permissions.bench import Bench, asked, denied, make_bench, tool_fits
from agentcli.permissions.paths import PathProbe, spell_roots
from agentcli.permissions.policy import Decision, HookOpinion, Policy
from agentcli.permissions.rule_index import rules_about
from agentcli.permissions.rules import EDIT_TOOLS, READ_TOOLS, SourcedRule, parameter_fits
from agentcli.protocol.calls import ToolCall

_UNWRITABLE = re.compile("[\0\ud800-\udfff]")
_LONE = re.compile("[\ud800-\udfff]")
_MAX_DEPTH = 50


def decide(
    call: ToolCall, policy: Policy, probe: PathProbe, hook: HookOpinion | None = None
) -> Decision:
    """Judge *call*: deny, ask or allow. Never raises; pure but for *probe*.

    The order is the documented one: a hook's denial, deny rules, ask rules, a hook's question,
    critical removals and protected paths, the mode, a hook's approval, allow rules, what only
    reads. In ``dontAsk`` mode and where nobody can answer a question becomes a denial.
    """
    if hook and hook.behavior == "deny":
        return Decision("deny", hook.reason or f"A hook denied this {call.name} call.")
    decision = _lowered(_by_tool(call, policy, probe), policy, hook)
    if decision.behavior != "ask" or (policy.interactive and policy.mode != "dontAsk"):
        return decision
    why = "Questions are off (dontAsk mode)" if policy.mode == "dontAsk" else "Nobody can answer"
    reason = f"{decision.reason}. {why}, so it was not run."
    return replace(decision, behavior="deny", reason=reason, suggestions=())


def _by_tool(call: ToolCall, policy: Policy, probe: PathProbe) -> Decision:
    # A NUL in a command is one of the characters that the shell room asks about.
    problem = _input_problem(call.input, _LONE if call.name == "Bash" else _UNWRITABLE)
    if problem:
        return Decision("deny", f"{call.name}: {problem}")
    rule = _about_parameter(policy.deny, call)
    if rule:
        return denied(rule, f"This {call.name} call")
    decision = _by_kind(call, make_bench(policy, probe))
    rule = _about_parameter(policy.ask, call) if decision.behavior != "deny" else None
    return replace(asked(rule), targets=decision.targets) if rule else decision


def _by_kind(call: ToolCall, bench: Bench) -> Decision:
    if call.name in READ_TOOLS | EDIT_TOOLS:
        return files.decide_file(call, bench)
    if call.name == "Bash":
        from agentcli.permissions.bash import decide_bash

        return decide_bash(call, bench)
    if call.name in ("WebFetch", "WebSearch"):
        from agentcli.permissions.web import decide_web

        return decide_web(call, bench)
    from agentcli.permissions.others import decide_other

    return decide_other(call, bench)


def _about_parameter(rules: tuple[SourcedRule, ...], call: ToolCall) -> SourcedRule | None:
    about = rules_about(rules, call.name).parameters
    return next((rule for rule in about if parameter_fits(rule, call)), None)


def _lowered(decision: Decision, policy: Policy, hook: HookOpinion | None) -> Decision:
    """*decision* with what a hook thinks of it, and with doubt where rules are missing."""
    if decision.behavior == "allow" and policy.incomplete:
        reason = f"Rules are missing, because {policy.incomplete} could not be read"
        return replace(decision, behavior="ask", reason=reason, firm=True)
    if hook and hook.behavior == "ask" and decision.behavior == "allow":
        reason = hook.reason or "A hook asks first"
        return replace(decision, behavior="ask", reason=reason, firm=True)
    if hook and hook.behavior == "allow" and decision.behavior == "ask" and not decision.firm:
        reason = hook.reason or "allowed by a hook"
        return replace(decision, behavior="allow", reason=reason, suggestions=())
    return decision


def preload() -> None:
    """Import the shell room and its parser, which no start should pay for. For a thread."""
    from agentcli.permissions.bash import decide_bash
    from agentcli.permissions.shell.script import read_script

    read_script("true")
    del decide_bash


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


def _input_problem(given: object, bad: re.Pattern[str] = _UNWRITABLE) -> str | None:
    queue: list[tuple[object, int]] = [(given, 0)]
    while queue:
        value, depth = queue.pop()
        if depth > _MAX_DEPTH:
            return "the input is nested too deeply."
        if isinstance(value, str):
            if bad.search(value):
                return "the input holds a NUL character or broken Unicode."
        elif isinstance(value, dict):
            for key, item in cast("dict[Any, Any]", value).items():
                queue += [(key, depth + 1), (item, depth + 1)]
        elif isinstance(value, list):
            queue += [(item, depth + 1) for item in cast("list[Any]", value)]
    return None
