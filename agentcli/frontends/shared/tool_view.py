"""How the result of a tool call is told to a person: numbers, body. Data only, no styling."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, cast

from agentcli.base.text import one_line, reveal, strip_controls
from agentcli.frontends.shared.tool_title import input_text
from agentcli.protocol import prompts
from agentcli.protocol.asks import Hunk
from agentcli.protocol.blocks import content_text
from agentcli.protocol.calls import Outcome, ToolCall, ToolResult

_SEP = " · "
_WHOLE_IN_TITLE = 60
_REFUSED, _REFUSED_BECAUSE = "The user did not allow this call.", "The call was not allowed: "
_SKIPPED = "Not run: the user "
"""How such results begin in sessions that were written without an outcome."""
_LOST = "Not finished: "


@dataclass(frozen=True, slots=True)
class Body:
    """What unfolding shows: ``diff`` (hunks) or ``text`` (``path`` hints at its language)."""

    kind: Literal["diff", "text"]
    text: str = ""
    hunks: tuple[Hunk, ...] = ()
    path: str = ""


def tool_summary(call: ToolCall, result: ToolResult) -> str:
    """The result in numbers (``+3 −1``, ``exit 1``, ``14 in 6 files``), or "". Pure."""
    outcome = _outcome(result)
    if outcome != "ran":
        # a call that a crash cut off did begin
        lost = content_text(result.content).startswith(_LOST)
        return "not approved" if outcome == "denied" else "not finished" if lost else "not run"
    summarise = _SUMMARIES.get(call.name)
    if summarise is None:
        return "" if result.is_error else _line_count(result)
    return summarise(result)


def tool_error(result: ToolResult) -> str:
    """First line worth reading of a failed result, or "" where it did not fail. Pure."""
    if not result.is_error:
        return ""
    text = strip_controls(content_text(result.content)).removeprefix(_REFUSED_BECAUSE)
    if text.startswith(_REFUSED) or _outcome(result) == "skipped":
        return ""
    for raw in text.replace("<tool_use_error>", "").replace("</tool_use_error>", "").split("\n"):
        line = raw.strip()
        if line and not line.lower().startswith("exit code"):
            return one_line(line, 300)
    return ""


def _outcome(result: ToolResult) -> Outcome:
    if result.outcome != "ran" or not result.is_error:
        return result.outcome
    text = content_text(result.content)
    if text.startswith((_REFUSED, _REFUSED_BECAUSE)):
        return "denied"
    return "skipped" if text.startswith(_SKIPPED) else "ran"


def tool_body(call: ToolCall, result: ToolResult | None) -> Body | None:
    """What unfolding shows; None where there is nothing more to see. Pure."""
    details = result.details if result is not None else {}
    path = reveal(input_text(call.input, "file_path"))
    if hunks := hunks_of(details.get("structuredPatch")):
        return Body("diff", hunks=hunks, path=path)
    if call.name == "Write" and (result is None or not result.is_error):
        return Body("diff", hunks=_new_file(input_text(call.input, "content")), path=path)
    head = (
        reveal(input_text(call.input, "command"))
        if call.name in ("Bash", prompts.SHELL_CALL)
        else ""
    )
    # where the title may have had no room for all of it
    parts = ["$ " + head] if "\n" in head.strip() or len(head) > _WHOLE_IN_TITLE else []
    if result is not None:
        parts.append(strip_controls(content_text(result.content)).rstrip("\n"))
    text = "\n".join(part for part in parts if part)
    return Body("text", text=text, path=path if call.name == "Read" else "") if text else None


def tool_duration(duration_ms: int) -> str:
    """Wall time for the folded line: "" below one second, then ``8.2s``, ``3m 04s``. Pure."""
    if duration_ms < 1000:
        return ""
    seconds = duration_ms / 1000
    if seconds < 60:
        return f"{seconds:.1f}s"
    return f"{int(seconds) // 60}m {int(seconds) % 60:02d}s"


def hunks_of(value: Any) -> tuple[Hunk, ...]:
    """Hunks out of a ``structuredPatch`` list; malformed ones are left out. Pure."""
    if not isinstance(value, list):
        return ()
    found: list[Hunk] = []
    for item in cast("list[Any]", value):
        if not isinstance(item, dict):
            continue
        piece = cast("dict[str, Any]", item)
        lines = piece.get("lines")
        if isinstance(lines, list):
            rows = tuple(str(line) for line in cast("list[Any]", lines))
            numbers = [
                _number(piece, key) or 0 for key in ("oldStart", "oldLines", "newStart", "newLines")
            ]
            found.append(Hunk(*numbers, lines=rows))
    return tuple(found)


def plus_minus(added: int, removed: int) -> str:
    """``+3 −1``; "" for no change. Pure."""
    parts = [f"+{added}"] if added else []
    return " ".join([*parts, f"−{removed}"] if removed else parts)


def _edit_summary(result: ToolResult) -> str:
    if result.is_error:
        return ""
    added, removed = _number(result.details, "added"), _number(result.details, "removed")
    if added is None or removed is None:
        lines = [
            line for hunk in hunks_of(result.details.get("structuredPatch")) for line in hunk.lines
        ]
        added = sum(line.startswith("+") for line in lines)
        removed = sum(line.startswith("-") for line in lines)
    return plus_minus(added, removed) or "no change"


def _write_summary(result: ToolResult) -> str:
    if result.is_error:
        return ""
    content = result.details.get("content")
    if result.details.get("type") == "create" and isinstance(content, str):
        lines = content.count("\n") + (not content.endswith("\n") and content != "")
        return f"new · {_count(lines, 'line')}"
    return _edit_summary(result)


def _bash_summary(result: ToolResult) -> str:
    details = result.details
    if details.get("backgroundTaskId"):
        return "in background"
    if _number(details, "timedOutAfterMs"):
        return "timed out"
    if details.get("interrupted"):
        return "interrupted"
    code = _number(details, "exitCode")
    meaning = details.get("returnCodeInterpretation")
    if isinstance(meaning, str) and meaning:
        return one_line(meaning, 60)
    if code:
        return f"exit {code}"
    if result.is_error:
        return ""
    stdout = details.get("stdout")
    lines = len(stdout.strip("\n").split("\n")) if isinstance(stdout, str) and stdout.strip() else 0
    return "ok" + (_SEP + _count(lines, "line") if lines > 1 else "")


def _grep_summary(result: ToolResult) -> str:
    if result.is_error:
        return ""
    details = result.details
    files = _number(details, "numFiles") or 0
    lines = _number(details, "numMatches") or _number(details, "numLines") or 0
    mode = details.get("mode")
    if mode == "files_with_matches" or (not lines and files):
        return _count(files, "file") if files else "no match"
    if not lines:
        return "no match"
    return f"{lines} in {_count(files, 'file')}" if files else _count(lines, "line")


def _glob_summary(result: ToolResult) -> str:
    if result.is_error:
        return ""
    files = _number(result.details, "numFiles") or 0
    more = "+" if result.details.get("truncated") else ""
    return f"{files}{more} {'file' if files == 1 else 'files'}" if files else "no match"


def _read_summary(result: ToolResult) -> str:
    if result.is_error:
        return ""
    if not isinstance(result.content, str):
        return "image" if any(b.get("type") == "image" for b in result.content) else ""
    file = result.details.get("file")
    facts = cast("dict[str, Any]", file) if isinstance(file, dict) else result.details
    shown, total = _number(facts, "numLines"), _number(facts, "totalLines")
    first = _number(facts, "startLine") or 1
    if shown is None:
        return _line_count(result)
    if total is None or (first == 1 and shown >= total):
        return _count(shown, "line")
    return f"{first}–{first + max(shown, 1) - 1} of {total}"


_SUMMARIES: dict[str, Callable[[ToolResult], str]] = {
    "Edit": _edit_summary,
    "MultiEdit": _edit_summary,
    "Write": _write_summary,
    "Bash": _bash_summary,
    prompts.SHELL_CALL: _bash_summary,
    "Grep": _grep_summary,
    "Glob": _glob_summary,
    "Read": _read_summary,
}


def _number(given: dict[str, Any], key: str) -> int | None:
    value = given.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _line_count(result: ToolResult) -> str:
    text = content_text(result.content).strip("\n")
    return _count(text.count("\n") + 1, "line") if "\n" in text else ""


def _new_file(content: str) -> tuple[Hunk, ...]:
    lines = tuple("+" + line for line in content.removesuffix("\n").split("\n")) if content else ()
    return (Hunk(0, 0, 1, len(lines), lines),) if lines else ()
