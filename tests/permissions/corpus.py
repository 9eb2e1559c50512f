"""The permission cases: their fixture on disk, and one case judged."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentcli.permissions.decide import decide
from agentcli.permissions.paths import DiskProbe
from agentcli.permissions.policy import Decision, HookOpinion, Policy
from agentcli.permissions.rules import SourcedRule, parse_rules
from agentcli.protocol.calls import ToolCall
from agentcli.protocol.rules import Rule

CASES = Path(__file__).parent.parent / "corpora" / "permissions" / "cases.jsonl"
FILES = (
    "README.md package.json .env src/app.py src/util.py tests/test_app.py docs/guide.md "
    "secrets/key.pem packages/api/index.js packages/api/src/x.ts build/old.txt tools/x.py .git/HEAD"
)


@dataclass(frozen=True)
class World:
    """The folders that the cases speak of."""

    base: Path

    @property
    def names(self) -> dict[str, str]:
        return {
            "${CWD}": str(self.base / "repo"),
            "${HOME}": str(self.base / "home"),
            "${OUT}": str(self.base / "out"),
            "${STATE}": str(self.base / "state"),
        }

    def fill(self, value: Any) -> Any:
        if isinstance(value, str):
            for name, path in self.names.items():
                value = value.replace(name, path)
            return value
        if isinstance(value, list):
            return [self.fill(item) for item in value]
        if isinstance(value, dict):
            return {self.fill(key): self.fill(item) for key, item in value.items()}
        return value

    def build(self, case: dict[str, Any]) -> None:
        repo = self.base / "repo"
        for name in FILES.split():
            _write(repo / name, "text\n")
        for name in ("home/.ssh/id_rsa", "home/notes.txt", "out/data.txt", "repo-evil/f.txt"):
            _write(self.base / name, "text\n")
        setup = self.fill(case.get("setup", {}))
        for name, text in setup.get("files", {}).items():
            _write(repo / name, text)
        for name, target in setup.get("symlinks", {}).items():
            (repo / name).symlink_to(target)


def load_cases() -> list[dict[str, Any]]:
    lines = CASES.read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    # Cases of the kinds ``@startup``, ``@prompt`` and ``@output`` are about other rooms.
    return [case for case in cases if not case["tool"].startswith("@")]


def judge(case: dict[str, Any], base: Path, saved: Sequence[Rule] = ()) -> Decision:
    """Build the case in *base* and decide; *saved* are the rules of an "always" before."""
    call, policy, hook = prepare(case, base, saved)
    return decide(call, policy, DiskProbe(), hook)


def prepare(
    case: dict[str, Any], base: Path, saved: Sequence[Rule] = ()
) -> tuple[ToolCall, Policy, HookOpinion | None]:
    """Make the case's files in *base*; what is to be decided there."""
    world = World(base)
    world.build(case)
    names = world.names
    source = "userSettings" if case.get("rules_source") == "user" else "projectSettings"
    anchor = names["${STATE}"] if source == "userSettings" else names["${CWD}"]

    def rules(behavior: Any) -> tuple[SourcedRule, ...]:
        return parse_rules(world.fill(case["rules"][behavior]), behavior, source, anchor).rules

    policy = Policy(
        mode=case["mode"],
        roots=(names["${CWD}"], *world.fill(case.get("additional_directories", []))),
        cwd=names["${CWD}"],
        home=names["${HOME}"],
        allow=(
            *rules("allow"),
            *(SourcedRule(rule, "localSettings", names["${CWD}"]) for rule in saved),
        ),
        ask=rules("ask"),
        deny=rules("deny"),
        trusted=case.get("trusted", True),
        protected=(names["${STATE}"],),
        interactive=not case.get("headless", False),
    )
    call = ToolCall("t1", case["tool"], world.fill(case["input"]))
    return call, policy, _hook(case)


def _hook(case: dict[str, Any]) -> HookOpinion | None:
    said = case.get("hook", {}).get("PreToolUse", "none")
    return None if said in ("none", "exit1") else HookOpinion(said)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
