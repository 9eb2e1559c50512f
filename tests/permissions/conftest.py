"""A project folder on disk and a way to ask about one call in it."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from agentcli.permissions.decide import decide
from agentcli.permissions.paths import DiskProbe
from agentcli.permissions.policy import Decision, Policy
from agentcli.permissions.rules import parse_rules
from agentcli.protocol.calls import ToolCall


@dataclass
class Project:
    base: Path
    policy: Policy

    @property
    def root(self) -> Path:
        return Path(self.policy.roots[0])

    def with_rules(self, behavior: Any, *texts: str, source: Any = "userSettings") -> "Project":
        parsed = parse_rules(texts, behavior, source, str(self.root))
        assert parsed.problems == ()
        return Project(self.base, replace(self.policy, **{behavior: parsed.rules}))

    def having(self, **changes: Any) -> "Project":
        return Project(self.base, replace(self.policy, **changes))

    def bash(self, command: str, **more: Any) -> Decision:
        return self.call("Bash", command=command, **more)

    def call(self, tool: str, **given: Any) -> Decision:
        return decide(ToolCall("t1", tool, given), self.policy, DiskProbe())


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "repo"
    for name in ("src/app.py", "README.md", ".git/HEAD", "secrets/key.pem"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x\n")
    (tmp_path / "home").mkdir()
    (tmp_path / "out").mkdir()
    policy = Policy(
        mode="default",
        roots=(str(root),),
        cwd=str(root),
        home=str(tmp_path / "home"),
        trusted=True,
        protected=(str(tmp_path / "home" / ".own"),),
    )
    return Project(tmp_path, policy)
