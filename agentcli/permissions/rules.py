"""Reading permission rules: ``Tool`` or ``Tool(specifier)``, each bad one reported alone.

The grammar is that of Claude Code's permission documentation.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from agentcli.permissions import globs
from agentcli.protocol.calls import ToolCall
from agentcli.protocol.errors import SettingsError
from agentcli.protocol.rules import Behavior, Rule

RuleSource = Literal[
    "flag", "session", "localSettings", "projectSettings", "userSettings", "managed"
]

READ_TOOLS = frozenset({"Read", "Grep", "Glob"})
EDIT_TOOLS = frozenset({"Edit", "Write", "NotebookEdit"})
# Which inputs a ``Tool(name:value)`` rule may be about, where a colon may be part of the specifier.
_PARAMETERS = {
    "Bash": frozenset({"run_in_background", "dangerouslyDisableSandbox", "timeout"}),
    "Read": frozenset({"offset", "limit", "pages"}),
    "Edit": frozenset({"replace_all"}),
    "WebFetch": frozenset[str](),
    "WebSearch": frozenset[str](),
    "Skill": frozenset({"args"}),
    "Cd": frozenset[str](),
}

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
        hint, meant = _slip(rule.tool)
        if hint:
            problems.append(f"{behavior} rule {str(rule)[:80]!r}: {hint}")
        if meant and behavior != "allow":
            rule = Rule(meant, rule.content)  # what forbids is not lost by a slip
        rules.append(SourcedRule(rule, source, anchor))
    return ParsedRules(tuple(rules), tuple(problems))


def _slip(tool: str) -> tuple[str, str | None]:
    """What is odd about the name of a tool ("" for nothing), and which one was surely meant."""
    if tool in _KNOWN or set(tool) & {"_", "*"}:
        return "", None
    meant = _BY_FOLDED.get(tool.casefold())
    if meant:
        return f"the tool is called {meant}", meant
    from difflib import get_close_matches

    close = get_close_matches(tool.casefold(), _BY_FOLDED, n=1)
    guess = f"; did you mean {_BY_FOLDED[close[0]]}?" if close else ""
    return f"no tool has this name{guess}", None


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
    if found is None:
        return None
    name, value = found.group(1), found.group(2)
    known = _PARAMETERS.get(rule.tool)
    return None if known is not None and name not in known else (name, value)


def parameter_fits(rule: SourcedRule, call: ToolCall) -> bool:
    """True if *call* gives the rule's parameter a plain value that fits; one that is left out never
    does. Pure."""
    name, wanted = parameter_of(rule.rule) or ("", "")
    value = call.input.get(name)
    if value is None or isinstance(value, dict | list):
        return False
    given = str(value).lower() if isinstance(value, bool) else str(value)
    return globs.text_matches(wanted, given)


def _unused_because(rule: Rule, behavior: Behavior) -> str | None:
    """Why a rule would never be consulted, in words; None for a good one."""
    content, tool = rule.content, rule.tool
    if behavior == "allow" and "*" in tool and not _MCP_ALLOW.fullmatch(tool):
        return "an allow rule needs the name of one tool (or mcp__server__*)"
    if content is None:
        return None
    if tool in _PATH_RULE_UNUSED:
        return f"path rules of this tool are not consulted; write {_PATH_RULE_UNUSED[tool]}(…)"
    field = _PARAM.fullmatch(content)
    if field and field.group(1) in _PRIMARY_FIELDS:
        return f"{field.group(1)} cannot be matched as a parameter; write the value alone"
    if parameter_of(rule):
        return None if behavior != "allow" else "parameters can be matched in deny and ask only"
    if tool == "WebFetch" and not re.match(r"domain:\s*\S", content):
        return "hosts are matched; write WebFetch(domain:example.com)"
    if tool == "WebSearch":
        return "a search takes no specifier; write WebSearch"
    if tool.startswith("mcp__") or "*" in tool:
        return "a specifier is not supported here"
    return None
