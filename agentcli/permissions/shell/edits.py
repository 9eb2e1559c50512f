"""The few file commands that ``acceptEdits`` runs unasked, and which paths a command writes."""

import re
from dataclasses import dataclass

from agentcli.permissions.shell.flags import Flags, flags, parse

_COMMANDS: dict[str, Flags] = {
    "mkdir": flags("pv", long="parents verbose"),
    "touch": flags("acm", long="no-create"),
    "rm": flags("rRfvd", long="recursive force verbose dir"),
    "rmdir": flags("pv", long="parents verbose"),
    "mv": flags("fnvT", long="force no-clobber verbose"),
    "cp": flags("rRfnvpaT", long="recursive force no-clobber verbose archive"),
}
_SED_FLAGS = frozenset({"-E", "-r"})
_SED_SUFFIX = re.compile(r"-i(\.[\w-]+)?")
_SED_REPLACE = re.compile(r"s([/|#,:@%])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gIp0-9]*")

WRITERS = frozenset(
    {"mkdir", "touch", "rm", "rmdir", "mv", "cp", "sed", "tee", "ln", "link", "install", "dd"}
    | {"truncate", "shred", "chmod", "chown", "chgrp", "rsync", "unlink", "mktemp", "patch"}
)
READERS = frozenset(
    {"cat", "tac", "head", "tail", "less", "more", "grep", "rg", "sed", "awk", "nl", "wc", "sort"}
    | {"uniq", "cut", "diff", "cmp", "comm", "paste", "stat", "file", "od", "xxd", "hexdump"}
    | {"strings", "base64", "base32", "md5sum", "sha1sum", "sha256sum", "cp", "mv", "rev", "fold"}
    | {"tee", "dd", "join", "jq", "bat", "source", ".", "rsync", "ln", "install", "tar", "zip"}
    | {"egrep", "fgrep", "expand", "sha224sum", "sha384sum", "sha512sum", "b2sum"}
    | {"gzip", "bzip2", "xz", "zcat", "view", "vi", "vim", "nano", "emacs", "scp", "column"}
)
_SCRIPT_FIRST = frozenset({"grep", "rg", "sed", "awk", "jq"})
_SCRIPT_OPTIONS = ("-e", "-f", "--expression", "--file", "--regexp")
_GIT_READERS = frozenset({"blame", "cat-file", "diff", "log", "show"})
_MODE_FIRST = frozenset({"chmod", "chown", "chgrp"})


@dataclass(frozen=True, slots=True)
class Touched:
    """Paths as written in the command: those it reads and those it writes."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()


def accepted_edit(words: tuple[str, ...]) -> Touched | None:
    """What *words* touches if it is a plain file command that acceptEdits covers. Pure."""
    if words[0] == "sed":
        return _sed_in_place(words[1:])
    allowed = _COMMANDS.get(words[0])
    parsed = parse(words[1:], allowed) if allowed else None
    if parsed is None or not parsed.operands:
        return None
    operands = tuple(parsed.operands)
    if "T" in parsed.options and parsed.options.keys() & {"r", "R", "a", "recursive", "archive"}:
        return None  # what lies in the folder would land under names that nobody looked at
    if words[0] not in ("mv", "cp"):
        return Touched(writes=operands)
    if len(operands) < 2:
        return None
    *sources, last = operands
    names = [source.rstrip("/").rpartition("/")[2] for source in sources]
    if any(name in ("", ".", "..") for name in names):
        return None
    # The destination may be a folder: then the file lands in it under its own name.
    landings = [f"{last.rstrip('/') or '/'}/{name}" for name in names]
    moved = sources if words[0] == "mv" else []
    return Touched(tuple(sources), (last, *landings, *moved))


def touched(words: tuple[str, ...]) -> Touched:
    """Every path that *words* may read or write, as far as its name tells; too many rather than
    too few. Pure."""
    name = words[0]
    operands = _possible_paths(words)
    if name == "git" and words[1:2] and words[1] in _GIT_READERS:
        # ``commit:path`` and ``:path`` name what is stored of a file.
        return Touched((*operands[1:], *(word.rpartition(":")[2] for word in operands[1:])))
    reads = operands if name in READERS else ()
    if name not in WRITERS or (name == "sed" and not _may_edit_in_place(words)):
        return Touched(reads=reads)
    suffixed = [word[2:] for word in words if name == "sed" and word.startswith("-i.")]
    copies = tuple(operand + suffix for operand in operands for suffix in suffixed)
    if name == "cp" and len(operands) > 1 and not any(word.startswith("-") for word in words):
        *sources, last = operands
        landings = (f"{last}/{source.rstrip('/').rpartition('/')[2]}" for source in sources)
        return Touched(reads, (last, *landings))
    landings = ()
    if name in ("mv", "cp", "ln", "install") and len(operands) > 1:
        landings = tuple(
            f"{operands[-1]}/{source.rstrip('/').rpartition('/')[2]}" for source in operands[:-1]
        )
    return Touched(reads, (*operands, *copies, *landings))


def _sed_in_place(rest: tuple[str, ...]) -> Touched | None:
    options = [word for word in rest if word.startswith("-")]
    plain = [word for word in rest if not word.startswith("-")]
    suffixes = [word[2:] for word in options if _SED_SUFFIX.fullmatch(word)]
    others = [word for word in options if not _SED_SUFFIX.fullmatch(word)]
    if len(suffixes) != 1 or not _SED_FLAGS.issuperset(others) or len(plain) < 2:
        return None
    if not _SED_REPLACE.fullmatch(plain[0]):
        return None
    files = tuple(plain[1:])
    return Touched(writes=(*files, *(name + suffixes[0] for name in files)))


def _may_edit_in_place(words: tuple[str, ...]) -> bool:
    return any(
        word.startswith("--i") or (word.startswith("-") and "i" in word) for word in words[1:]
    )


def _possible_paths(words: tuple[str, ...]) -> tuple[str, ...]:
    name = words[0]
    found: list[str] = []
    skip = name in _MODE_FIRST or (
        name in _SCRIPT_FIRST and not any(word.startswith(_SCRIPT_OPTIONS) for word in words)
    )
    for word in words[1:]:
        if word.startswith("-") and word != "-":
            found += _option_paths(word)
        elif skip:
            skip = False
        else:
            found.append(word.partition("=")[2] if name == "dd" else word)
    return tuple(path for path in found if path)


def _option_paths(word: str) -> list[str]:
    if word.startswith("--"):
        return [word.partition("=")[2]]
    return [word[2:]] if len(word) > 2 else []
