"""The corpus of attacks and of harmless work, judged on real files."""

import pytest

from tests.permissions.corpus import judge, load_cases

CASES = load_cases()


def _accepted(case):
    return case.get("accept") or [case["expect"]]


ATTACKS = [case for case in CASES if "allow" not in _accepted(case)]
HARMLESS = [case for case in CASES if _accepted(case) == ["allow"]]


@pytest.mark.parametrize("case", ATTACKS, ids=lambda case: case["id"])
def test_no_attack_is_allowed(case, tmp_path):
    decision = judge(case, tmp_path)
    assert decision.behavior != "allow", (case["input"], case["why"])


@pytest.mark.parametrize(
    "case",
    [case for case in ATTACKS if _accepted(case) == ["deny"] and not case.get("headless")],
    ids=lambda case: case["id"],
)
def test_what_must_be_denied_is_not_merely_asked(case, tmp_path):
    assert judge(case, tmp_path).behavior == "deny", (case["input"], case["rules"])


def test_harmless_work_is_rarely_asked_about(tmp_path):
    asked = []
    for number, case in enumerate(HARMLESS):
        decision = judge(case, tmp_path / str(number))
        if decision.behavior != "allow":
            asked.append(f"{case['id']} {case['input']}: {decision.reason}")
    # All of these are lists, pipes, globs, redirects or assignments: not one plain command.
    assert [line for line in asked if "Not one plain command" not in line] == []
    assert len(asked) <= 33, "\n".join(asked)
