"""Why a call is decided as it is, part by part, for people who ask."""

from dataclasses import dataclass, replace

from agentcli.permissions.bash import judge_parts
from agentcli.permissions.bench import make_bench
from agentcli.permissions.decide import decide
from agentcli.permissions.paths import PathProbe
from agentcli.permissions.policy import Decision, HookOpinion, Policy
from agentcli.protocol.calls import ToolCall
from agentcli.protocol.rules import Behavior


@dataclass(frozen=True, slots=True)
class PartVerdict:
    """One command or redirect of a shell call, what would be said of it, and why."""

    text: str
    verdict: Behavior
    why: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """``parts`` is empty for calls that have none, and where a text was not understood."""

    decision: Decision
    parts: tuple[PartVerdict, ...] = ()


def explain(
    call: ToolCall, policy: Policy, probe: PathProbe, hook: HookOpinion | None = None
) -> Explanation:
    """The decision on *call* and that on each of its parts. Never raises; pure but for *probe*."""
    decision = decide(call, policy, probe, hook)
    command = call.input.get("command")
    if call.name != "Bash" or not isinstance(command, str):
        return Explanation(decision)
    parts = judge_parts(command, make_bench(policy, probe))
    return Explanation(
        decision,
        tuple(_verdict(part.text, part.covered, part.why, call, policy, probe) for part in parts),
    )


def _verdict(
    text: str, covered: bool, why: str, call: ToolCall, policy: Policy, probe: PathProbe
) -> PartVerdict:
    """What a rule says of the part alone counts before what covers it in its place."""
    alone = decide(replace(call, input={**call.input, "command": text}), policy, probe)
    if alone.rule and alone.behavior != "allow":
        return PartVerdict(text, alone.behavior, alone.reason)
    return PartVerdict(text, "allow" if covered else "ask", why)
