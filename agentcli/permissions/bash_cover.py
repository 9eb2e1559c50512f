"""What approves each part of a shell call: a rule, the mode, or that it only reads."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from agentcli.permissions.bash_view import View, starting_places
from agentcli.permissions.bench import Bench
from agentcli.permissions.paths import all_inside
from agentcli.permissions.protected import protected_part
from agentcli.permissions.repository import only_session_repository
from agentcli.permissions.rule_index import ToolRules, rules_about
from agentcli.permissions.rules import SourcedRule
from agentcli.permissions.shell import edits, readonly, wrappers
from agentcli.permissions.shell.commands import Command, Redirect
from agentcli.permissions.shell.script import read_script
from agentcli.permissions.shell.wildcards import expand_words
from agentcli.permissions.shell.words import Word, canonical

# Variables that change how a program talks, not what it does; as documented for allow rules.
_SAFE_ENV = frozenset(
    {"LANG", "LANGUAGE", "TZ", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM"}
    | {"TERM", "COLUMNS", "LINES", "CI", "NODE_ENV", "RAILS_ENV", "RUST_BACKTRACE", "RUST_LOG"}
    | {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "GOOS", "GOARCH"}
    | {"CGO_ENABLED", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME"}
)
_SAFE_VALUE = re.compile(r"[\w.,:@+=%-]*", re.ASCII)
_FREE_FILES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})
# Arguments never make these do anything but print.
_ANY_ARGUMENTS = frozenset({"echo", "true", "false", ":"})
_ACTING_FLAGS = frozenset({"find", "sort", "sed", "git", "diff"})


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that needs approval: a command, or (``redirect``) a file it opens.

    ``covered`` says whether something approves it, ``why`` what, or why nothing does. ``words``
    are the decoded words without wrappers, up to the first that is not known. ``reads``: it may
    run because it only reads; ``lasting``: an allow rule could cover it next time.
    ``place`` is the folder that its paths start from.
    """

    text: str
    covered: bool
    why: str
    rule: SourcedRule | None = None
    words: tuple[str, ...] = ()
    command: Command | None = None
    redirect: Redirect | None = None
    reads: bool = False
    lasting: bool = True
    place: str = ""


def cover_all(view: View, bench: Bench) -> list[Part]:
    """Every part of an understood script with its verdict. Pure but for the probe."""
    found: list[Part] = []
    script = view.script
    *starts, everywhere = starting_places(view, bench)
    for command, places in zip(script.commands, starts, strict=True):
        if command.words or command.assignments:
            found.append(_cover_command(command, places, bench))
        found += [_cover_redirect(item, places, bench) for item in command.redirects]
    found += [_cover_redirect(item, everywhere, bench) for item in script.redirects]
    return found


def _cover_command(command: Command, places: tuple[str, ...] | None, bench: Bench) -> Part:
    text = command.text
    rule = _exact_rule(command, bench)
    if rule and _may_stand_there(command, places, bench):
        return Part(text, True, f"allowed by {rule.rule}", rule, command=command)
    loud = [name for name, value in command.assignments if not _is_safe(name, value)]
    if loud or not command.words:
        names = ", ".join(loud[:3]) or "a variable"
        return Part(text, False, f"Sets {names}, which may change what runs", command=command)
    first = command.words[0]
    if first.dynamic or first.pattern is not None:
        return Part(text, False, "What it runs is only known when it runs", lasting=False)
    if places is None:
        return Part(text, False, "It is not clear in which folder it runs", lasting=False)
    inner = _unwrapped(command.words)
    if not _may_stand_there(command, places, bench):
        return Part(text, False, "Runs git in another folder than the shell's", lasting=False)
    rule = _prefix_rule(command, inner, bench)
    if rule:
        return Part(text, True, f"allowed by {rule.rule}", rule, command=command)
    known = tuple(word.text for word in takewhile(_is_known, inner))
    by_itself = _cover_by_itself(command, inner, places, bench)
    if by_itself:
        reads = by_itself == "reads"
        why = "only reads, inside the working directories" if reads else "allowed by the mode"
        return Part(text, True, why, words=known, command=command, reads=reads)
    why = "Takes its operands from another command"
    if not _takes_operands_from_stdin(command, inner):
        why = _why_not(known, inner, bench)
    return Part(text, False, why, words=known, command=command, place=places[0])


