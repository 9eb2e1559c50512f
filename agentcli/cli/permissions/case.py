"""One JSON line as a call and the policy that it is judged by."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from agentcli.base.values import as_dict
from agentcli.permissions.modes import parse_mode
from agentcli.permissions.policy import HookOpinion, Policy
from agentcli.permissions.rules import RuleSource, SourcedRule, parse_rules
from agentcli.protocol.calls import ToolCall
from agentcli.protocol.errors import UsageError
from agentcli.protocol.rules import Behavior
from agentcli.settings.sources import home_dir, user_home

_SOURCES: dict[str, RuleSource] = {
    "project": "projectSettings",
    "local": "localSettings",
    "user": "userSettings",
    "flag": "flag",
}
_OPINIONS: dict[str, Behavior] = {"allow": "allow", "ask": "ask", "deny": "deny"}


@dataclass(frozen=True, slots=True)
class Case:
    """What is to be decided; ``problems`` are rules that cannot be used."""

    call: ToolCall
    policy: Policy
    hook: HookOpinion | None
    problems: tuple[str, ...]


def read_case(value: dict[str, object], cwd: Path, env: Mapping[str, str]) -> Case:
    """The case that *value* describes; what it leaves out is a trusted project in *cwd*.

    Raises UsageError with what is wrong. Unknown fields are left alone.
    """
    folder = str(Path(cwd, _text(value, "cwd", ".")))
    given = value.get("rules", {})
    if not isinstance(given, dict):
        raise UsageError("rules: expected an object with allow, ask, deny")
    rules = as_dict(cast("object", given))
    name = _text(value, "rules_source", "project")
    if name not in _SOURCES:
        raise UsageError(f"rules_source: expected one of {', '.join(_SOURCES)}")
    state = str(home_dir(env))
    anchor = state if name == "user" else folder
    problems: list[str] = []

    def parsed(behavior: Behavior) -> tuple[SourcedRule, ...]:
        texts = _texts(rules.get(behavior, []), f"rules.{behavior}")
        found = parse_rules(texts, behavior, _SOURCES[name], anchor)
        problems.extend(found.problems)
        return found.rules

    policy = Policy(
        mode=parse_mode(_text(value, "mode", "default")),
        roots=(folder, *_texts(value.get("additional_directories", []), "additional_directories")),
        cwd=folder,
        home=_text(value, "home", str(user_home(env))),
        allow=parsed("allow"),
        ask=parsed("ask"),
        deny=parsed("deny"),
        trusted=_flag(value, "trusted", default=True),
        protected=(state,),
        interactive=not _flag(value, "headless", default=False),
    )
    call = ToolCall("check", _tool(value), _input(value))
    return Case(call, policy, _hook(value), tuple(problems))


def _tool(value: dict[str, object]) -> str:
    tool = value.get("tool")
    if not isinstance(tool, str) or not tool:
        raise UsageError("tool: expected the name of a tool")
    return tool


def _input(value: dict[str, object]) -> dict[str, object]:
    given = value.get("input")
    if not isinstance(given, dict):
        raise UsageError("input: expected an object")
    return as_dict(cast("object", given))


def _hook(value: dict[str, object]) -> HookOpinion | None:
    given = value.get("hook", {})
    if not isinstance(given, dict):
        raise UsageError("hook: expected an object with PreToolUse")
    said = as_dict(cast("object", given)).get("PreToolUse", "none")
    if isinstance(said, str) and (code := re.fullmatch(r"exit(\d+)", said)):
        # A hook's exit code 2 denies, every other failure is no opinion, as documented.
        return HookOpinion("deny") if code.group(1) == "2" else None
    if said in ("none", None):
        return None
    if not isinstance(said, str) or said not in _OPINIONS:
        raise UsageError("hook.PreToolUse: expected allow, ask, deny or none")
    return HookOpinion(_OPINIONS[said])


def _text(value: dict[str, object], name: str, default: str) -> str:
    given = value.get(name, default)
    if not isinstance(given, str):
        raise UsageError(f"{name}: expected a string")
    return given


def _texts(given: object, name: str) -> list[str]:
    items = cast("list[object]", given) if isinstance(given, list) else [None]
    texts = [item for item in items if isinstance(item, str)]
    if len(texts) != len(items):
        raise UsageError(f"{name}: expected a list of strings")
    return texts


def _flag(value: dict[str, object], name: str, *, default: bool) -> bool:
    given = value.get(name, default)
    if not isinstance(given, bool):
        raise UsageError(f"{name}: expected true or false")
    return given
