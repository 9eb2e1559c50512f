"""The person's own shell commands in the log, back to a call and its result. Pure."""

import re

from agentcli.base.values import as_dict
from agentcli.protocol.calls import ToolCall, ToolResult
from agentcli.protocol.prompts import SHELL_CALL
from agentcli.session.entries import Entry

_INPUT = re.compile(r"<bash-input>(.*)</bash-input>", re.DOTALL)
_OUTPUT = re.compile(
    r"<bash-stdout>(.*)</bash-stdout>\s*<bash-stderr>(.*)</bash-stderr>", re.DOTALL
)
OUTPUT_LOST = "Not finished: the program ended while this command ran."


def shell_call(entry: Entry) -> ToolCall | None:
    """The command of an entry that holds one, as a call of ``!``, else None."""
    match = _whole(_INPUT, entry)
    return ToolCall(entry.uuid, SHELL_CALL, {"command": match[1]}) if match else None


def shell_result(entry: Entry) -> ToolResult | None:
    """What a command printed, if *entry* holds that, else None."""
    match = _whole(_OUTPUT, entry)
    if match is None:
        return None
    text = "\n".join(part for part in (match[1], match[2]) if part)
    facts = as_dict(entry.data.get("shellResult"))
    details = {key: value for key, value in facts.items() if key != "isError"}
    return ToolResult(text, facts.get("isError") is True, {"stdout": text, **details})


def _whole(pattern: re.Pattern[str], entry: Entry) -> re.Match[str] | None:
    if entry.type != "user" or len(entry.blocks) != 1:
        return None
    return pattern.fullmatch(str(entry.blocks[0].get("text", "")))
