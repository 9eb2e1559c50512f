"""Decisions about shell commands. Only one plain command can be allowed; the rest asks."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from agentcli.permissions import globs, suggest
from agentcli.permissions.bench import Bench, allowed, asked, denied, tool_fits
from agentcli.permissions.paths import all_inside
from agentcli.permissions.policy import Decision
from agentcli.permissions.protected import protected_part
from agentcli.permissions.repository import only_session_repository
from agentcli.permissions.rules import SourcedRule, parameter_of
from agentcli.permissions.shell import edits, naive, readonly, removal, simple, wrappers
from agentcli.protocol.calls import ToolCall

# The kernel takes no longer argument than 128 KiB, so nothing that could run is lost.
_MAX_TEXT = 100_000
_DUPLICATED = re.compile(r"\d+|-|")
_CONTENT_TOOLS = frozenset({"Bash", "Read", "Edit"})


@dataclass(slots=True)
class _Reading:
    """A command text in all views: ``words`` (None: not simple), what it may run, what it opens."""

    text: str
    words: tuple[str, ...] | None
    seen: wrappers.Seen
    reads: list[str] = field(default_factory=list[str])
    writes: list[str] = field(default_factory=list[str])
    folders: list[str] = field(default_factory=list[str])


def decide_bash(call: ToolCall, bench: Bench) -> Decision:
    """Judge one shell call. Pure but for the probe."""
    text = call.input.get("command")
    if not isinstance(text, str) or not text.strip():
        return Decision("deny", "Bash: the input needs a non-empty string 'command'.")
    if len(text) > _MAX_TEXT:
        return Decision("deny", "Bash: the command is too long.")
    reading = _read(text)
    policy = bench.policy
    rule = _matching(policy.deny, call, reading) or _path_rule(bench, reading, forbid=True)
    if rule:
        return denied(rule, "This command")
    rule = _matching(policy.ask, call, reading) or _path_rule(bench, reading, forbid=False)
    if rule:
        return asked(rule)
    return _must_ask(reading, bench) or _by_mode_and_allow(reading, bench)


def _must_ask(reading: _Reading, bench: Bench) -> Decision | None:
    """Questions that neither a mode nor an allow rule lifts."""
    policy = bench.policy
    commands = list(reading.seen.commands)
    if reading.words is None:
        commands += removal.blind_commands(reading.text)
    bases = tuple(dict.fromkeys((policy.cwd, *_folders(reading, bench))))
    places = removal.Places(bases, (*bench.roots, policy.cwd), policy.home)
    critical = removal.critical_removal(commands, places, bench.probe)
    if critical:
        return Decision("ask", f"Removes a critical path: {critical}")
    forbidden = {rule.rule.tool for rule in policy.deny if rule.rule.content is not None}
    unclear = forbidden & _CONTENT_TOOLS if reading.words is None else set[str]()
    if unclear or (reading.seen.opaque and "Bash" in forbidden):
        return Decision("ask", "Cannot be fully checked against the deny rules")
    if policy.mode == "bypassPermissions":
        return None
    for write in reading.writes:
        part = protected_part(bench.spell(write), policy.protected)
        if part:
            return Decision("ask", f"Protected: {part} (a change there can run code)")
    return None


def _by_mode_and_allow(reading: _Reading, bench: Bench) -> Decision:
    policy = bench.policy
    if policy.mode == "bypassPermissions":
        return Decision("allow", "allowed by the mode")
    words = reading.words
    if words is None:
        return Decision("ask", "Not one plain command")
    words = wrappers.unwrap(words)
    for rule in policy.usable_allow():
        if rule.rule.tool == "Bash" and _allows(rule.rule.content, reading, words):
            return allowed(rule)
    if policy.mode == "acceptEdits" and _is_accepted_edit(words, bench):
        return Decision("allow", "allowed by the mode")
    if _is_read_only(words, bench):
        walks = _diffs_folders(words, bench)
        guarded = readonly.guarded_text(reading.words or words, reading.text, walks)
        return Decision("allow", "only reads, inside the working directories", guarded=guarded)
    return Decision(
        "ask",
        "Runs a command",
        parts=(reading.text.strip(),),
        # What an untrusted folder's settings allow is not used, so it would be saved in vain.
        suggestions=suggest.bash_suggestions(
            words, reading.text, "localSettings" if policy.trusted else "session"
        ),
    )


def _read(text: str) -> _Reading:
    words = simple.split_simple(text)
    if words is not None:
        reading = _Reading(text, words, wrappers.see_through([words]))
    else:
        found = naive.segments(text)
        commands = [tuple(word.text for word in part.command()) for part in found]
        reading = _Reading(text, None, wrappers.see_through(commands))
        for operator, target in (pair for part in found for pair in part.redirects):
            if "<" in operator:
                reading.reads.append(target.text)
            if ">" in operator and not ("&" in operator and _DUPLICATED.fullmatch(target.text)):
                reading.writes.append(target.text)
    for command in reading.seen.commands:
        touched = edits.touched(command)
        reading.reads += touched.reads
        reading.writes += touched.writes
        if command[0] in ("cd", "pushd"):
            reading.folders += command[1:]
    return reading


def _matching(
    rules: Iterable[SourcedRule], call: ToolCall, reading: _Reading
) -> SourcedRule | None:
    """The first deny or ask rule about the command or a part of it, or about a parameter."""
    texts = {reading.text.strip()} | {" ".join(words) for words in reading.seen.commands}
    for rule in rules:
        content = rule.rule.content
        if not tool_fits(rule.rule.tool, "Bash"):
            continue
        parameter = parameter_of(rule.rule)
        if content is None:
            return rule
        if parameter:
            if _parameter_fits(parameter, call):
                return rule
        elif any(content_fits(content, text) for text in texts):
            return rule
    return None


def content_fits(content: str, text: str) -> bool:
    """True if a command *text* fits a rule's specifier; a trailing `` *`` ends at a word. Pure."""
    if content.endswith(":*"):
        content = f"{content[:-2]} *"
    if content.endswith(" *") and globs.text_matches(content[:-2], text):
        return True
    return globs.text_matches(content, text)


