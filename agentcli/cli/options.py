"""The command line as a value. Apart from its parser, which no plain start needs."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Args:
    """The parsed command line; names are the flags'."""

    prompt: str | None = None
    print: bool = False
    output_format: str = "text"
    include_partial_messages: bool = False
    verbose: bool = False
    model: str | None = None
    effort: str | None = None
    permission_mode: str | None = None
    allowed_tools: list[str] = field(default_factory=list[str])
    disallowed_tools: list[str] = field(default_factory=list[str])
    add_dir: list[str] = field(default_factory=list[str])
    append_system_prompt: str | None = None
    max_turns: int | None = None
    resume: str | None = None
    """Which session to go on with; empty: it is to be chosen."""
    continue_: bool = False
    fork_session: bool = False
    session_id: str | None = None
    name: str | None = None
    no_session_persistence: bool = False
    trust: bool = False
    transport: str = "http"
    theme: str | None = None
    demo: bool = False
