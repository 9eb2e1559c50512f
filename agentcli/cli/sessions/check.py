"""``agentcli sessions check``: what is wrong in a file, told line by line."""

import os
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

from agentcli.base.files import open_regular
from agentcli.base.text import one_line
from agentcli.cli.sessions.args import SessionArgs
from agentcli.cli.sessions.place import Place
from agentcli.protocol.errors import SessionCorrupt
from agentcli.session.check import Report, check_session
from agentcli.session.codec import encode_line

_TOLD_OF_A_KIND = 20
"""A file of another program can have the same peculiarity in each of its lines."""


def check(args: SessionArgs, place: Place, out: BinaryIO) -> int:
    """Print the report: 0 where nothing is wrong, else 1. Raises SessionError, OSError."""
    path = place.find(args.session)
    try:
        fd = open_regular(path)
        with os.fdopen(fd, "rb") as lines:
            report = check_session(lines, path.stem)
    except OSError as error:
        words = error.strerror or str(error)
        raise SessionCorrupt(f"Cannot read {one_line(str(path), 300)}: {words}.") from None
    if args.json:
        out.write(encode_line(_facts(report)))
    else:
        for line in report_lines(report):
            out.write(line.encode("utf-8", "replace") + b"\n")
    return 0 if report.is_clean else 1


def report_lines(report: Report) -> Iterator[str]:
    """The report as text. Pure."""
    told: Counter[str] = Counter()
    for problem in report.problems:
        told[problem.kind] += 1
        if told[problem.kind] > _TOLD_OF_A_KIND:
            continue
        where = f"line {problem.line:,} (byte {problem.offset:,})"
        what = f"{problem.kind}: {problem.text}; {problem.done}"
        yield f"{where}  {problem.severity}  {one_line(what, 400)}"
    for kind, count in told.items():
        if count > _TOLD_OF_A_KIND:
            yield f"… and {count - _TOLD_OF_A_KIND:,} more of: {kind} (--json lists all)"
    if report.problems:
        yield ""
    counts = [
        _count(report.lines, "line"),
        _count(report.entries, "entry", "entries"),
        _count(report.prompts, "prompt"),
        _count(report.branches, "branch", "branches"),
    ]
    yield " · ".join(counts)
    found = _count(report.reachable, "entry", "entries")
    elsewhere = "on other branches, before a compaction, or lost"
    yield f"{found} reachable, {report.unreachable:,} not ({elsewhere})"
    yield f"a resume sends: {one_line(report.resume, 300)}"
    errors = sum(problem.severity == "error" for problem in report.problems)
    warnings = sum(problem.severity == "warning" for problem in report.problems)
    if report.is_clean:
        yield "nothing is wrong"
    else:
        yield f"{_count(errors, 'error')}, {_count(warnings, 'warning')}"


def _facts(report: Report) -> dict[str, object]:
    return {
        "clean": report.is_clean,
        "lines": report.lines,
        "entries": report.entries,
        "prompts": report.prompts,
        "branches": report.branches,
        "reachable": report.reachable,
        "unreachable": report.unreachable,
        "resume": report.resume,
        "problems": [
            {
                "line": problem.line,
                "offset": problem.offset,
                "kind": problem.kind,
                "severity": problem.severity,
                "text": problem.text,
                "done": problem.done,
            }
            for problem in report.problems
        ],
    }


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
