"""Calls as JSON lines on stdin, answers as JSON lines on stdout."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, cast

from agentcli.base.text import one_line
from agentcli.base.values import as_dict
from agentcli.cli.permissions.case import read_case
from agentcli.permissions.decide import decide
from agentcli.permissions.paths import DiskProbe
from agentcli.permissions.policy import Decision
from agentcli.protocol.errors import AgentCliError

_MAX_LINE = 4 << 20


def check_lines(lines: BinaryIO, out: BinaryIO, cwd: Path, env: Mapping[str, str]) -> int:
    """Answer every line at once, in order: 0, or 1 if one could not be read. Raises OSError."""
    failed = False
    for number, line in enumerate(_bounded(lines), 1):
        if line is not None and not line.strip():
            continue
        answer = _answer(line, number, cwd, env)
        failed = failed or "error" in answer
        out.write(json.dumps(answer).encode() + b"\n")
        out.flush()
    return 1 if failed else 0


def decision_facts(decision: Decision) -> dict[str, object]:
    """A decision as it is printed; what is empty is left out. Pure."""
    facts: dict[str, object] = {"decision": decision.behavior, "reason": decision.reason}
    if decision.rule:
        facts["rule"] = decision.rule
    if decision.parts:
        facts["parts"] = list(decision.parts)
    saved = [str(rule) for update in decision.suggestions for rule in update.rules]
    if saved:
        facts["suggestions"] = saved
    return facts


def _bounded(lines: BinaryIO) -> Iterator[bytes | None]:
    """The lines; None for one that is too long to be taken in."""
    while line := lines.readline(_MAX_LINE + 1):
        if len(line) <= _MAX_LINE or line.endswith(b"\n"):
            yield line
            continue
        while (rest := lines.readline(_MAX_LINE)) and not rest.endswith(b"\n"):
            pass
        yield None


def _answer(
    line: bytes | None, number: int, cwd: Path, env: Mapping[str, str]
) -> dict[str, object]:
    fields: dict[str, object] = {}
    try:
        if line is None:
            raise ValueError(f"the line is longer than {_MAX_LINE >> 20} MB")
        value: object = json.loads(line)
        if not isinstance(value, dict):
            raise ValueError("expected a JSON object")
        fields = as_dict(cast("object", value))
        case = read_case(fields, cwd, env)
    except AgentCliError as error:
        return _failure(fields, number, error.message)
    except RecursionError:
        return _failure(fields, number, "the JSON is nested too deeply")
    except ValueError as error:
        return _failure(fields, number, str(error))
    decision = decide(case.call, case.policy, DiskProbe(), case.hook)
    answer: dict[str, object] = {"id": _id(fields), **decision_facts(decision)}
    if case.problems:
        answer["problems"] = list(case.problems)
    return answer


def _failure(fields: dict[str, object], number: int, text: str) -> dict[str, object]:
    return {"id": _id(fields), "line": number, "error": one_line(text, 300)}


def _id(fields: dict[str, object]) -> object:
    found = fields.get("id")
    return found if isinstance(found, str | int) else None
