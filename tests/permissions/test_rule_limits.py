"""Thousands of rules and rules made to hang: bounded time, and the right answer."""

import time

import pytest

from agentcli.permissions.rule_index import rules_about
from agentcli.permissions.rules import parse_rules


def many(behavior, texts):
    parsed = parse_rules(texts, behavior, "userSettings", "/")
    assert not parsed.problems
    return parsed.rules


@pytest.fixture
def crowded(project):
    names = [f"tool{number}" for number in range(2_000)]
    kinds = ("Bash({0} *)", "Bash({0} run)", "Bash({0}:*)", "Read(./{0}/**)", "Bash(* {0})")
    texts = [kind.format(name) for name in names for kind in kinds]
    allow = many("allow", [*texts, "Bash(last one *)"])
    deny = many("deny", [text.replace("tool", "bad") for text in texts])
    return project.having(allow=allow, deny=deny)


@pytest.mark.parametrize(
    ("command", "behavior"),
    [
        ("last one x", "allow"),
        ("tool7 run && tool1999 x | last one", "allow"),
        ("bad1999 x", "deny"),
        ("x; y | bad3", "deny"),
        ("'bad5'  run", "deny"),
        ("nothing", "ask"),
    ],
)
def test_ten_thousand_rules_are_all_looked_at_and_cost_little(crowded, command, behavior):
    crowded.bash(command)
    start = time.process_time()
    decisions = [crowded.bash(command) for _ in range(3)]
    # Generous: a machine may be slow; one by one it would be seconds.
    assert time.process_time() - start < 1.5
    assert {decision.behavior for decision in decisions} == {behavior}


def test_a_file_is_judged_by_ten_thousand_rules_in_bounded_time(crowded):
    start = time.process_time()
    assert crowded.call("Read", file_path="bad1500/x").behavior == "deny"
    assert crowded.call("Read", file_path="src/app.py").behavior == "allow"
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    "rule",
    [
        "Bash(*a*a*a*a*a*a*a*a*a*b)",
        "Read(**/*a*a*a*a*a*a*b/**/**/**/c)",
        "WebFetch(domain:*a*a*a*b.*)",
    ],
)
def test_rules_made_of_wildcards_do_not_hang(project, rule):
    there = project.with_rules("deny", rule)
    start = time.process_time()
    there.bash("a" * 9_000)
    there.call("Read", file_path="/".join(["aaaaaaaa"] * 400))
    there.call("WebFetch", url="https://" + "a" * 60 + ".test/", prompt="x")
    assert time.process_time() - start < 3


def test_reading_ten_thousand_rules_is_bounded():
    texts = [f"Bash(tool{number} *)" for number in range(9_000)] + ["Bahs"] * 500 + ["Bash("] * 500
    start = time.process_time()
    parsed = parse_rules(texts, "deny", "userSettings", "/")
    assert time.process_time() - start < 3
    assert (len(parsed.rules), len(parsed.problems)) == (9_500, 1_000)


def test_what_is_remembered_belongs_to_the_very_rules(project):
    for name in ("a", "b", "a"):
        rules = many("deny", [f"Bash({name} *)"])
        assert [str(rule.rule) for rule in rules_about(rules, "Bash").fitting(f"{name} x")]
        assert project.having(deny=rules).bash(f"{name} x").behavior == "deny"
