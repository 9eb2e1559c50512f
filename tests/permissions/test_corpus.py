"""The corpus of attacks and of harmless work, judged on real files."""

import pytest

from agentcli.permissions.rules import parse_rule
from tests.permissions.corpus import judge, load_cases

CASES = load_cases()


def _accepted(case):
    return case.get("accept") or [case["expect"]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_decision_is_an_accepted_one(case, tmp_path):
    decision = judge(case, tmp_path)
    assert decision.behavior in _accepted(case), (case["input"], decision.reason)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_what_an_always_saves_settles_the_question(case, tmp_path):
    decision = judge(case, tmp_path / "first")
    rules = [rule for update in decision.suggestions for rule in update.rules]
    if decision.behavior != "ask" or not rules:
        return
    # Rules about files name the folder that they were made in.
    texts = [str(rule).replace("/first/", "/again/") for rule in rules]
    again = judge(case, tmp_path / "again", [parse_rule(text) for text in texts])
    assert again.behavior == "allow", (case["input"], texts, again.reason)
