"""Commands that only read, as positive lists of command and options; anything else asks."""

import re
from collections.abc import Callable

from agentcli.permissions.shell.flags import Parsed, flags, parse
from agentcli.permissions.shell.git import is_read_only_git, shows_contents
from agentcli.permissions.shell.kinds import is_quiet_name
from agentcli.permissions.shell.readers import READERS, Reader

Inside = Callable[[str], bool]
"""True if the operand, taken as a path, lies inside the working directories."""


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
_NO_PATTERN = frozenset({"e", "regexp", "files", "version"})
_SLEEP = re.compile(r"(10|\d)(\.\d+)?s?")
_PS = frozenset({"aux", "ax", "auxf", "axf", "auxww"})
# A filter may read the environment or files of its own only by these words.
_JQ_LEAKS = re.compile(r"env|import|include|input_line|debug|\$__", re.IGNORECASE)
_VERSIONS = {
    "node": ("--version", "-v"),
    "python": ("--version", "-V"),
    "python3": ("--version", "-V"),
    "ruby": ("--version",),
    "java": ("-version", "--version"),
    "gcc": ("--version",),
    "make": ("--version",),
    "bash": ("--version",),
    "docker": ("--version", "-v"),
}
_DOCKER = {
    "ps": flags("aqs", "nf", "all quiet no-trunc size latest", "filter format last"),
    "images": flags("aq", "f", "all quiet no-trunc digests", "filter format"),
    "logs": flags("t", "n", "timestamps details", "tail since until"),
    "inspect": flags("s", "f", "size", "format type"),
    "version": flags("", "f", "", "format"),
    "info": flags("", "f", "", "format"),
}
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?")
# ``%n`` assigns to a variable, and a subscript in its name would be evaluated.
_PRINTF_SAFE = re.compile(r"([^%]|%%|%[-+ #0]*[\d.]*[bcdeEfFgGiosuxX])*", re.DOTALL)


def is_read_only(words: tuple[str, ...], inside: Inside, git_allowed: Callable[[], bool]) -> bool:
    """True if the simple command *words* surely only reads, inside the working dirs. Pure."""
    name, rest = words[0], words[1:]
    if name in _ANY_TEXT:
        return True
    if len(rest) == 1 and rest[0] in _VERSIONS.get(name, ()):
        return True
    if name == "git":
        return is_read_only_git(rest, inside) and git_allowed()
    special = _SPECIAL.get(name)
    if special:
        return special(rest, inside)
    reader = READERS.get(name)
    parsed = parse(rest, reader.flags) if reader else None
    return reader is not None and parsed is not None and _operands_fit(reader, parsed, inside)


def shows_unnamed(words: tuple[str, ...]) -> bool:
    """True if the contents of files that *words* does not name may be shown. Pure."""
    if words[0] == "git":
        return shows_contents(words[1:])
    if words[0] == "rg":
        return True
    if words[0] not in ("grep", "egrep", "fgrep", "diff"):
        return False
    return any(
        word in ("--recursive",) or (word.startswith("-") and word[1:2] != "-" and "r" in word)
        for word in words[1:]
    )


def _operands_fit(reader: Reader, parsed: Parsed, inside: Inside) -> bool:
    operands = parsed.operands
    if len(operands) > reader.max_operands:
        return False
    if reader.operands == "text":
        return True
    if reader.operands == "pattern" and not parsed.options.keys() & _NO_PATTERN:
        operands = operands[1:]
    return all(map(inside, operands))


def _ls(rest: tuple[str, ...], inside: Inside) -> bool:
    if any(
        "R" in word or word.startswith("--rec") for word in rest if word.startswith("-")
    ) and any("L" in word or word.startswith("--deref") for word in rest if word.startswith("-")):
        return False  # it would follow links out of the folders
    end = rest.index("--") if "--" in rest else len(rest)
    return all(word.startswith("-") or inside(word) for word in rest[:end]) and all(
        map(inside, rest[end + 1 :])
    )


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
    pieces: list[list[str]] = [[]]
    for word in rest:
        if word in ("-a", "-o") and pieces[-1]:
            pieces.append([])
        elif word != "!" or pieces[-1]:
            pieces[-1].append(word)
    return all(_test_piece(tuple(piece), inside) for piece in pieces)


def _test_piece(piece: tuple[str, ...], inside: Inside) -> bool:
    match piece:
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


def _date(rest: tuple[str, ...], inside: Inside) -> bool:
    del inside
    parsed = parse(rest, flags("uRI", "d", "utc universal iso-8601 rfc-email", "date rfc-3339"))
    return parsed is not None and all(word.startswith("+") for word in parsed.operands)


def _sleep(rest: tuple[str, ...], inside: Inside) -> bool:
    del inside
    return len(rest) == 1 and _SLEEP.fullmatch(rest[0]) is not None


def _ps(rest: tuple[str, ...], inside: Inside) -> bool:
    del inside  # ``ps e`` would show the environment of every process
    parsed = parse(rest, flags("AadefFljT", "p"))
    return parsed is not None and _PS.issuperset(parsed.operands)


def _jq(rest: tuple[str, ...], inside: Inside) -> bool:
    parsed = parse(rest, flags("rcseSCMaj", "", "raw-output compact-output slurp exit-status"))
    if parsed is None or not parsed.operands or _JQ_LEAKS.search(parsed.operands[0]):
        return False
    return all(map(inside, parsed.operands[1:]))


def _command(rest: tuple[str, ...], inside: Inside) -> bool:
    del inside
    return len(rest) > 1 and rest[0] in ("-v", "-V") and not rest[1].startswith("-")


def _read(rest: tuple[str, ...], inside: Inside) -> bool:
    del inside  # a name like ``PATH`` would change what runs, one with a subscript would run
    names = rest[1:] if rest[:1] == ("-r",) else rest
    return bool(names) and all(map(is_quiet_name, names))


def _docker(rest: tuple[str, ...], inside: Inside) -> bool:
    del inside  # global options, which lead to another daemon, are none of these words
    allowed = _DOCKER.get(rest[0]) if rest else None
    parsed = parse(rest[1:], allowed) if allowed else None
    return parsed is not None and (not parsed.operands or rest[0] in ("logs", "inspect", "images"))


_SPECIAL: dict[str, Callable[[tuple[str, ...], Inside], bool]] = {
    "ls": _ls,
    "cd": _cd,
    "find": _find,
    "sed": _sed,
    "test": _test,
    "printf": _printf,
    "seq": _seq,
    "date": _date,
    "sleep": _sleep,
    "ps": _ps,
    "jq": _jq,
    "command": _command,
    "read": _read,
    "docker": _docker,
}
