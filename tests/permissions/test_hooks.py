"""What PreToolUse hooks say takes part in the decision, in the documented order."""

import pytest

from agentcli.permissions.decide import decide
from agentcli.permissions.paths import DiskProbe
from agentcli.permissions.policy import HookOpinion
from agentcli.protocol.calls import ToolCall


def judged(project, hook, tool="Bash", **given):
    return decide(ToolCall("t", tool, given), project.policy, DiskProbe(), HookOpinion(hook, "why"))


def test_a_hook_approves_what_would_only_ask(project):
    assert judged(project, "allow", command="make x").behavior == "allow"
    assert judged(project, "allow", tool="Write", file_path="a", content="").behavior == "allow"
    assert judged(project, "allow", tool="Write", file_path="a", content="").targets
    assert judged(project.having(mode="dontAsk"), "allow", command="make").behavior == "allow"


@pytest.mark.parametrize(
    "command",
    ["rm -rf /", "echo x > .git/config", "f() { a; }; f", "echo ${x@P}", "git push", "ls \0"],
    ids=range(6),
)
def test_a_hook_does_not_lift_what_only_a_person_may(project, command):
    there = project.with_rules("ask", "Bash(git push *)")
    assert judged(there, "allow", command=command).behavior == "ask"


def test_a_hook_does_not_lift_the_protection_of_a_file(project):
    for tool in ("Write", "Edit"):
        decision = judged(project, "allow", tool, file_path=".git/config", content="")
        assert decision.behavior == "ask"


def test_a_hook_does_not_lift_a_deny_rule_or_the_plan(project):
    denied = project.with_rules("deny", "Bash(make *)", "Edit(/src/**)")
    for opinion in ("allow", "ask"):
        assert judged(denied, opinion, command="make x").behavior == "deny"
        assert judged(denied, opinion, "Edit", file_path="src/app.py").behavior == "deny"
    planning = project.having(mode="plan")
    assert judged(planning, "allow", "Write", file_path="a", content="").behavior == "deny"


def test_a_hook_may_ask_about_what_is_allowed(project):
    there = project.with_rules("allow", "Bash")
    decision = judged(there, "ask", command="make")
    assert (decision.behavior, decision.reason) == ("ask", "why")
    assert judged(there.having(mode="bypassPermissions"), "ask", command="ls").behavior == "ask"
    assert judged(there.having(interactive=False), "ask", command="ls").behavior == "deny"


def test_a_hook_denies_everything(project):
    for mode in ("default", "bypassPermissions"):
        decision = judged(project.having(mode=mode), "deny", command="ls")
        assert (decision.behavior, decision.reason) == ("deny", "why")
    assert judged(project, "deny", "mcp__a__b").behavior == "deny"


def test_missing_rules_make_everything_ask(project):
    there = project.with_rules("allow", "Bash").having(incomplete="settings.json (broken JSON)")
    for mode in ("default", "acceptEdits", "bypassPermissions"):
        decision = there.having(mode=mode).bash("ls")
        assert decision.behavior == "ask" and "settings.json" in decision.reason
    assert judged(there, "allow", command="ls").behavior == "ask"
    assert there.having(interactive=False).bash("ls").behavior == "deny"
    assert there.with_rules("deny", "Bash(ls)").bash("ls").behavior == "deny"


def test_nobody_to_ask_is_a_denial(project):
    alone = project.having(interactive=False)
    decision = alone.bash("make")
    assert decision.behavior == "deny" and "Nobody can answer" in decision.reason
    assert alone.bash("ls").behavior == "allow"
