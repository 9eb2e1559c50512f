"""Reading permission rules: ``Tool`` or ``Tool(specifier)``, each bad one reported alone."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from agentcli.protocol.errors import SettingsError
from agentcli.protocol.rules import Behavior, Rule

RuleSource = Literal[
    "flag", "session", "localSettings", "projectSettings", "userSettings", "managed"
]

READ_TOOLS = frozenset({"Read", "Grep", "Glob"})
EDIT_TOOLS = frozenset({"Edit", "Write", "NotebookEdit"})
BASH_PARAMS = frozenset({"run_in_background", "dangerouslyDisableSandbox", "timeout"})

_NAME = re.compile(r"[A-Za-z_*][\w*.-]*")
_PARAM = re.compile(r"\s*(\w+)\s*:\s*(.*?)\s*", re.DOTALL)
_MCP_ALLOW = re.compile(r"mcp__[^*]*[^*_][^*]*?__.*")
_MAX_LENGTH = 10_000
# Path rules are looked up under Read and Edit only, as documented.
_PATH_RULE_UNUSED = {"Write": "Edit", "NotebookEdit": "Edit", "MultiEdit": "Edit"} | {
    "Glob": "Read",
    "Grep": "Read",
    "LS": "Read",
}
_PRIMARY_FIELDS = frozenset({"command", "file_path", "path", "notebook_path", "url"})
_KNOWN = (
    READ_TOOLS
    | EDIT_TOOLS
    | frozenset(
        {"Bash", "MultiEdit", "LS", "LSP", "WebFetch", "WebSearch", "Agent", "Task", "Skill"}
        | {"Cd", "TodoWrite", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "ToolSearch"}
        | {"TaskOutput", "TaskStop", "BashOutput", "KillShell", "Monitor", "SlashCommand"}
    )
)
_BY_FOLDED = {name.casefold(): name for name in _KNOWN}


@dataclass(frozen=True, slots=True)
class SourcedRule:
    """A rule, where it came from, and the directory that a pattern like ``/src/**`` starts at."""

    rule: Rule
    source: RuleSource
    anchor: str


@dataclass(frozen=True, slots=True)
class ParsedRules:
    """The rules that count, and one line for each that does not."""

    rules: tuple[SourcedRule, ...]
    problems: tuple[str, ...]


def parse_rule(text: str) -> Rule:
    """Read one rule; ``Bash(*)`` becomes the bare tool. Raises ``SettingsError``. Pure."""
    text = text.strip()
    name = _NAME.match(text)
    if name is None or len(text) > _MAX_LENGTH:
        raise SettingsError(f"not a permission rule: {text[:80]!r}")
    tool, rest = name.group(), text[name.end() :]
    if not rest:
        return Rule(tool)
    if not (rest.startswith("(") and rest.endswith(")") and len(rest) >= 2):
        raise SettingsError(f"not a permission rule: {text[:80]!r} (write Tool or Tool(specifier))")
    content = rest[1:-1].strip()
    if not content.removesuffix(":*").strip():
        raise SettingsError(f"empty specifier in rule {text[:80]!r}")
    return Rule(tool) if content == "*" and tool == "Bash" else Rule(tool, content)


def parse_rules(
    texts: Iterable[str], behavior: Behavior, source: RuleSource, anchor: str
) -> ParsedRules:
    """Read a list of rules; rules that are never consulted are left out with a line. Pure."""
    rules: list[SourcedRule] = []
    problems: list[str] = []
    for text in texts:
        try:
            rule = parse_rule(text)
        except SettingsError as error:
            problems.append(f"{behavior} rule ignored: {error.message}")
            continue
        if rule.content == "*" and behavior != "allow":
            rule = Rule(rule.tool)
        unused = _unused_because(rule, behavior)
        if unused:
            problems.append(f"{behavior} rule {str(rule)[:80]!r} ignored: {unused}")
            continue
        if behavior != "allow" and rule.tool not in _KNOWN and not set(rule.tool) & {"_", "*"}:
            meant = _BY_FOLDED.get(rule.tool.casefold())
            hint = f"the tool is called {meant}" if meant else "no tool has this name"
            problems.append(f"{behavior} rule {str(rule)[:80]!r}: {hint}")
            rule = Rule(meant or rule.tool, rule.content)  # what forbids is not lost by a slip
        rules.append(SourcedRule(rule, source, anchor))
    return ParsedRules(tuple(rules), tuple(problems))


def split_rule_list(text: str) -> list[str]:
    """Split a flag value at commas and blanks that stand outside parentheses. Pure."""
    pieces: list[str] = []
    piece: list[str] = []
    depth = 0
    for char in text:
        if depth == 0 and (char == "," or char.isspace()):
            pieces.append("".join(piece))
            piece = []
            continue
        depth += (char == "(") - (char == ")" and depth > 0)
        piece.append(char)
    pieces.append("".join(piece))
    return [piece for piece in pieces if piece]


def parameter_of(rule: Rule) -> tuple[str, str] | None:
    """Name and value where the rule is about a parameter, as ``Bash(timeout:5)``. Pure."""
    found = _PARAM.fullmatch(rule.content or "")
    if rule.tool != "Bash" or found is None or found.group(1) not in BASH_PARAMS:
        return None
    return found.group(1), found.group(2)


def _unused_because(rule: Rule, behavior: Behavior) -> str | None:
    content = rule.content
    if behavior == "allow" and "*" in rule.tool and not _MCP_ALLOW.fullmatch(rule.tool):
        return "an allow rule needs the name of one tool (or mcp__server__*)"
    if content is None:
        return None
    if rule.tool in _PATH_RULE_UNUSED:
        return f"path rules of this tool are not consulted; write {_PATH_RULE_UNUSED[rule.tool]}(…)"
    if rule.tool.startswith("mcp__") or "*" in rule.tool:
        return "a specifier is not supported here"
    field = _PARAM.fullmatch(content)
    if field and field.group(1) in _PRIMARY_FIELDS:
        return f"{field.group(1)} cannot be matched as a parameter; write the value alone"
    if behavior == "allow" and parameter_of(rule):
        return "parameters can be matched in deny and ask rules only"
    return None
