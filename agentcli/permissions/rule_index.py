"""Thousands of rules, looked up by tool and by a command's first word instead of one by one."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from agentcli.permissions import globs
from agentcli.permissions.bench import tool_fits
from agentcli.permissions.rules import SourcedRule, parameter_of

_KEPT = 16
_FILLING = re.compile(r"[\s\"'\\]+")
_Pattern = tuple[str, str, SourcedRule]


@dataclass(slots=True)
class ToolRules:
    """The rules about one tool; those in ``bare`` are about all of its calls."""

    bare: list[SourcedRule] = field(default_factory=list[SourcedRule])
    parameters: list[SourcedRule] = field(default_factory=list[SourcedRule])
    _exact: dict[str, SourcedRule] = field(default_factory=dict[str, SourcedRule])
    _same: dict[str, list[SourcedRule]] = field(
        default_factory=lambda: defaultdict[str, list[SourcedRule]](list)
    )
    _by_word: dict[str, list[_Pattern]] = field(
        default_factory=lambda: defaultdict[str, list[_Pattern]](list)
    )
    _loose: list[_Pattern] = field(default_factory=list[_Pattern])

    def add(self, rule: SourcedRule) -> None:
        """Take in one rule about this tool."""
        content = rule.rule.content
        if content is None:
            self.bare.append(rule)
        elif parameter_of(rule.rule):
            self.parameters.append(rule)
        elif "*" in content:
            content = _spaced(content)
            head = content.partition("*")[0]
            word, blank, _ = head.partition(" ")
            pattern = (head.rstrip(" "), content, rule)
            (self._by_word[word] if blank else self._loose).append(pattern)
        else:
            self._exact.setdefault(content, rule)
            self._same[_FILLING.sub("", content)].append(rule)

    def spelled(self, text: str) -> Iterator[SourcedRule]:
        """The rules without a wildcard whose specifier is *text*, but for quotes and blanks: the
        caller compares the words. Pure."""
        yield from self._same.get(_FILLING.sub("", text), ())

    def fitting(self, text: str) -> Iterator[SourcedRule]:
        """The rules that *text* fits as it is; a trailing `` *`` ends at a word. Pure."""
        if text in self._exact:
            yield self._exact[text]
        for head, content, rule in self._candidates(text):
            if text.startswith(head) and content_fits(content, text):
                yield rule

    def may_fit(self, start: str) -> bool:
        """Could some text that begins with *start* fit a rule? Pure."""
        if any(content.startswith(start) for content in self._exact):
            return True
        heads = (head for head, _, _ in self._patterns())
        return any(head.startswith(start) or start.startswith(head) for head in heads)

    def _candidates(self, text: str) -> Iterator[_Pattern]:
        yield from self._by_word.get(text.partition(" ")[0], ())
        yield from self._loose

    def _patterns(self) -> Iterator[_Pattern]:
        for patterns in self._by_word.values():
            yield from patterns
        yield from self._loose


_remembered: dict[tuple[int, str], tuple[tuple[SourcedRule, ...], ToolRules]] = {}


def rules_about(rules: tuple[SourcedRule, ...], tool: str) -> ToolRules:
    """The rules of *rules* about *tool*, by their name or a wildcard in it.

    Remembered for the very tuple: a policy keeps its own as long as nothing changes.
    """
    key = (id(rules), tool)
    found = _remembered.get(key)
    if found is None or found[0] is not rules:
        about = ToolRules()
        for rule in rules:
            if tool_fits(rule.rule.tool, tool):
                about.add(rule)
        while len(_remembered) >= _KEPT:
            _remembered.pop(next(iter(list(_remembered))), None)
        # The tuple is kept too, so that its id is not given to another one.
        found = _remembered[key] = (rules, about)
    return found[1]


def _spaced(content: str) -> str:
    """``ls:*`` in its other form, ``ls *``."""
    return f"{content[:-2]} *" if content.endswith(":*") else content


def content_fits(content: str, text: str) -> bool:
    """True if a command *text* fits a rule's specifier; a trailing `` *`` ends at a word. Pure."""
    content = _spaced(content)
    if content.endswith(" *") and globs.text_matches(content[:-2], text):
        return True
    return globs.text_matches(content, text)
