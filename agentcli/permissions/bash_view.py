"""What one shell call may run and open, seen as widely as deny and ask rules need it."""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from agentcli.permissions.bench import Bench
from agentcli.permissions.paths import normal
from agentcli.permissions.shell import edits, naive, wrappers
from agentcli.permissions.shell.commands import Command, Script
from agentcli.permissions.shell.script import read_script
from agentcli.permissions.shell.wildcards import expand_words
from agentcli.permissions.shell.words import Word

# No shell word that is read holds one.
_UNKNOWN = "\0"
_DUPLICATED = re.compile(r"\d+|-|")
_PLAIN = re.compile(r"[\w./:,@%+ -]+", re.ASCII)
_MAX_PLACES = 8
_MAX_SEEN = 12
_MAX_WILD = 50
_MAX_MOVES = 20
# What may change the folder of the shell itself.
_MOVERS = frozenset({"cd", "pushd", "popd", "eval", "source", ".", "trap"})
_IN_SHELL = frozenset({"command", "builtin", "time"})
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash"})
_FED = frozenset({"<<", "<<<"})


@dataclass(slots=True)
class View:
    """``seen``: every command that may run in the end; ``reads`` and ``writes``: every path that
    may be opened, as written; ``places``: every folder where a command may start, unless
    ``lost``: there are more."""

    script: Script
    seen: wrappers.Seen
    places: tuple[str, ...]
    reads: list[str] = field(default_factory=list[str])
    writes: list[str] = field(default_factory=list[str])
    lost: bool = False
    unclear_paths: bool = False
    unclear_starts: tuple[str, ...] = ()


def make_view(text: str, bench: Bench) -> View:
    """Read *text* for judging. Pure but for the probe."""
    script = read_script(text)
    if bench.policy.plain_shell and not script.trouble and not _PLAIN.fullmatch(text):
        script = Script(text, script.commands, script.redirects, "The shell here is not bash")
    commands = [tuple(word.text for word in command.words) for command in script.commands]
    loose = naive.segments(text) if script.trouble else []
    commands += [tuple(word.text for word in part.command()) for part in loose]
    fed = [text for command in script.commands for text in _fed_to_shell(command)]
    for text_fed in fed:
        parts = naive.segments(text_fed)
        commands += [tuple(word.text for word in part.command()) for part in parts]
    seen = wrappers.see_through([words for words in commands if words])
    seen.opaque = seen.opaque or bool(fed)
    view = View(script, seen, (bench.policy.cwd,))
    _add_redirects(view, loose)
    _add_places(view, bench)
    _add_operands(view, bench)
    _add_doubt(view)
    view.unclear_starts = _known_starts(script.commands)
    return view


def starting_places(view: View, bench: Bench) -> list[tuple[str, ...] | None]:
    """For each command, and for the end of the script, every folder where it may start; None
    where that is not known. Pure but for the probe."""
    commands = view.script.commands
    movers = [at for at, command in enumerate(commands) if _moves(command)]
    turning = any(commands[at].looped for at in movers)
    found: list[tuple[str, ...] | None] = []
    known: dict[tuple[int, ...], tuple[str, ...] | None] = {}
    for index in range(len(commands) + 1):
        command = commands[index] if index < len(commands) else None
        if command and command.looped and turning:
            found.append(None)  # the second round may start elsewhere than the first
            continue
        # Each ``cd`` before it: a positive number surely succeeded, a negative one may not have.
        after = command.after if command else frozenset[int]()
        trail = tuple(at + 1 if at in after else -at - 1 for at in movers if at < index)
        if trail not in known:
            known[trail] = _follow(trail, commands, bench)
        found.append(known[trail])
    return found


def _follow(
    trail: tuple[int, ...], commands: tuple[Command, ...], bench: Bench
) -> tuple[str, ...] | None:
    places: tuple[str, ...] = (bench.policy.cwd,)
    if len(trail) > _MAX_MOVES:
        return None
    for step in trail:
        target = _cd_target(commands[abs(step) - 1])
        moved = _moved(places, target, bench, stays=step < 0) if target else None
        if moved is None:
            return None
        places = moved
    return places


def _moves(command: Command) -> bool:
    words = wrappers.unwrap(tuple(word.text for word in command.words))
    return bool(words) and words[0] in _MOVERS


def _cd_target(command: Command) -> str | None:
    """Where a plain ``cd`` goes to; None for all else that may move the shell."""
    words = tuple(word.text for word in command.words)
    known = not any(word.dynamic or word.pattern is not None for word in command.words)
    inner = wrappers.unwrap(words)
    looped = command.looped
    # A wrapper that is a program starts another ``cd``, in a process of its own; ``cd --`` and
    # ``cd -P`` lead home, ``cd -`` to where the shell was before.
    in_shell = _IN_SHELL.issuperset(words[: len(words) - len(inner)])
    plain = known and in_shell and not looped and inner[0] == "cd" and len(inner) == 2
    # ``CDPATH=x cd y`` goes to x/y.
    plain = plain and all(name != "CDPATH" for name, _ in command.assignments)
    return inner[1] if plain and not inner[1].startswith("-") else None


