"""One call explained in words, by the settings that a session here would have."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from agentcli.base.text import one_line, reveal
from agentcli.base.values import as_dict
from agentcli.cli.options import Args
from agentcli.cli.permissions.args import CheckArgs
from agentcli.cli.permissions.lines import decision_facts
from agentcli.cli.policy import make_policy
from agentcli.frontends.oneshot.streams import tell
from agentcli.permissions.explain import Explanation, explain
from agentcli.permissions.paths import DiskProbe
from agentcli.permissions.policy import Policy
from agentcli.protocol.calls import ToolCall
from agentcli.protocol.errors import UsageError
from agentcli.protocol.rules import Behavior
from agentcli.settings.load import load_settings
from agentcli.settings.sources import home_dir
from agentcli.settings.trust import read_trust

_CODES: dict[Behavior, int] = {"allow": 0, "ask": 3, "deny": 4}
_HEADS = {"allow": "allow: it would run", "ask": "ask: you would be asked", "deny": "deny"}
_MARKS: dict[Behavior, str] = {"allow": "ok  ", "ask": "ask ", "deny": "deny"}
_FIELDS = {
    **dict.fromkeys(("Read", "Edit", "Write"), "file_path"),
    **dict.fromkeys(("Agent", "Task"), "subagent_type"),
    "Bash": "command",
    "Glob": "pattern",
    "Grep": "path",
    "NotebookEdit": "notebook_path",
    "Skill": "skill",
    "WebFetch": "url",
    "WebSearch": "query",
}
_FILES = {
    "flag": "the command line",
    "session": "this session",
    "localSettings": ".claude/settings.local.json",
    "projectSettings": ".claude/settings.json",
    "userSettings": "your settings.json",
    "managed": "the administrator's settings",
}


def check_one(args: CheckArgs, cwd: Path, env: Mapping[str, str], out: BinaryIO) -> int:
    """Print the decision on the call in *args*: 0 allow, 3 ask, 4 deny. Raises AgentCliError,
    OSError."""
    policy, notices = policy_in_force(args, cwd, env)
    for notice in notices:
        tell(one_line(notice, 500))
    call = ToolCall("check", args.tool or "", _input(args))
    explanation = explain(call, policy, DiskProbe())
    decision = explanation.decision
    if args.json:
        parts = [[part.text, part.verdict, part.why] for part in explanation.parts]
        facts = decision_facts(decision) | ({"explained": parts} if parts else {})
        out.write(json.dumps(facts).encode() + b"\n")
    else:
        for line in explanation_lines(explanation, policy):
            out.write(line.encode("utf-8", "replace") + b"\n")
    return _CODES[decision.behavior]


def policy_in_force(args: CheckArgs, cwd: Path, env: Mapping[str, str]) -> tuple[Policy, list[str]]:
    """The policy that a session in *cwd* would start with, and what is wrong in its settings.

    Raises UsageError for a flag that cannot be used.
    """
    home = home_dir(env)
    trust = read_trust(cwd, home)
    trusted = trust.trusted or args.trust
    loaded = load_settings(cwd, home, env, trusted=trusted)
    flags = Args(
        permission_mode=args.mode,
        allowed_tools=args.allowed_tools,
        disallowed_tools=args.disallowed_tools,
        add_dir=args.add_dir,
    )
    policy, problems = make_policy(flags, loaded, cwd, home, trusted=trusted)
    notices = [trust.problem] if trust.problem else []
    return policy, [*notices, *loaded.problems, *loaded.ignored, *problems]


def explanation_lines(explanation: Explanation, policy: Policy) -> Iterator[str]:
    """The decision in words. Pure."""
    decision = explanation.decision
    yield _HEADS[decision.behavior]
    yield f"  because: {_shown(decision.reason)}"
    if decision.rule:
        yield f"  rule:    {_shown(decision.rule)}, from {_origin(decision.rule, policy)}"
    yield f"  mode:    {policy.mode}{'' if policy.trusted else ', in a folder that is not trusted'}"
    if explanation.parts:
        yield "  part by part:"
        for part in explanation.parts:
            yield f"    {_MARKS[part.verdict]}  {_shown(part.text)}"
            yield f"          {_shown(part.why)}"
    elif decision.parts:
        yield f"  as a whole: {_shown(decision.parts[0])}"
    saved = [str(rule) for update in decision.suggestions for rule in update.rules]
    if saved:
        yield f'  an "always" would save: {_shown(", ".join(saved))}'
    elif any(update.mode for update in decision.suggestions):
        yield '  an "always" would accept all edits of this session'


def _input(args: CheckArgs) -> dict[str, object]:
    tool, text = args.tool or "", args.input
    if text.lstrip().startswith("{"):
        try:
            value: object = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"the input looks like JSON and is none: {error}") from None
        return as_dict(value)
    field = _FIELDS.get(tool)
    if field:
        return {field: text}
    if text:
        raise UsageError(f"the input of {tool[:60]} must be a JSON object")
    return {}


def _origin(rule: str, policy: Policy) -> str:
    found = [
        _FILES[known.source]
        for known in (*policy.deny, *policy.ask, *policy.allow)
        if str(known.rule) == rule
    ]
    return found[0] if found else "the session"


def _shown(text: str) -> str:
    return reveal(text.replace("\n", "\\n"))
