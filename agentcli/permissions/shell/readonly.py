"""Commands that only read, as positive lists of command and options; anything else asks."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from agentcli.permissions.shell.flags import Flags, Parsed, flags, parse
from agentcli.permissions.shell.git import is_read_only_git, shows_contents

Inside = Callable[[str], bool]
"""True if the operand, taken as a path, lies inside the working directories."""


@dataclass(frozen=True, slots=True)
class _Reader:
    """``operands``: all paths, all plain text, or first a pattern (unless ``-e``), then paths."""

    flags: Flags
    operands: Literal["paths", "text", "pattern"]
    max_operands: int = 1_000_000


_READERS: dict[str, _Reader] = {
    "cat": _Reader(
        flags(
            "nAbeEstTuv", long="number number-nonblank show-all show-ends show-tabs squeeze-blank"
        ),
        "paths",
    ),
    "head": _Reader(
        flags("qv", "nc", "quiet silent verbose", "lines bytes", numeric=True), "paths"
    ),
    "tail": _Reader(
        flags("qv", "nc", "quiet silent verbose", "lines bytes", numeric=True), "paths"
    ),
    "wc": _Reader(flags("lwcmL", long="lines words bytes chars max-line-length"), "paths"),
    "nl": _Reader(flags("p", "bdfhilnsvw"), "paths"),
    "stat": _Reader(flags("Lt", "c", "dereference terse", "format printf"), "paths"),
    "du": _Reader(
        flags(
            "shackmbx0",
            "d",
            "summarize human-readable all total bytes one-file-system",
            "max-depth",
        ),
        "paths",
    ),
    "cut": _Reader(flags("sz", "bcdf", "only-delimited complement", "delimiter fields"), "paths"),
    "diff": _Reader(
        flags(
            "urqbBwiyaNcesp",
            "UCW",
            "brief unified recursive side-by-side color ignore-all-space ignore-space-change "
            "ignore-blank-lines ignore-case text new-file report-identical-files "
            "suppress-common-lines",
        ),
        "paths",
        2,
    ),
    "sort": _Reader(flags("nrufhVb", "kt", "numeric-sort reverse unique"), "paths"),
    "grep": _Reader(
        flags(
            "ivnrlLcowxqshHEFGPaIbzT",
            "ABCme",
            "ignore-case invert-match line-number recursive files-with-matches count word-regexp "
            "files-without-match only-matching quiet no-messages color colour extended-regexp "
            "fixed-strings perl-regexp basic-regexp line-regexp no-filename with-filename text",
            "include exclude exclude-dir context after-context before-context max-count regexp",
            numeric=True,
        ),
        "pattern",
    ),
    "pwd": _Reader(flags("LP"), "text", 0),
    "whoami": _Reader(flags(), "text", 0),
    "which": _Reader(flags("a", long="all"), "text"),
    "uname": _Reader(flags("asnrvmpio", long="all"), "text", 0),
    "basename": _Reader(flags("az", "s"), "text"),
    "dirname": _Reader(flags("z"), "text"),
}
_ANY_TEXT = frozenset({"echo", "true", "false", ":"})
_FIND_PLAIN = frozenset(
    {"-print", "-print0", "-prune", "-o", "-or", "-a", "-and", "-not", "-empty", "-readable"}
    | {"-writable", "-executable", "-depth", "-mount", "-xdev", "-true", "-false", "-ls", "-quit"}
)
_FIND_VALUED = frozenset(
    {"-name", "-iname", "-path", "-ipath", "-wholename", "-type", "-maxdepth", "-mindepth"}
    | {"-size", "-mtime", "-mmin", "-ctime", "-atime", "-amin", "-cmin", "-perm", "-user"}
    | {"-group", "-regex", "-iregex", "-regextype", "-links"}
)
_TEST_UNARY = frozenset("-" + letter for letter in "abcdefghknprstuwxzLOGSN")
_TEST_BINARY = frozenset({"=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot"})
_SED_PRINT = re.compile(r"(\d+|\$)(,(\d+|\$))?p")
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?")
# ``%n`` assigns to a variable, and a subscript in its name would be evaluated.
_PRINTF_SAFE = re.compile(r"([^%]|%%|%[-+ #0]*[\d.]*[bcdeEfFgGiosuxX])*", re.DOTALL)


def is_read_only(words: tuple[str, ...], inside: Inside, git_allowed: Callable[[], bool]) -> bool:
    """True if the simple command *words* surely only reads, inside the working dirs. Pure."""
    name, rest = words[0], words[1:]
    if name in _ANY_TEXT:
        return True
    if name == "git":
        return is_read_only_git(rest, inside) and git_allowed()
    special = _SPECIAL.get(name)
    if special:
        return special(rest, inside)
    reader = _READERS.get(name)
    parsed = parse(rest, reader.flags) if reader else None
    return reader is not None and parsed is not None and _operands_fit(reader, parsed, inside)


def shows_unnamed(words: tuple[str, ...]) -> bool:
    """True if the contents of files that *words* does not name may be shown. Pure."""
    if words[0] == "git":
        return shows_contents(words[1:])
    if words[0] not in ("grep", "diff"):
        return False
    return any(
        word in ("--recursive",) or (word.startswith("-") and word[1:2] != "-" and "r" in word)
        for word in words[1:]
    )


def _operands_fit(reader: _Reader, parsed: Parsed, inside: Inside) -> bool:
    operands = parsed.operands
    if len(operands) > reader.max_operands:
        return False
    if reader.operands == "text":
        return True
    if reader.operands == "pattern" and not parsed.options.keys() & {"e", "regexp"}:
        operands = operands[1:]
    return all(map(inside, operands))


def _ls(rest: tuple[str, ...], inside: Inside) -> bool:
    if any(
        "R" in word or word.startswith("--rec") for word in rest if word.startswith("-")
    ) and any("L" in word or word.startswith("--deref") for word in rest if word.startswith("-")):
        return False  # it would follow links out of the folders
    return all(word.startswith("-") or inside(word) for word in rest if word != "--")


def _cd(rest: tuple[str, ...], inside: Inside) -> bool:
    return len(rest) == 1 and not rest[0].startswith("-") and rest[0] != "" and inside(rest[0])


def _find(rest: tuple[str, ...], inside: Inside) -> bool:
    at = 0
    while at < len(rest) and not rest[at].startswith("-"):
        if not inside(rest[at]):
            return False
        at += 1
    while at < len(rest):
        word = rest[at]
        if word in _FIND_PLAIN:
            at += 1
        elif at + 1 < len(rest) and (
            word in _FIND_VALUED or (word == "-newer" and inside(rest[at + 1]))
        ):
            at += 2
        else:
            return False
    return True


def _sed(rest: tuple[str, ...], inside: Inside) -> bool:
    return (
        len(rest) >= 2
        and rest[0] == "-n"
        and _SED_PRINT.fullmatch(rest[1]) is not None
        and not any(word.startswith("-") for word in rest[2:])
        and all(map(inside, rest[2:]))
    )


def _test(rest: tuple[str, ...], inside: Inside) -> bool:
    if any("[" in word or "$" in word for word in rest):
        return False
    match rest:
        case (operator, operand) if operator in _TEST_UNARY:
            return inside(operand)
        case (left, operator, right) if operator in _TEST_BINARY:
            return inside(left) and inside(right)
        case _:
            return False


def _printf(rest: tuple[str, ...], inside: Inside) -> bool:
    del inside
    if not rest or rest[0].startswith("-") or not _PRINTF_SAFE.fullmatch(rest[0]):
        return False
    return not any("[" in word or "$" in word for word in rest[1:])


def _seq(rest: tuple[str, ...], inside: Inside) -> bool:
    del inside
    return 0 < len(rest) <= 3 and all(_NUMBER.fullmatch(word) for word in rest)


_SPECIAL: dict[str, Callable[[tuple[str, ...], Inside], bool]] = {
    "ls": _ls,
    "cd": _cd,
    "find": _find,
    "sed": _sed,
    "test": _test,
    "printf": _printf,
    "seq": _seq,
}
