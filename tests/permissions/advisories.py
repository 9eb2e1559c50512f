"""The shape of an advisory's test: attacks that are never allowed, neighbours that still are."""

from collections.abc import Iterable
from typing import Any

from tests.permissions.conftest import Project

MODES = ("default", "acceptEdits", "plan", "dontAsk")


def never(project: Project, attacks: Iterable[str], modes: Iterable[str] = MODES) -> None:
    """No shell command of *attacks* is allowed in any of *modes*."""
    for mode in modes:
        for command in attacks:
            decision = project.having(mode=mode).bash(command)
            assert decision.behavior != "allow", (mode, command, decision)


def still(project: Project, commands: Iterable[str]) -> None:
    """All *commands* are allowed, so that the test cannot pass by asking always."""
    for command in commands:
        decision = project.bash(command)
        assert decision.behavior == "allow", (command, decision.reason)


def denied(project: Project, commands: Iterable[str]) -> None:
    """All *commands* are denied, in the mode that allows everything too."""
    for mode in ("default", "bypassPermissions"):
        for command in commands:
            decision = project.having(mode=mode).bash(command)
            assert decision.behavior == "deny", (mode, command, decision)


def never_call(project: Project, tool: str, calls: Iterable[dict[str, Any]]) -> None:
    """No call of *tool* is allowed, in the mode that accepts edits either."""
    for mode in ("default", "acceptEdits"):
        for given in calls:
            decision = project.having(mode=mode).call(tool, **given)
            assert decision.behavior != "allow", (mode, given, decision)
