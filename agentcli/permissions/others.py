"""Decisions about MCP tools, subagents, skills and all that is neither file nor shell nor web."""

from agentcli.permissions import globs
from agentcli.permissions.bench import Bench, allowed, asked, denied, tool_fits
from agentcli.permissions.policy import Decision
from agentcli.permissions.rules import SourcedRule, parameter_of
from agentcli.protocol.calls import ToolCall
from agentcli.protocol.rules import Rule, RuleUpdate

# They change nothing but the session's own notes.
_OWN_STATE = frozenset(
    {"TodoWrite", "TaskOutput", "BashOutput", "ToolSearch", "EnterPlanMode", "TaskCreate"}
    | {"TaskUpdate", "TaskList", "TaskGet", "TaskStop", "KillShell"}
)
# A person has to answer these whatever the mode; no rule and no hook can do it.
_PERSONAL = {"AskUserQuestion": "Asks you a question", "ExitPlanMode": "Presents its plan"}
# Which input a specifier without a colon is about.
_SUBJECTS = {"Agent": "subagent_type", "Task": "subagent_type", "Skill": "skill", "Cd": "path"}
_SAME = {"Task": "Agent", "SlashCommand": "Skill"}


def decide_other(call: ToolCall, bench: Bench) -> Decision:
    """Judge a call of any other tool, unknown ones too. Pure."""
    policy = bench.policy
    for rule in policy.deny:
        if _is_about(rule, call):
            return denied(rule, call.name)
    for rule in policy.ask:
        if _is_about(rule, call):
            return asked(rule)
    if call.name in _PERSONAL:
        return Decision("ask", _PERSONAL[call.name], firm=True)
    if policy.mode == "bypassPermissions":
        return Decision("allow", "allowed by the mode")
    for rule in policy.usable_allow():
        if _is_allowed_by(rule, call):
            return allowed(rule)
    if call.name in _OWN_STATE:
        return Decision("allow", "changes nothing but the session's own notes")
    return Decision("ask", _reason(call), suggestions=_suggestions(call, bench))


def _is_about(rule: SourcedRule, call: ToolCall) -> bool:
    name = rule.rule.tool
    if not (tool_fits(name, call.name) or tool_fits(name, _SAME.get(call.name, call.name))):
        return False
    return rule.rule.content is None or _content_fits(rule, call)


def _is_allowed_by(rule: SourcedRule, call: ToolCall) -> bool:
    name = rule.rule.tool
    if call.name.startswith("mcp__"):
        return rule.rule.content is None and tool_fits(name, call.name)
    if name not in (call.name, _SAME.get(call.name)):
        return False
    return rule.rule.content is None or _content_fits(rule, call)


def _content_fits(rule: SourcedRule, call: ToolCall) -> bool:
    if parameter_of(rule.rule):
        return False
    content = rule.rule.content or ""
    subject = call.input.get(_SUBJECTS.get(call.name, ""))
    if not isinstance(subject, str):
        return False
    if content.endswith(":*"):
        content = f"{content[:-2]} *"
    if content.endswith(" *") and globs.text_matches(content[:-2], subject):
        return True
    return globs.text_matches(content, subject)


def _reason(call: ToolCall) -> str:
    if call.name.startswith("mcp__"):
        server, _, tool = call.name.removeprefix("mcp__").partition("__")
        return f"Runs {tool or 'a tool'} of the MCP server {server}"
    subject = call.input.get(_SUBJECTS.get(call.name, ""))
    return f"Runs {call.name} {subject}" if isinstance(subject, str) else f"Runs {call.name}"


def _suggestions(call: ToolCall, bench: Bench) -> tuple[RuleUpdate, ...]:
    subject = call.input.get(_SUBJECTS.get(call.name, ""))
    if isinstance(subject, str) and not subject.replace("-", "").replace("_", "").isalnum():
        return ()  # as a rule it might be a pattern
    scope = "localSettings" if bench.policy.trusted else "session"
    rule = Rule(call.name, subject if isinstance(subject, str) else None)
    return (RuleUpdate((rule,), "allow", scope),)
