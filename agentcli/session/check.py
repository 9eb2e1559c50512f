"""What is wrong in a session file, line by line, and what of it a resume would not find. Pure.

Works on a stream of lines and keeps a slim index, so that a file of any size can be checked.
"""

from array import array
from collections.abc import Iterable
from typing import Any

from agentcli.session.check_chains import chain_faults
from agentcli.session.check_lines import Fault, byte_faults, entry_faults, line_fault
from agentcli.session.check_report import Problem, Report, tell_resume
from agentcli.session.codec import decode_line
from agentcli.session.entries import Entry
from agentcli.session.outline import outline
from agentcli.session.prompts import is_prompt
from agentcli.session.tree import conversation

_PROMPT = {"content": "prompt"}
"""Stands for what any prompt says: the rules for the tree only ask whether it is one."""
_KEPT = ("type", "uuid", "parentUuid", "teamName", "subtype", "logicalParentUuid")
_FLAGS = ("isSidechain", "isCompactSummary")


def check_session(lines: Iterable[bytes], session_id: str) -> Report:
    """Check the *lines* of a file (with their LF). Never raises."""
    checker = _Checker(session_id)
    for line in lines:
        checker.take(line)
    return checker.finish()


class _Checker:
    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._report = Report()
        self._line, self._offset = 0, 0
        self._slim: list[Entry] = []
        self._at: dict[str, int] = {}
        """Where in the index a uuid stands."""
        self._lines, self._offsets = array("q"), array("q")
        """Line and byte offset of each entry of the index."""
        self._names: dict[str, str] = {}

    def take(self, line: bytes) -> None:
        """The next line."""
        self._line += 1
        for fault in byte_faults(line):
            self._add(fault)
        decoded = decode_line(line)
        fault = line_fault(line, decoded)
        if fault is not None:
            self._add(fault)
        for data in decoded.objects:
            self._report.entries += 1
            self._look_at(Entry(data))
        self._offset += len(line)

    def finish(self) -> Report:
        """The report, with what only the whole shows."""
        report = self._report
        report.lines = self._line
        if not report.entries:
            self._add(Fault("empty", "error", "there is no entry in the file", "nothing to resume"))
        for at, fault in chain_faults(self._slim):
            self._add(fault, self._lines[at], self._offsets[at])
        path = conversation(self._slim)
        on_path = {entry.uuid for entry in path}
        tree = [entry for entry in self._slim if entry.is_tree and not entry.is_sidechain]
        report.reachable = sum(entry.uuid in on_path for entry in tree)
        report.unreachable = len(tree) - report.reachable
        nodes = outline(self._slim, [entry.uuid for entry in path])
        report.prompts = sum(node.kind == "prompt" for node in nodes)
        parents = [node.parent for node in nodes]
        report.branches = len(parents) - len(set(parents))
        where = [self._lines[self._at[entry.uuid]] for entry in path]
        report.resume = tell_resume(path, where, report.prompts)
        report.problems.sort(key=lambda problem: problem.line)
        return report

    def _add(self, fault: Fault, line: int | None = None, offset: int | None = None) -> None:
        at = self._line if line is None else line
        byte = self._offset if offset is None else offset
        self._report.problems.append(Problem(at, byte, *fault))

    def _look_at(self, entry: Entry) -> None:
        for fault in entry_faults(entry, self._session_id):
            self._add(fault)
        if not entry.is_tree:
            if entry.type == "last-prompt" and "leafUuid" in entry.data:
                names = ("type", "leafUuid", "explicit")
                self._keep({name: entry.data[name] for name in names if name in entry.data})
            return
        slim = self._slimmed(entry)
        first = self._at.get(entry.uuid)
        if first is None:
            self._at[slim["uuid"]] = len(self._slim)
            self._keep(slim)
            return
        text = f"its uuid stands in line {self._lines[first]} too"
        self._add(Fault("duplicate uuid", "warning", text, "the later one counts"))
        self._slim[first] = Entry(slim)

    def _keep(self, slim: dict[str, Any]) -> None:
        self._slim.append(Entry(slim))
        self._lines.append(self._line)
        self._offsets.append(self._offset)

    def _slimmed(self, entry: Entry) -> dict[str, Any]:
        """What the rules for the tree look at, without any content."""
        slim: dict[str, Any] = {}
        for name in _KEPT:
            value = entry.data.get(name)
            if value is None:
                continue
            # one string for all the places that name the same entry
            slim[name] = self._names.setdefault(value, value) if isinstance(value, str) else value
        slim.update({name: True for name in _FLAGS if entry.data.get(name) is True})
        tools = [_slim_block(block) for block in entry.blocks if _is_tool(block)]
        if tools or entry.type == "assistant":
            slim["message"] = {"id": entry.message.get("id"), "content": tools or ()}
        elif is_prompt(entry):
            slim["message"] = _PROMPT
        return slim


def _is_tool(block: dict[str, Any]) -> bool:
    return block.get("type") in ("tool_use", "tool_result")


def _slim_block(block: dict[str, Any]) -> dict[str, Any]:
    return {name: block[name] for name in ("type", "id", "tool_use_id") if name in block}