def _why_not(known: tuple[str, ...], inner: tuple[Word, ...], bench: Bench) -> str:
    if len(known) == len(inner) and readonly.is_read_only(known, lambda _: True, lambda: False):
        return "Reads outside the working directories"
    return (
        "Plan mode: only what reads runs unasked"
        if bench.policy.mode == "plan"
        else "Runs a command"
    )


def _takes_operands_from_stdin(command: Command, inner: tuple[Word, ...]) -> bool:
    outer = command.words[: len(command.words) - len(inner)]
    return any(word.text == "xargs" for word in outer)


def _is_known(word: Word) -> bool:
    return not word.dynamic and word.pattern is None


def _may_stand_there(command: Command, places: tuple[str, ...] | None, bench: Bench) -> bool:
    """Git behind a ``cd`` obeys the configuration of whatever lies there, so it asks, as
    documented; a ``cd`` to where the shell stands is none."""
    if places is not None and all(place == bench.policy.cwd for place in places):
        return True
    texts = tuple(word.text for word in command.words)
    return not any(words[0] == "git" for words in wrappers.see_through([texts]).commands)


def _cover_by_itself(
    command: Command, inner: tuple[Word, ...], places: tuple[str, ...], bench: Bench
) -> str | None:
    """ "mode" or "reads" where *command* needs no rule."""
    name = inner[0].text
    if _takes_operands_from_stdin(command, inner):
        return None
    if name in _ANY_ARGUMENTS:
        return "reads"
    if any(word.dynamic for word in inner):
        return None
    wild = any(word.pattern is not None for word in inner)
    if wild and name in _ACTING_FLAGS:
        return None
    by_mode = bench.policy.mode == "acceptEdits" and not wild
    answer = "reads"
    for place in places:
        words = _expanded(inner, place, bench) if wild else tuple(word.text for word in inner)
        if words is None:
            return None
        if name == "[":
            words = ("test", *words[1:-1])
        if _is_read_only(words, place, bench):
            continue
        if not (by_mode and _is_accepted_edit(words, place, bench)):
            return None
        answer = "mode"
    return answer


def _expanded(inner: tuple[Word, ...], place: str, bench: Bench) -> tuple[str, ...] | None:
    """*inner* with its wildcards replaced; None too where a name would be taken for an option."""
    words = expand_words(inner, place, bench.probe)
    given = sum(word.text.startswith("-") for word in inner)
    if words is None or sum(word.startswith("-") for word in words) > given:
        return None
    return words


def _unwrapped(words: tuple[Word, ...]) -> tuple[Word, ...]:
    texts = tuple(word.text for word in words)
    return words[len(words) - len(wrappers.unwrap(texts)) :]


def _is_safe(name: str, value: Word) -> bool:
    known = not value.dynamic and value.pattern is None
    return name in _SAFE_ENV and known and _SAFE_VALUE.fullmatch(value.text) is not None


def _usable(bench: Bench) -> ToolRules:
    """While a plan is made no rule lets a command run: nothing is changed before it is accepted."""
    return rules_about(() if bench.policy.mode == "plan" else bench.policy.allow, "Bash")


def _exact_rule(command: Command, bench: Bench) -> SourcedRule | None:
    """An allow rule that is the very text of *command*, wrappers and variables included."""
    for rule in _usable(bench).spelled(command.text):
        content = rule.rule.content or ""
        if bench.policy.may_use(rule) and (
            content == command.text
            or _exact(content) == (_assigned(command), canonical(command.words))
        ):
            return rule
    return None


@lru_cache(maxsize=2048)
def _exact(content: str) -> tuple[tuple[tuple[str, str], ...], str] | None:
    script = read_script(content)
    if script.trouble or len(script.commands) != 1 or script.redirects:
        return None
    (command,) = script.commands
    return None if command.redirects else (_assigned(command), canonical(command.words))


