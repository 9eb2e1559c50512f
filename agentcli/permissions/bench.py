"""One decision's working place: policy, remembered probe, and the matching of rules to paths."""

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from agentcli.permissions import globs
from agentcli.permissions.path_rules import PathRules
from agentcli.permissions.paths import MemoProbe, PathProbe, Spelled, normal, spell, spell_roots
from agentcli.permissions.policy import Decision, Policy, Target
from agentcli.permissions.rules import SourcedRule

Access = Literal["read", "edit"]

# Which rules speak about a path: a forbidden read forbids the edit, an allowed edit the read.
_DENY_NAMES = {"read": ("Read",), "edit": ("Edit", "Read")}
_ASK_NAMES = {"read": ("Read",), "edit": ("Edit",)}
_ALLOW_NAMES = {"read": ("Read", "Edit"), "edit": ("Edit",)}


@dataclass(slots=True)
class Bench:
    """What all kinds of calls are judged with. Pure but for the probe."""

    policy: Policy
    probe: PathProbe
    roots: tuple[str, ...]
    paths: PathRules
    spelled: dict[tuple[str, str], Spelled] = field(default_factory=dict[tuple[str, str], Spelled])

    def spell(self, text: str, *, literal: bool = False, base: str = "") -> Spelled:
        """All names of *text* from folder *base* (or where the shell stands); *literal*: ``~`` is
        a plain character."""
        if literal and text.startswith("~"):
            text = f"./{text}"
        key = (text, base or self.policy.cwd)
        if key not in self.spelled:
            self.spelled[key] = spell(*key, self.policy.home, self.probe)
        return self.spelled[key]

    def denying(self, access: Access, path: Spelled, tool: str) -> SourcedRule | None:
        """The deny rule that forbids this access by *tool*, else None."""
        names = _DENY_NAMES[access]
        if tool == "NotebookEdit":
            names = ("Edit",)
        return self._about(self.policy.deny, names, path, tool)

    def asking(self, access: Access, path: Spelled, tool: str) -> SourcedRule | None:
        """The ask rule about this access by *tool*, else None."""
        return self._about(self.policy.ask, _ASK_NAMES[access], path, tool)

    def allowing(self, access: Access, path: Spelled, tool: str) -> SourcedRule | None:
        """The last of the allow rules that cover this access by *tool*, else None.

        Every spelling of the path must be covered, be it by different rules: link and target.
        """
        left = list(path.names)
        for rule in self.policy.usable_allow():
            if rule.rule.content is None:
                if rule.rule.tool in (*_ALLOW_NAMES[access], tool):
                    return rule
            elif rule.rule.tool in _ALLOW_NAMES[access] and path.certain:
                left = [name for name in left if not self.paths.allows(rule, name)]
                if not left:
                    return rule
        return None

    def _about(
        self, rules: Iterable[SourcedRule], names: tuple[str, ...], path: Spelled, tool: str
    ) -> SourcedRule | None:
        for rule in rules:
            if rule.rule.content is None:
                if rule.rule.tool in names or tool_fits(rule.rule.tool, tool):
                    return rule
            elif rule.rule.tool in names and self.paths.denies(rule, path):
                return rule
        return None


def make_bench(policy: Policy, probe: PathProbe) -> Bench:
    """A bench whose probe answers are remembered. Pure but for *probe*."""
    memo = MemoProbe(probe)
    policy = replace(policy, roots=tuple(map(normal, policy.roots)), cwd=normal(policy.cwd))
    paths = PathRules(policy.roots, policy.home, memo)
    return Bench(policy, memo, spell_roots(policy.roots, memo), paths)


def tool_fits(pattern: str, tool: str) -> bool:
    """True if a deny or ask rule named *pattern* (globs allowed) is about *tool*. Pure."""
    if pattern == tool or ("*" in pattern and globs.text_matches(pattern, tool)):
        return True
    return pattern.startswith("mcp__") and tool.startswith(f"{pattern}__")


def denied(rule: SourcedRule, what: str) -> Decision:
    """A denial by *rule*; the reason is for the model. Pure."""
    return Decision("deny", f"{what} is denied by the rule {rule.rule}.", rule=str(rule.rule))


def asked(rule: SourcedRule) -> Decision:
    """A question that *rule* demands. Pure."""
    return Decision("ask", f"The rule {rule.rule} asks first", rule=str(rule.rule), firm=True)


def allowed(rule: SourcedRule, targets: tuple[Target, ...] = ()) -> Decision:
    """An approval by *rule*. Pure."""
    return Decision("allow", f"allowed by {rule.rule}", rule=str(rule.rule), targets=targets)


def target_of(path: Spelled) -> Target:
    """The place a tool must act on. Pure."""
    return Target(path.real, path.node.device, path.node.inode)


def parent(path: str) -> str:
    """The folder of *path*. Pure."""
    return posixpath.dirname(path) or "/"
