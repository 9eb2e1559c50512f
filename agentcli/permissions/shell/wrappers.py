"""Programs that run another command: seen through narrowly to allow, widely to forbid."""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from agentcli.permissions.shell import naive

Words = tuple[str, ...]

_REMOVERS = frozenset({"rm", "rmdir", "find", "unlink", "shred"})
_DURATION = re.compile(r"\d+(\.\d+)?[smhd]?")
_BUFFER_FLAG = re.compile(r"-[ioe](L|0|\d+[KM]?)")
_MAX_DEPTH = 5
_MAX_FOUND = 64

# A rule with a wildcard never approves these: what they run is not what the rule's text says.
NEVER_BY_PREFIX = frozenset({"watch", "setsid", "ionice", "flock"})
_GIT_PROGRAMS = ("--upload-pack", "--receive-pack", "--exec", "--extcmd")
_FIND_ACTS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FIND_WRITES = frozenset({"-delete", "-fprint", "-fprint0", "-fprintf", "-fls"})

_SEEN_THROUGH = frozenset(
    {"timeout", "time", "nice", "nohup", "stdbuf", "command", "builtin", "noglob", "exec", "env"}
    | {"sudo", "doas", "su", "watch", "setsid", "ionice", "chroot", "nsenter", "unshare", "flock"}
    | {"xargs", "parallel", "busybox", "strace", "ltrace", "script", "taskset", "chrt", "runuser"}
    | {"entr", "firejail", "bwrap", "systemd-run", "proot", "fakeroot", "dbus-run-session"}
)
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "rbash"})
_CODE_RUNNERS = _SHELLS | frozenset(
    {"python", "python2", "python3", "pypy", "pypy3", "node", "nodejs", "deno", "bun", "perl"}
    | {"ruby", "php", "lua", "osascript", "awk", "gawk", "mawk", "nawk", "tclsh", "expect", "vim"}
    | {"ssh", "eval", "source", ".", "trap", "xargs", "parallel", "busybox", "find", "script"}
)
_ALWAYS_OPAQUE = frozenset(
    {"eval", "xargs", "parallel", "busybox", "ssh", "trap", "awk", "gawk", "mawk", "nawk"}
)
_CODE_OPTIONS = ("-c", "-e", "-E", "-p", "-r", "-l", "--eval", "--print", "--command")


@dataclass(slots=True)
class Seen:
    """``commands``: every reading of what may run. ``opaque``: there may be more than that."""

    commands: list[Words] = field(default_factory=list[Words])
    opaque: bool = False


def unwrap(words: Words) -> Words:
    """*words* without the few wrappers that change nothing but time and output. Pure."""
    while len(words) > 1:
        inner = _unwrap_once(words)
        if inner is None:
            return words
        words = inner
    return words


def runs_by_prefix(words: Words) -> bool:
    """False for commands that only an exact rule may approve. Pure."""
    name = posixpath.basename(words[0])
    acts = _FIND_ACTS | _FIND_WRITES
    if name == "git" and any(map(_names_program, words[2:])):
        return False
    return name not in NEVER_BY_PREFIX and not (name == "find" and acts & set(words))


def _names_program(word: str) -> bool:
    """An option of git's, cut short perhaps, whose value is a program that it starts."""
    head = word.partition("=")[0]
    return len(head) > 2 and any(option.startswith(head) for option in _GIT_PROGRAMS)


def is_code_runner(words: Words) -> bool:
    """True for interpreters and wrappers: no prefix of theirs says what will run. Pure."""
    name = posixpath.basename(words[0])
    plain = re.sub(r"[\d.]+$", "", name)
    return bool({name, plain} & (_CODE_RUNNERS | _SEEN_THROUGH | NEVER_BY_PREFIX))


def see_through(commands: Sequence[Words]) -> Seen:
    """Every command that any of *commands* may run in the end, for deny and ask rules. Pure."""
    found: dict[Words, None] = {}
    opaque = False
    for words in dict.fromkeys(commands):
        # The cap is for one command's wrappers; it must not make later commands unseen.
        seen = Seen()
        _look(words, seen, 0)
        found |= dict.fromkeys(seen.commands)
        opaque = opaque or seen.opaque
    return Seen(list(found), opaque)


def _look(words: Words, seen: Seen, depth: int) -> None:
    if not words:
        return
    if depth > _MAX_DEPTH or len(seen.commands) >= _MAX_FOUND:
        seen.opaque = True
        return
    seen.commands.append(words)
    name = posixpath.basename(words[0])
    if name != words[0]:
        seen.commands.append((name, *words[1:]))
    if _hides_code(name, words):
        seen.opaque = True
    for text in _inline_shell(name, words):
        for segment in naive.segments(text):
            _look(tuple(word.text for word in segment.command()), seen, depth + 1)
    for inner in _inner_commands(name, words):
        _look(inner, seen, depth + 1)


def _hides_code(name: str, words: Words) -> bool:
    """Code in an argument, or options of a wrapper that may stand before what it runs."""
    if name in _SEEN_THROUGH or name in _ALWAYS_OPAQUE:
        return name in _ALWAYS_OPAQUE or (words[1:2] != () and words[1].startswith("-"))
    if name == "find":
        return not _FIND_ACTS.isdisjoint(words)
    if name in _SHELLS and all(word.startswith("-") for word in words[1:]):
        return True  # its script comes by a pipe or from a file that a redirect names
    inline = any(word.startswith(_CODE_OPTIONS) for word in words[1:])
    return is_code_runner((name,)) and (inline or "eval" in words[1:])


def _inner_commands(name: str, words: Words) -> list[Words]:
    if name == "find":
        return [words[at + 1 :] for at, word in enumerate(words) if word in _FIND_ACTS]
    if name not in _SEEN_THROUGH:
        return []
    # Which option takes a value differs by program, so the first few operands are all tried.
    starts = [
        at
        for at, word in enumerate(words)
        if at > 0 and not word.startswith("-") and not re.match(r"[A-Za-z_]\w*=", word)
    ]
    return [words[at:] for at in starts[:3]]


def _inline_shell(name: str, words: Words) -> list[str]:
    if name == "eval":
        return [" ".join(words[1:])]
    if name in _SHELLS or name == "su":
        # ``-c`` may be bundled (``-lc``); whatever follows is tried as a command text.
        for at, word in enumerate(words[1:], 1):
            if word.startswith("-") and not word.startswith("--") and "c" in word:
                return list(words[at + 1 : at + 3])
    if name in ("trap", "watch", "env", "ssh", "script", "parallel", "xargs"):
        return [word for word in words[1:] if " " in word][:3]
    return []


def _unwrap_once(words: Words) -> Words | None:
    name, first = words[0], words[1]
    match name:
        case "timeout" if _DURATION.fullmatch(first):
            return words[2:] or None
        case "nice" if first == "-n" and len(words) > 3 and words[2].lstrip("-").isdigit():
            return words[3:]
        case "stdbuf":
            start = 1
            while start < len(words) and _BUFFER_FLAG.fullmatch(words[start]):
                start += 1
            return words[start:] if 1 < start < len(words) else None
        case "xargs":
            # Bare only, as documented. What it runs gets more operands than stand here.
            return None if first.startswith("-") or first in _REMOVERS else words[1:]
        case "time" | "nice" | "nohup" | "command" | "builtin" | "noglob":
            return None if first.startswith("-") else words[1:]
        case _:
            return None
