"""Decisions about the file tools: Read, Glob, Grep, Edit, Write, NotebookEdit."""

import re
from dataclasses import replace
from typing import Any

from agentcli.base.path_text import show_path, unescape_path
from agentcli.permissions import suggest
from agentcli.permissions.bench import Access, Bench, allowed, asked, denied, parent, target_of
from agentcli.permissions.paths import Spelled, all_inside, spell_roots
from agentcli.permissions.policy import Decision
from agentcli.permissions.protected import protected_part
from agentcli.permissions.rules import EDIT_TOOLS
from agentcli.protocol.calls import ToolCall

_FIELDS = {"Read": "file_path", "Edit": "file_path", "Write": "file_path"} | {
    "NotebookEdit": "notebook_path"
}
_WILD = re.compile(r"[*?\[{]")
_PLAN_DENIAL = (
    "Plan mode is on: files are not changed. Read and search only, and present a plan; the user "
    "decides when the work may begin."
)


def decide_file(call: ToolCall, bench: Bench) -> Decision:
    """Judge one call of a file tool. Pure but for the probe."""
    text = _path_text(call.name, call.input)
    if text is None:
        field = _FIELDS.get(call.name, "path")
        return Decision("deny", f"{call.name}: the input needs a string {field!r}.")
    path = _opened(text, bench)
    access: Access = "edit" if call.name in EDIT_TOOLS else "read"
    rule = bench.denying(access, path, call.name)
    if rule:
        return denied(rule, f"{call.name} of {text}")
    if access == "edit" and bench.policy.mode == "plan":
        return Decision("deny", _PLAN_DENIAL)
    rule = bench.asking(access, path, call.name)
    if rule:
        return replace(asked(rule), targets=(target_of(path),))
    return _decide_edit(call, path, bench) if access == "edit" else _decide_read(call, path, bench)


def may_read(text: str, bench: Bench, extra_roots: tuple[str, ...] = ()) -> bool:
    """May a path found by a search be shown? No question is asked, so an ask rule says no.

    *extra_roots* are folders whose search was approved. Pure but for the probe.
    """
    path = bench.spell(text, literal=True)
    if bench.denying("read", path, "Read") or bench.asking("read", path, "Read"):
        return False
    if bench.policy.mode == "bypassPermissions" or all_inside(path, (*bench.roots, *extra_roots)):
        return True
    return bench.allowing("read", path, "Read") is not None


def _decide_read(call: ToolCall, path: Spelled, bench: Bench) -> Decision:
    targets = (target_of(path),)
    if bench.policy.mode == "bypassPermissions":
        return Decision("allow", "allowed by the mode", targets=targets)
    rule = bench.allowing("read", path, call.name)
    if rule:
        return allowed(rule, targets)
    if all_inside(path, bench.roots) and not _climbs(call):
        return Decision("allow", "reads inside the working directories", targets=targets)
    if all_inside(path, spell_roots(bench.policy.outputs, bench.probe)):
        return Decision("allow", "reads an output of this session", targets=targets)
    folders = path.names if call.name != "Read" else tuple(map(parent, path.names))
    return Decision(
        "ask",
        f"Outside the working directories: {show_path(path.real)}",
        suggestions=suggest.read_suggestions(folders, bench.policy.home),
        targets=targets,
    )


def _decide_edit(call: ToolCall, path: Spelled, bench: Bench) -> Decision:
    policy, targets = bench.policy, (target_of(path),)
    bypass = policy.mode == "bypassPermissions"
    part = protected_part(path, policy.protected)
    if part and not bypass:
        reason = f"Protected: {part} (a change there can run code)"
        return Decision("ask", reason, targets=targets, firm=True)
    if bypass:
        return Decision("allow", "allowed by the mode", targets=targets)
    rule = bench.allowing("edit", path, call.name)
    if rule and path.certain:
        return allowed(rule, targets)
    inside = all_inside(path, bench.roots)
    if policy.mode == "acceptEdits" and inside:
        if not path.node.shared:
            return Decision("allow", "allowed by the mode", targets=targets)
        return Decision("ask", "Changes a file that has other names elsewhere", targets=targets)
    reason = (
        "Changes a file" if inside else f"Outside the working directories: {show_path(path.real)}"
    )
    folders = tuple(map(parent, path.names))
    suggestions = suggest.edit_suggestions(folders, policy.home, inside)
    return Decision("ask", reason, suggestions=suggestions, targets=targets)


def _opened(text: str, bench: Bench) -> Spelled:
    """What the tool will open: a text in the escaped form of ``show_path`` stands for its file."""
    path = bench.spell(text)
    if "\\" not in text or bench.probe.lstat(path.names[0]).kind != "missing":
        return path
    other = bench.spell(unescape_path(text))
    return path if bench.probe.lstat(other.names[0]).kind == "missing" else other


def _path_text(tool: str, given: dict[str, Any]) -> str | None:
    if tool in _FIELDS:
        value = given.get(_FIELDS[tool])
        return value if isinstance(value, str) and value else None
    value = given.get("path")
    if value is None or value == "":
        value = "."
    if not isinstance(value, str):
        return None
    pattern = given.get("pattern")
    if tool != "Glob":
        return value
    if not isinstance(pattern, str):
        return None
    # A pattern may start with a path of its own: what it names is what is searched.
    head = pattern[: wild.start()] if (wild := _WILD.search(pattern)) else pattern
    folder = head.rpartition("/")[0] or ("/" if head.startswith("/") else "")
    if folder.startswith(("/", "~")):
        return folder
    return f"{value}/{folder}" if folder else value


def _climbs(call: ToolCall) -> bool:
    """A ``..`` or an absolute part inside a search pattern: it may lead anywhere."""
    if call.name != "Glob":
        return False
    pattern = str(call.input.get("pattern", ""))
    parts = re.split(r"[/{},]", pattern)
    return ".." in parts or re.search(r"[{,][/~]", pattern) is not None