def _allows(content: str | None, reading: _Reading, words: tuple[str, ...]) -> bool:
    if content is None or content in (reading.text.strip(), simple.quote(words)):
        return True
    if "*" not in content:
        exact = simple.split_simple(content)
        return exact is not None and exact in (words, reading.words)
    whole = reading.words or words
    if not wrappers.runs_by_prefix(words):
        return False
    # Words with blanks stay in quotes, so that one word never counts as two.
    return any(content_fits(content, simple.quote(form)) for form in {words, whole})


def _parameter_fits(parameter: tuple[str, str], call: ToolCall) -> bool:
    name, wanted = parameter
    value = call.input.get(name)
    if value is None or isinstance(value, dict | list):
        return False
    given = str(value).lower() if isinstance(value, bool) else str(value)
    return globs.text_matches(wanted, given)


def _path_rule(bench: Bench, reading: _Reading, *, forbid: bool) -> SourcedRule | None:
    """A path rule about a file that a recognised command or a redirect opens."""
    lookup = bench.denying if forbid else bench.asking
    for text in dict.fromkeys(reading.reads):
        rule = lookup("read", bench.spell(_known_home(text, bench)), "")
        if rule:
            return rule
    for text in dict.fromkeys(reading.writes):
        rule = lookup("edit", bench.spell(_known_home(text, bench)), "")
        if rule:
            return rule
    return None


def _known_home(text: str, bench: Bench) -> str:
    return text.replace("${HOME}", bench.policy.home).replace("$HOME", bench.policy.home)


def _folders(reading: _Reading, bench: Bench) -> list[str]:
    return [bench.spell(_known_home(text, bench)).real for text in reading.folders[:20]]


def _is_accepted_edit(words: tuple[str, ...], bench: Bench) -> bool:
    touched = edits.accepted_edit(words)
    if touched is None:
        return False
    reads = [bench.spell(text, literal=True) for text in touched.reads]
    writes = [bench.spell(text, literal=True) for text in touched.writes]
    return all(all_inside(path, bench.roots) for path in (*reads, *writes)) and not any(
        path.node.shared or protected_part(path, bench.policy.protected) for path in writes
    )


def _is_read_only(words: tuple[str, ...], bench: Bench) -> bool:
    def inside(operand: str) -> bool:
        return all_inside(bench.spell(operand, literal=True), bench.roots)

    def git_allowed() -> bool:
        return bench.policy.trusted and only_session_repository(
            bench.policy.cwd, bench.policy.roots[0], bench.probe
        )

    if not all_inside(bench.spell("."), bench.roots):
        return False
    hidden = any(rule.rule.content and rule.rule.tool == "Read" for rule in bench.policy.deny)
    if hidden and (readonly.shows_unnamed(words) or _diffs_folders(words, bench)):
        return False
    return readonly.is_read_only(words, inside, git_allowed)


def _diffs_folders(words: tuple[str, ...], bench: Bench) -> bool:
    operands = [bench.spell(word, literal=True) for word in words[1:]]
    return words[0] == "diff" and any(operand.node.kind == "dir" for operand in operands)
