"""MCP tools, subagents, skills, questions and names that nobody knows."""

import pytest


@pytest.mark.parametrize(
    ("rule", "tool", "allowed"),
    [
        ("mcp__srv", "mcp__srv__tool", True),
        ("mcp__srv", "mcp__srv2__tool", False),
        ("mcp__sr", "mcp__srv__tool", False),
        ("mcp__srv__*", "mcp__srv__tool", True),
        ("mcp__srv__get_*", "mcp__srv__get_x", True),
        ("mcp__srv__get_*", "mcp__srv__set_x", False),
        ("mcp__srv__get_*", "mcp__evil__get_x", False),
        ("mcp__srv__tool", "mcp__srv__tool", True),
        ("mcp__srv__tool", "mcp__srv__tool2", False),
        ("Agent(Explore)", "Agent", True),
        ("Agent(Plan)", "Agent", False),
        ("Agent", "Agent", True),
        ("Skill(deploy *)", "Skill", True),
        ("Skill(deploy)", "Skill", False),
        ("Skill(dep*)", "Skill", True),
        ("Skill(other *)", "Skill", False),
        ("Frobnicate_x", "Frobnicate_x", True),
    ],
)
def test_allow_rules(project, rule, tool, allowed):
    given = {"subagent_type": "Explore", "skill": "deploy prod"}
    decision = project.with_rules("allow", rule).call(tool, **given)
    assert decision.behavior == ("allow" if allowed else "ask")
    assert (decision.rule == rule) is allowed


@pytest.mark.parametrize(
    "rule", ["mcp__*", "*", "mcp__srv", "mcp__srv__*", "mcp__*__tool", "mcp__srv__tool"]
)
def test_deny_rules_hold_in_every_mode(project, rule):
    there = project.with_rules("allow", "mcp__srv").with_rules("deny", rule)
    for mode in ("default", "bypassPermissions"):
        assert there.having(mode=mode).call("mcp__srv__tool").behavior == "deny"
    assert there.with_rules("deny", "mcp__other").call("mcp__srv__tool").behavior == "allow"


def test_an_ask_rule_wins_over_allow_and_bypass(project):
    there = project.with_rules("allow", "mcp__srv").with_rules("ask", "mcp__srv__write_*")
    for mode in ("default", "bypassPermissions"):
        assert there.having(mode=mode).call("mcp__srv__write_x").behavior == "ask"
        assert there.having(mode=mode).call("mcp__srv__read_x").behavior == "allow"


def test_only_a_person_answers_a_question(project):
    for tool in ("AskUserQuestion", "ExitPlanMode"):
        for mode in ("default", "acceptEdits", "bypassPermissions"):
            decision = project.having(mode=mode).call(tool)
            assert (decision.behavior, decision.firm) == ("ask", True)
        assert project.having(mode="dontAsk").call(tool).behavior == "deny"
        assert project.having(interactive=False).call(tool).behavior == "deny"


def test_own_notes_need_no_question(project):
    for mode in ("default", "plan", "dontAsk"):
        assert project.having(mode=mode).call("TodoWrite", todos=[]).behavior == "allow"
    assert project.with_rules("deny", "TodoWrite").call("TodoWrite").behavior == "deny"


def test_what_nobody_knows_asks(project):
    decision = project.call("Frobnicate", x=1)
    assert decision.behavior == "ask"
    assert project.having(mode="acceptEdits").call("mcp__srv__tool").behavior == "ask"
    assert project.having(mode="bypassPermissions").call("mcp__srv__tool").behavior == "allow"


@pytest.mark.parametrize(
    ("tool", "given", "rule"),
    [
        ("mcp__srv__tool", {"q": 1}, "mcp__srv__tool"),
        ("Agent", {"subagent_type": "Explore"}, "Agent(Explore)"),
        ("Agent", {"subagent_type": "a*"}, "Agent"),
        ("Skill", {"skill": "deploy"}, "Skill(deploy)"),
    ],
    ids=range(4),
)
def test_an_always_saves_no_more_than_was_asked(project, tool, given, rule):
    decision = project.call(tool, **given)
    rules = [str(rule) for update in decision.suggestions for rule in update.rules]
    assert rules == ([] if "*" in str(given) else [rule])


def test_an_untrusted_folder_allows_nothing(project):
    there = project.with_rules("allow", "mcp__srv", source="projectSettings")
    assert there.call("mcp__srv__x").behavior == "allow"
    assert there.having(trusted=False).call("mcp__srv__x").behavior == "ask"