def _moved(
    places: tuple[str, ...], text: str, bench: Bench, *, stays: bool
) -> tuple[str, ...] | None:
    """Where ``cd`` leads from each of *places*, and (*stays*) the place itself: the ``cd`` may
    fail, or stand in a subshell of its own."""
    found = dict.fromkeys(places if stays else ())
    for place in places:
        path = bench.spell(text, literal=True, base=place)
        # ``cd`` takes ``..`` from the name of the folder, everything else from the folder itself.
        found |= dict.fromkeys((path.names[0], path.real))
    return tuple(found) if len(found) <= _MAX_PLACES else None


def _add_redirects(view: View, loose: list[naive.Segment]) -> None:
    redirects = [*view.script.redirects]
    redirects += [redirect for command in view.script.commands for redirect in command.redirects]
    pairs = [(item.operator, item.target.text) for item in redirects if item.target]
    pairs += [(operator, word.text) for part in loose for operator, word in part.redirects]
    for operator, target in pairs:
        if operator in _FED:
            continue
        if "<" in operator:
            view.reads.append(target)
        if ">" in operator and not ("&" in operator and _DUPLICATED.fullmatch(target)):
            view.writes.append(target)


def _add_places(view: View, bench: Bench) -> None:
    """Where commands may start, too many rather than too few; for forbidding only."""
    places = dict.fromkeys(view.places)
    folders = [
        word
        for command in view.seen.commands
        if command[0] in ("cd", "pushd")
        for word in command[1:]
        if not word.startswith("-")
    ]
    for folder in folders[:_MAX_MOVES]:
        for place in tuple(places)[:_MAX_SEEN]:
            path = bench.spell(known_home(folder, bench), base=place)
            places |= dict.fromkeys((path.names[0], path.real))
    view.lost = len(folders) > _MAX_MOVES or len(places) > _MAX_SEEN
    view.places = tuple(normal(place) for place in places)


def _add_operands(view: View, bench: Bench) -> None:
    for command in view.seen.commands:
        touched = edits.touched(command)
        view.reads += touched.reads
        view.writes += touched.writes
    wild = [command for command in view.script.commands if any(map(_is_unknown, command.words))]
    view.unclear_paths = len(wild) > _MAX_WILD
    for command in wild[:_MAX_WILD]:
        name = command.words[0].text
        known = name in edits.READERS or name in edits.WRITERS
        words = _expanded(command, view, bench)
        if words is None or (known and any(word.dynamic for word in command.words)):
            view.unclear_paths = view.unclear_paths or known or words is None
        if words is not None:
            touched = edits.touched(words)
            view.reads += touched.reads
            view.writes += touched.writes


def _add_doubt(view: View) -> None:
    """Files of unknown names, and relative names in unknown folders."""
    commands = view.script.commands
    redirects = [*view.script.redirects]
    redirects += [redirect for command in commands for redirect in command.redirects]
    opened = [item.target for item in redirects if item.target and item.operator not in _FED]
    relative = any(not text.startswith("/") for text in (*view.reads, *view.writes))
    view.unclear_paths = (
        view.unclear_paths
        or any(map(_is_unknown, opened))
        or (relative and any(_moves(command) and _goes_unknown(command) for command in commands))
    )


def _goes_unknown(command: Command) -> bool:
    """May it leave the shell in a folder that its words do not name?"""
    if any(map(_is_unknown, command.words)) or command.assignments:
        return True
    inner = wrappers.unwrap(tuple(word.text for word in command.words))
    if inner[0] not in ("cd", "pushd", "trap"):
        return True
    operands = [word for word in inner if not word.startswith("-")]
    return len(operands) == 1 and inner[0] != "trap"


def _expanded(command: Command, view: View, bench: Bench) -> tuple[str, ...] | None:
    if not any(word.pattern is not None for word in command.words):
        return tuple(word.text for word in command.words)
    texts: list[str] = []
    for place in view.places[:_MAX_PLACES]:
        found = expand_words(command.words, place, bench.probe)
        if found is None:
            return None
        texts += found[1:] if texts else found
    return tuple(texts)


def _fed_to_shell(command: Command) -> list[str]:
    """Texts that a shell would read as its script."""
    if not any(item.operator in _FED for item in command.redirects):
        return []
    words = tuple(word.text for word in command.words)
    if not any(
        posixpath.basename(seen[0]) in _SHELLS for seen in wrappers.see_through([words]).commands
    ):
        return []
    return [item.target.text for item in command.redirects if item.operator in _FED and item.target]


def _known_starts(commands: Sequence[Command]) -> tuple[str, ...]:
    """What is known, up to the first word that is not, of each command that may run in the end."""
    masked = [
        tuple(_UNKNOWN if _is_unknown(word) else word.text for word in command.words)
        for command in commands
        if any(map(_is_unknown, command.words))
    ]
    found = wrappers.see_through(masked).commands
    heads = (takewhile(lambda word: _UNKNOWN not in word, words) for words in found)
    return tuple(
        "".join(f"{word} " for word in head)
        for head, words in zip(heads, found, strict=True)
        if any(_UNKNOWN in word for word in words)
    )


def _is_unknown(word: Word) -> bool:
    return word.dynamic or word.pattern is not None


def known_home(text: str, bench: Bench) -> str:
    """*text* with ``$HOME`` replaced. Pure."""
    return text.replace("${HOME}", bench.policy.home).replace("$HOME", bench.policy.home)
