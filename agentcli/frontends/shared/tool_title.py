"""What a tool call is called: its verb, and what it works on, as one safe line each. Pure."""

from dataclasses import dataclass
from typing import Any

from agentcli.base.text import one_line, reveal
from agentcli.protocol import prompts
from agentcli.protocol.calls import ToolCall


@dataclass(frozen=True, slots=True)
class ToolTitle:
    """``verb`` names the tool, ``object`` what it works on; both are one safe line."""

    verb: str
    object: str = ""


def tool_title(call: ToolCall, cwd: str = "") -> ToolTitle:
    """The call as verb and object; paths below *cwd* are shown relative to it. Pure."""
    given = call.input
    match call.name:
        case "Read" | "Edit" | "Write" | "MultiEdit":
            return ToolTitle(call.name, _path(given, cwd))
        case "NotebookEdit":
            return ToolTitle("Notebook", _short_path(input_text(given, "notebook_path"), cwd))
        case "Bash" | prompts.SHELL_CALL:
            return ToolTitle(call.name, one_line(input_text(given, "command"), 400))
        case "Grep":
            return ToolTitle("Grep", _quoted(given) + _where(given, cwd))
        case "Glob":
            return ToolTitle(
                "Glob", one_line(input_text(given, "pattern"), 200) + _where(given, cwd)
            )
        case "WebFetch":
            return ToolTitle("Fetch", one_line(input_text(given, "url"), 300))
        case "WebSearch":
            return ToolTitle("Search", _quoted(given, "query"))
        case "Agent" | "Task":
            return ToolTitle("Agent", one_line(input_text(given, "description"), 120))
        case _:
            return ToolTitle(_plain_name(call.name), _first_value(given))


def input_text(given: dict[str, Any], key: str) -> str:
    """The text under *key* of a call's input; "" where there is none. Pure."""
    value = given.get(key)
    return value if isinstance(value, str) else ""


def _path(given: dict[str, Any], cwd: str) -> str:
    return _short_path(input_text(given, "file_path"), cwd)


def _short_path(path: str, cwd: str) -> str:
    base = cwd.rstrip("/") + "/"
    shown = path[len(base) :] if cwd and path.startswith(base) and len(path) > len(base) else path
    return reveal(shown).replace("\n", "\\n").replace("\t", "\\t")


def _quoted(given: dict[str, Any], key: str = "pattern") -> str:
    text = one_line(input_text(given, key), 200)
    return f'"{text}"' if text else ""


def _where(given: dict[str, Any], cwd: str) -> str:
    path = input_text(given, "path")
    place = "" if not path or path.rstrip("/") == cwd.rstrip("/") else _short_path(path, cwd)
    scope = one_line(input_text(given, "glob") or input_text(given, "type"), 80)
    return (f" in {place}" if place else "") + (f" ({scope})" if scope else "")


def _plain_name(name: str) -> str:
    if name.startswith("mcp__"):
        server, _, tool = name[5:].partition("__")
        return one_line(f"{server}: {tool}" if tool else server, 80)
    return one_line(name, 80)


def _first_value(given: dict[str, Any]) -> str:
    for value in given.values():
        if isinstance(value, str) and value.strip():
            return one_line(value, 200)
    return ""