def _assigned(command: Command) -> tuple[tuple[str, str], ...]:
    return tuple((name, value.raw) for name, value in command.assignments)


def _prefix_rule(command: Command, inner: tuple[Word, ...], bench: Bench) -> SourcedRule | None:
    about, may_use = _usable(bench), bench.policy.may_use
    bare = next(filter(may_use, about.bare), None)
    if bare:
        return bare
    text = canonical(inner)
    for rule in about.spelled(text):
        if may_use(rule) and _exact(rule.rule.content or "") == ((), text):
            return rule
    if not wrappers.runs_by_prefix(tuple(word.text for word in inner)):
        return None
    # Words with blanks stay in quotes, so that one word never counts as two.
    for form in dict.fromkeys((text, canonical(command.words))):
        for rule in about.fitting(form):
            if may_use(rule):
                return rule
    return None


def _is_accepted_edit(words: tuple[str, ...], place: str, bench: Bench) -> bool:
    touched = edits.accepted_edit(words)
    if touched is None:
        return False
    reads = [bench.spell(text, literal=True, base=place) for text in touched.reads]
    writes = [bench.spell(text, literal=True, base=place) for text in touched.writes]
    return all(all_inside(path, bench.roots) for path in (*reads, *writes)) and not any(
        path.node.shared or protected_part(path, bench.policy.protected) for path in writes
    )


def _is_read_only(words: tuple[str, ...], place: str, bench: Bench) -> bool:
    def inside(operand: str) -> bool:
        path = bench.spell(operand, literal=True, base=place)
        return all_inside(path, bench.roots) or bench.allowing("read", path, "Read") is not None

    def git_allowed() -> bool:
        return bench.policy.trusted and only_session_repository(
            place, bench.policy.roots[0], bench.probe
        )

    if not all_inside(bench.spell(place), bench.roots):
        return False
    hidden = any(rule.rule.content and rule.rule.tool == "Read" for rule in bench.policy.deny)
    if hidden and (readonly.shows_unnamed(words) or compares_folders(words, place, bench)):
        return False
    return readonly.is_read_only(words, inside, git_allowed)


def compares_folders(words: tuple[str, ...], place: str, bench: Bench) -> bool:
    """True for a ``diff`` of folders, which follows the links in them. Pure but for the probe."""
    if words[0] != "diff":
        return False
    operands = [bench.spell(word, literal=True, base=place) for word in words[1:]]
    return any(operand.node.kind == "dir" for operand in operands)


def _cover_redirect(redirect: Redirect, places: tuple[str, ...] | None, bench: Bench) -> Part:
    target = redirect.target
    text = redirect.raw
    if target is None or redirect.operator in ("<<", "<<<") or target.text in _FREE_FILES:
        return Part(text, True, "opens no file", redirect=redirect)
    writes = ">" in redirect.operator
    if target.dynamic or target.pattern is not None:
        return Part(text, False, "The file is only known when it runs", lasting=False)
    relative = not target.text.startswith("/")
    if places is None or (writes and relative and len(places) > 1):
        return Part(text, False, "It is not clear in which folder the file is", lasting=False)
    access = "edit" if writes else "read"
    why, rule = "", None
    for place in places:
        path = bench.spell(target.text, literal=True, base=place)
        rule = None if writes and bench.policy.mode == "plan" else bench.allowing(access, path, "")
        inside = all_inside(path, bench.roots)
        by_mode = not writes or (bench.policy.mode == "acceptEdits" and not path.node.shared)
        if rule and path.certain:
            why = f"allowed by {rule.rule}"
        elif inside and by_mode:
            why = "allowed by the mode" if writes else "reads inside the working directories"
        else:
            verb = "Writes" if writes else "Reads"
            why = f"{verb} a file: {target.text}"
            return Part(text, False, why, redirect=redirect, place=place)
    return Part(text, True, why, rule, redirect=redirect, reads=not writes)
