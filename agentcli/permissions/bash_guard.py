"""How a command that runs unasked because it only reads must be run: without foreign helpers."""

from agentcli.base.git_guard import GIT_GUARDS
from agentcli.permissions.bash_cover import Part, compares_folders
from agentcli.permissions.bash_view import View
from agentcli.permissions.bench import Bench
from agentcli.permissions.shell.commands import Command
from agentcli.permissions.shell.git import without_helpers
from agentcli.permissions.shell.words import quote


def guard(view: View, parts: list[Part], bench: Bench) -> tuple[str | None, bool]:
    """What to run in place of the text (None: the text itself), and whether all of it runs in the
    guarded environment.

    Where a rule approves one part, that part needs the person's own environment; then only the
    git commands that nobody approved are guarded, each by assignments of its own. Pure but for
    the probe.
    """
    commands = [part for part in parts if part.command is not None]
    guarded = all(part.reads for part in commands)
    inserts: list[tuple[int, str]] = []
    for part in commands:
        if part.reads and part.words and part.command:
            inserts += _inserts(part.command, part.words, view, bench, alone=not guarded)
    data = view.script.text.encode()
    for at, text in sorted(inserts, reverse=True):
        data = data[:at] + text.encode() + data[at:]
    changed = data.decode()
    return (changed if inserts or guarded else None), guarded


def _inserts(
    command: Command, words: tuple[str, ...], view: View, bench: Bench, *, alone: bool
) -> list[tuple[int, str]]:
    outer = command.words
    inner = outer[len(outer) - len(words) :]
    if words[0] == "git":
        safe = without_helpers(words[1:])
        found = _added(words[1:], safe, [word.end for word in inner[1:]])
        if alone:
            guards = " ".join(f"{name}={quote((value,))}" for name, value in GIT_GUARDS.items())
            # In front of ``time`` they would make a program of the keyword, which it is already
            # behind an assignment.
            keywords = () if command.assignments else ("time", "-p")
            first = next(word for word in outer if word.text not in keywords)
            found.append((first.start, f"{guards} "))
        return found
    if any(compares_folders(words, place, bench) for place in view.places):
        return [(inner[0].end, " --no-dereference")]
    return []


def _added(
    before: tuple[str, ...], after: tuple[str, ...], ends: list[int]
) -> list[tuple[int, str]]:
    """Where the words that *after* has more than *before* go in the text. Pure."""
    found: list[tuple[int, str]] = []
    at = 0
    for word in after:
        if at < len(before) and word == before[at]:
            at += 1
        else:
            found.append((ends[at - 1], f" {word}"))
    return found
