"""The mode table."""

import pytest

from agentcli.permissions.modes import check_bypass_allowed, next_mode, parse_mode
from agentcli.protocol.errors import UsageError


@pytest.mark.parametrize(
    ("enabled", "cycle"),
    [
        (False, ["acceptEdits", "plan", "default"]),
        (True, ["acceptEdits", "plan", "bypassPermissions", "default"]),
    ],
)
def test_cycle(enabled, cycle):
    seen, mode = [], "default"
    for _ in cycle:
        mode = next_mode(mode, enabled)
        seen.append(mode)
    assert seen == cycle


def test_modes_outside_the_cycle_go_to_default():
    assert next_mode("dontAsk", True) == "default"
    assert next_mode("bypassPermissions", False) == "default"


def test_parse_mode():
    assert parse_mode("manual") == "default"
    assert parse_mode("plan") == "plan"
    with pytest.raises(UsageError, match="acceptEdits, plan, dontAsk, bypassPermissions, manual"):
        parse_mode("yolo")


def test_bypass_refuses_root_outside_a_sandbox():
    with pytest.raises(UsageError, match="AGENTCLI_SANDBOXED=1"):
        check_bypass_allowed({}, 0)
    with pytest.raises(UsageError):
        check_bypass_allowed({"AGENTCLI_SANDBOXED": "true"}, 0)
    with pytest.raises(UsageError, match="settings"):
        check_bypass_allowed({}, 1000, disabled_by_settings=True)
    check_bypass_allowed({"AGENTCLI_SANDBOXED": "1"}, 0)
    check_bypass_allowed({}, 1000)
