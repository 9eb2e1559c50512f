"""What we add to the conversation ourselves: written as ``attachment`` entries, sent as text."""

from agentcli.base.values import as_dict, as_list

ENVIRONMENT_KIND = "environment"
MODE_KIND = "mode_note"
HOOK_KIND = "hook_additional_context"
_SENT_KINDS = (ENVIRONMENT_KIND, MODE_KIND, HOOK_KIND)

PLAN_ON = (
    "Plan mode is on. Do not change any file and run no command that changes anything: such calls "
    "are refused. Look around, then answer with a plan and wait for the user."
)
PLAN_OFF = "Plan mode is off: you may make changes again, as the user asks for them."


def note_text(attachment: object) -> str:
    """The text that an attachment adds to the request; empty for kinds that add none. Pure."""
    note = as_dict(attachment)
    if note.get("type") not in _SENT_KINDS:
        return ""
    content = note.get("content")
    lines = as_list(content) or [content or ""]
    text = "\n".join(str(line) for line in lines)
    return f"<system-reminder>\n{text}\n</system-reminder>" if text.strip() else ""


def environment_text(
    *, cwd: str, platform: str, python: str, date: str, branch: str | None, shell: str
) -> str:
    """The facts about this machine that a coding agent needs, one a line. Pure."""
    lines = [
        "Facts about where you work (do not repeat them to the user):",
        f"Working directory: {cwd}",
        f"Git branch: {branch}" if branch else "Git: not a repository",
        f"Platform: {platform}",
        f"Shell: {shell}",
        f"Python: {python}",
        f"Date: {date}",
    ]
    return "\n".join(lines)
