"""The git commands that only read, with their listed options."""

import re
from collections.abc import Callable

from agentcli.permissions.shell.flags import Flags, Parsed, flags, parse

Inside = Callable[[str], bool]

_DIFF_LONG = (
    "stat shortstat numstat summary name-only name-status patch no-patch no-color color word-diff "
    "ignore-all-space ignore-space-change ignore-blank-lines find-renames find-copies minimal "
    "patience histogram no-ext-diff no-textconv exit-code quiet cached staged merge-base abbrev "
    "no-renames full-index check raw"
)
_LOG_LONG = (
    f"{_DIFF_LONG} oneline graph all branches tags remotes decorate no-decorate no-merges merges "
    "first-parent reverse follow abbrev-commit date-order topo-order no-abbrev-commit left-right "
    "cherry-pick boundary full-history regexp-ignore-case relative-date"
)
_LOG_VALUED = (
    "grep author committer since until after before format pretty date max-count skip diff-filter"
)
_LOG = flags("pswbiMCRz", "nSGL", _LOG_LONG, _LOG_VALUED, numeric=True)
_COMMANDS: dict[str, Flags] = {
    "status": flags(
        "sbvz",
        "u",
        "short branch porcelain long verbose ignored untracked-files show-stash ahead-behind "
        "no-ahead-behind no-renames",
    ),
    "diff": flags("pswbMCRz", "SG", _DIFF_LONG, "diff-filter"),
    "log": _LOG,
    "show": _LOG,
    "blame": flags("wesltfMC", "L", "date show-email show-name root"),
    "ls-files": flags(
        "mocdsuztk",
        "",
        "modified others cached deleted stage unmerged exclude-standard full-name error-unmatch",
    ),
    "rev-parse": flags(
        "q",
        "",
        "show-toplevel abbrev-ref short git-dir is-inside-work-tree is-bare-repository verify "
        "quiet show-prefix symbolic-full-name git-common-dir show-cdup",
    ),
    "branch": flags(
        "arvl",
        "",
        "all remotes verbose show-current list merged no-merged contains no-contains no-color "
        "color ignore-case no-column",
        "sort format points-at",
    ),
    "remote": flags("v", "", "verbose"),
    "tag": flags(
        "ln",
        "",
        "list contains no-contains merged no-merged ignore-case no-column",
        "sort format points-at",
    ),
    "reflog": flags("", "n", "", "max-count", numeric=True),
    "rev-list": flags("", "n", f"{_LOG_LONG} count objects", _LOG_VALUED, numeric=True),
    "describe": flags("", "", "tags all always dirty long contains", "abbrev match exclude"),
    "shortlog": flags("snec", "", "summary numbered email", "since until author"),
    "ls-tree": flags("rtdlz", "", "name-only full-tree long name-status"),
    "cat-file": flags("ptes"),
    "merge-base": flags("a", "", "all is-ancestor octopus"),
    "name-rev": flags("", "", "name-only tags always"),
    "for-each-ref": flags("", "", "ignore-case", "format sort count points-at contains merged"),
    "count-objects": flags("vH", "", "verbose human-readable"),
    "check-ignore": flags("vqn", "", "verbose quiet non-matching"),
    "grep": flags(
        "nilLcvwEFGPhHo",
        "eABCm",
        "line-number ignore-case files-with-matches count fixed-strings extended-regexp "
        "perl-regexp word-regexp show-function cached untracked heading break invert-match",
        "context after-context before-context max-count max-depth",
        numeric=True,
    ),
}
# A name behind one of these is looked for; without them ``git branch name`` makes a branch.
_PATCH = re.compile(r"-[A-Za-z]*[pULSG]|--(patch|unified|word-diff|check|raw)")
_BRANCH_LOOKUPS = frozenset({"l", "list", "merged", "no-merged", "contains", "no-contains"})


def is_read_only_git(rest: tuple[str, ...], inside: Inside) -> bool:
    """True if ``git`` *rest* only reads and names nothing outside. Pure."""
    rest = rest[_start(rest) :]
    if rest in (("--version",), ("stash", "list"), ("worktree", "list")):
        return True
    allowed = _COMMANDS.get(rest[0]) if rest else None
    parsed = parse(rest[1:], allowed) if allowed else None
    if parsed is None or _verifies_signatures(parsed):
        return False
    match rest[0]:
        case "branch" | "tag":
            return not parsed.operands or bool(parsed.options.keys() & _BRANCH_LOOKUPS)
        case "remote":
            return not parsed.operands
        case "reflog":
            # Its other commands remove entries.
            return parsed.operands[:1] in ([], ["show"]) and all(map(inside, parsed.operands[1:]))
        case "grep":
            first = 0 if "e" in parsed.options else 1
            return all(map(inside, parsed.operands[first:]))
        case _:
            return all(inside(operand) for operand in parsed.operands)


def shows_contents(rest: tuple[str, ...]) -> bool:
    """True if the read-only ``git`` *rest* may show what stands in files it does not name. Pure."""
    rest = rest[_start(rest) :]
    if rest[:1] == ("log",):
        return any(_PATCH.match(word) for word in rest[1:])
    return rest[:1] in (("show",), ("blame",), ("diff",), ("cat-file",), ("grep",))


def without_helpers(rest: tuple[str, ...]) -> tuple[str, ...]:
    """*rest*, told to start none of the programs that a configuration may name. Pure."""
    at = _start(rest) + 1
    match rest[at - 1 : at]:
        case ("diff" | "log" | "show",):
            return (*rest[:at], "--no-ext-diff", "--no-textconv", *rest[at:])
        case ("blame" | "grep",):
            return (*rest[:at], "--no-textconv", *rest[at:])
        case _:
            return rest


def _start(rest: tuple[str, ...]) -> int:
    """Where the sub-command stands: behind the one global option that changes nothing."""
    return 1 if rest[:1] in (("--no-pager",), ("-P",)) else 0


def _verifies_signatures(parsed: Parsed) -> bool:
    """``%G`` and ``%(signature)`` in a format run the program that ``gpg.program`` names."""
    formats = [parsed.options.get(name, "") for name in ("format", "pretty", "sort")]
    return any("%G" in text or "signature" in text for text in formats)
