"""Decisions about shell commands: forbids, then questions, then what covers each part."""

from collections.abc import Iterator

from agentcli.permissions import suggest
from agentcli.permissions.bash_cover import Part, cover_all
from agentcli.permissions.bash_guard import guard
from agentcli.permissions.bash_view import View, known_home, make_view
from agentcli.permissions.bench import Access, Bench, allowed, asked, denied
from agentcli.permissions.paths import Spelled
from agentcli.permissions.policy import Decision
from agentcli.permissions.protected import protected_part
from agentcli.permissions.rule_index import rules_about
from agentcli.permissions.rules import SourcedRule
from agentcli.permissions.shell import removal
from agentcli.protocol.calls import ToolCall

# The kernel takes no longer argument than 128 KiB, so nothing that could run is lost.
_MAX_TEXT = 100_000
_MAX_REASONS = 3
_CONTENT_TOOLS = frozenset({"Bash", "Read", "Edit"})


def decide_bash(call: ToolCall, bench: Bench) -> Decision:
    """Judge one shell call. Pure but for the probe."""
    text = call.input.get("command")
    if not isinstance(text, str) or not text.strip():
        return Decision("deny", "Bash: the input needs a non-empty string 'command'.")
    if len(text) > _MAX_TEXT:
        return Decision("deny", f"Bash: the command is longer than {_MAX_TEXT} characters.")
    view = make_view(text, bench)
    rule = _matching(bench.policy.deny, call, view) or _path_rule(bench, view, forbid=True)
    if rule:
        return denied(rule, "This command")
    rule = _matching(bench.policy.ask, call, view) or _path_rule(bench, view, forbid=False)
    if rule:
        return asked(rule)
    question = _must_ask(text, view, bench)
    if question:
        return Decision("ask", question, parts=(text.strip(),), firm=True)
    if bench.policy.mode == "bypassPermissions":
        return Decision("allow", "allowed by the mode")
    if view.script.trouble:
        return Decision("ask", view.script.trouble, parts=(text.strip(),), firm=True)
    return _by_parts(view, bench)


def judge_parts(text: str, bench: Bench) -> list[Part]:
    """The parts of a shell text and what covers each; none where it was not understood. Pure but
    for the probe."""
    view = make_view(text, bench)
    return [] if view.script.trouble else cover_all(view, bench)


def _by_parts(view: View, bench: Bench) -> Decision:
    parts = cover_all(view, bench)
    open_parts = [part for part in parts if not part.covered]
    if open_parts:
        scope = "localSettings" if bench.policy.trusted else "session"
        return Decision(
            "ask",
            "; ".join(list(dict.fromkeys(part.why for part in open_parts))[:_MAX_REASONS]),
            parts=tuple(dict.fromkeys(part.text for part in open_parts)),
            # What an untrusted folder's settings allow is not used, nor is any rule while a plan
            # is made: it would be saved in vain.
            suggestions=()
            if bench.policy.mode == "plan"
            else suggest.bash_suggestions(open_parts, bench, scope),
        )
    instead, guarded = guard(view, parts, bench)
    rule = next((part.rule for part in parts if part.rule), None)
    if rule:
        decision = allowed(rule)
        return Decision("allow", decision.reason, decision.rule, instead=instead, guarded=guarded)
    why = "; ".join(dict.fromkeys(part.why for part in parts if part.command)) or "opens no program"
    return Decision("allow", why, instead=instead, guarded=guarded)


def _must_ask(text: str, view: View, bench: Bench) -> str | None:
    """Questions that neither a mode nor an allow rule nor a hook lifts."""
    policy = bench.policy
    commands = list(view.seen.commands)
    if view.script.trouble or view.seen.opaque:
        commands += removal.blind_commands(text)
    places = removal.Places(view.places, (*bench.roots, policy.cwd), policy.home)
    critical = removal.critical_removal(commands, places, bench.probe)
    if critical:
        return f"Removes a critical path: {critical}"
    if _is_unclear(view, bench):
        return "Cannot be fully checked against the deny rules"
    if policy.mode == "bypassPermissions":
        return None
    if view.lost and view.writes:
        return "Changes folders too often to be followed"
    for path in _spelled(view.writes, view, bench):
        part = protected_part(path, policy.protected)
        if part:
            return f"Protected: {part} (a change there can run code)"
    return None


def _is_unclear(view: View, bench: Bench) -> bool:
    """Could a deny rule be about something in the text that cannot be seen?"""
    tools = {rule.rule.tool for rule in bench.policy.deny if rule.rule.content is not None}
    if view.script.trouble:
        return bool(tools & _CONTENT_TOOLS)
    if view.seen.opaque and "Bash" in tools:
        return True
    if (view.unclear_paths or view.lost) and tools & {"Read", "Edit"}:
        return True
    about = rules_about(bench.policy.deny, "Bash")
    return any(map(about.may_fit, view.unclear_starts))


def _matching(rules: tuple[SourcedRule, ...], call: ToolCall, view: View) -> SourcedRule | None:
    """The first deny or ask rule about the command or a part of it."""
    about = rules_about(rules, "Bash")
    if about.bare:
        return about.bare[0]
    texts = {view.script.text.strip(), str(call.input["command"]).strip()}
    texts |= {" ".join(words) for words in view.seen.commands}
    return next((rule for text in texts for rule in about.fitting(text)), None)


def _path_rule(bench: Bench, view: View, *, forbid: bool) -> SourcedRule | None:
    """A path rule about a file that a recognised command or a redirect opens."""
    rules = bench.policy.deny if forbid else bench.policy.ask
    if not any(rule.rule.tool in _CONTENT_TOOLS for rule in rules):
        return None
    lookup = bench.denying if forbid else bench.asking
    opened: tuple[tuple[Access, list[str]], ...] = (("read", view.reads), ("edit", view.writes))
    for access, texts in opened:
        for path in _spelled(texts, view, bench):
            rule = lookup(access, path, "")
            if rule:
                return rule
    return None


def _spelled(texts: list[str], view: View, bench: Bench) -> Iterator[Spelled]:
    """Every path that one of *texts* may name, each once."""
    seen: set[tuple[str, ...]] = set()
    for text in dict.fromkeys(texts):
        for place in view.places if not text.startswith("/") else view.places[:1]:
            path = bench.spell(known_home(text, bench), base=place)
            if path.names not in seen:
                seen.add(path.names)
                yield path
