"""The programs that only read, as positive lists of their options; what is not listed asks.

Options are those of GNU coreutils, grep, ripgrep and util-linux, from their manuals. Left out are
all that write, run a program, follow links out of the folder or take names from a file.
"""

from dataclasses import dataclass
from typing import Literal

from agentcli.permissions.shell.flags import Flags, flags


@dataclass(frozen=True, slots=True)
class Reader:
    """``operands``: all paths, all plain text, or first a pattern (unless ``-e``), then paths."""

    flags: Flags
    operands: Literal["paths", "text", "pattern"]
    max_operands: int = 1_000_000


READERS: dict[str, Reader] = {
    "cat": Reader(
        flags(
            "nAbeEstTuv", long="number number-nonblank show-all show-ends show-tabs squeeze-blank"
        ),
        "paths",
    ),
    "head": Reader(flags("qv", "nc", "quiet silent verbose", "lines bytes", numeric=True), "paths"),
    "tail": Reader(flags("qv", "nc", "quiet silent verbose", "lines bytes", numeric=True), "paths"),
    "wc": Reader(flags("lwcmL", long="lines words bytes chars max-line-length"), "paths"),
    "nl": Reader(flags("p", "bdfhilnsvw"), "paths"),
    "stat": Reader(flags("Lt", "c", "dereference terse", "format printf"), "paths"),
    "du": Reader(
        flags(
            "shackmbx0",
            "d",
            "summarize human-readable all total bytes one-file-system",
            "max-depth",
        ),
        "paths",
    ),
    "cut": Reader(flags("sz", "bcdf", "only-delimited complement", "delimiter fields"), "paths"),
    "diff": Reader(
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
    "sort": Reader(flags("nrufhVb", "kt", "numeric-sort reverse unique"), "paths"),
    "grep": Reader(
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
    "pwd": Reader(flags("LP"), "text", 0),
    "whoami": Reader(flags(), "text", 0),
    "which": Reader(flags("a", long="all"), "text"),
    "uname": Reader(flags("asnrvmpio", long="all"), "text", 0),
    "basename": Reader(flags("az", "s"), "text"),
    "dirname": Reader(flags("z"), "text"),
    "df": Reader(flags("hkamTPil", long="human-readable all inodes local print-type"), "paths"),
    "cmp": Reader(flags("bls", "n", "print-bytes verbose quiet silent", "bytes"), "paths", 2),
    "comm": Reader(flags("123z", long="check-order nocheck-order total"), "paths", 2),
    # A second operand would be written to.
    "uniq": Reader(
        flags("cdDiuz", "fsw", "count repeated unique ignore-case", "skip-fields skip-chars"),
        "paths",
        1,
    ),
    "paste": Reader(flags("sz", "d", "serial", "delimiters"), "paths"),
    "tr": Reader(flags("cCdst", long="complement delete squeeze-repeats truncate-set1"), "text", 2),
    "tac": Reader(flags("br", "s", "before regex", "separator"), "paths"),
    "rev": Reader(flags(), "paths"),
    "fold": Reader(flags("bs", "w", "bytes spaces", "width"), "paths"),
    "expand": Reader(flags("i", "t", "initial", "tabs"), "paths"),
    "column": Reader(flags("txe", "s", "table", "separator"), "paths"),
    "file": Reader(
        flags("bhiLNr", long="brief mime mime-type mime-encoding dereference no-dereference"),
        "paths",
    ),
    "hexdump": Reader(flags("bcdoxCv", "ns"), "paths"),
    "base64": Reader(flags("di", "w", "decode ignore-garbage", "wrap"), "paths", 1),
    "realpath": Reader(flags("eLmPsqz"), "paths"),
    "readlink": Reader(flags("efmnqsvz"), "paths"),
    "id": Reader(flags("ugGnrz"), "text", 1),
    "groups": Reader(flags(), "text", 0),
    "hostname": Reader(flags("fsiId"), "text", 0),
    "nproc": Reader(flags(long="all"), "text", 0),
    "arch": Reader(flags(), "text", 0),
    "uptime": Reader(flags("ps"), "text", 0),
    "free": Reader(flags("bkmghtw"), "text", 0),
    "type": Reader(flags("atpP"), "text"),
    "rg": Reader(
        flags(
            "inNlcvwxosFHIUauSPq0.",
            "eABCmgtTrMdE",
            "ignore-case line-number files-with-matches files-without-match count invert-match "
            "count-matches word-regexp line-regexp only-matching fixed-strings smart-case files "
            "case-sensitive no-heading heading hidden no-ignore vimgrep json stats trim text "
            "no-line-number with-filename no-filename multiline pcre2 quiet column null version",
            "regexp glob iglob type type-not max-count context after-context before-context "
            "max-depth color max-columns sort sortr replace max-filesize encoding",
            numeric=False,
        ),
        "pattern",
    ),
}
for _name in ("md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum"):
    READERS[_name] = Reader(flags("bt", long="binary text tag zero"), "paths")
for _name in ("egrep", "fgrep"):
    READERS[_name] = READERS["grep"]
