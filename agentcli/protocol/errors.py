"""Errors that a person may see. Each has a title and one line that says what to do.

AgentCliError
├── UsageError              a wrong flag, argument or input
├── SettingsError           a settings file or value
├── SessionError
│   ├── SessionNotFound
│   ├── SessionAmbiguous    several would fit; ``matches`` holds them
│   ├── SessionBusy         another process writes it
│   └── SessionCorrupt
├── ProviderError           the model could not be reached or refused
│   ├── AuthError           401, 403
│   ├── RateLimited         429
│   ├── Overloaded          529 and 5xx
│   ├── PromptTooLong
│   ├── RequestRefused      400, 404, 413, 422: sending it again is no use
│   ├── BadResponse         not the Messages API (HTML, broken JSON, wrong order)
│   ├── StreamCut           the stream ended before ``message_stop``
│   └── NetworkError        no connection, time-out, TLS
└── ToolError               raised inside a tool: becomes an ``is_error`` result
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentcli.protocol.history import SessionInfo


class AgentCliError(Exception):
    """``title`` is two or three words; ``message`` says what, where and what to do."""

    title = "Error"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UsageError(AgentCliError):
    title = "Usage"


class SettingsError(AgentCliError):
    title = "Settings"


class SessionError(AgentCliError):
    title = "Session"


class SessionNotFound(SessionError):
    title = "Session not found"


class SessionAmbiguous(SessionError):
    """``matches`` holds all that would fit, newest first."""

    title = "Which session"

    def __init__(self, message: str, matches: "Sequence[SessionInfo]") -> None:
        super().__init__(message)
        self.matches = matches


class SessionBusy(SessionError):
    title = "Session in use"


class SessionCorrupt(SessionError):
    title = "Session unreadable"


class ProviderError(AgentCliError):
    """``status`` is the HTTP status, ``kind`` the API's ``error.type``, ``retry_after`` seconds."""

    title = "Model"

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        kind: str | None = None,
        retry_after: float | None = None,
        should_retry: bool | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.retry_after = retry_after
        self.should_retry = should_retry
        self.request_id = request_id


class AuthError(ProviderError):
    title = "Authentication"


class RateLimited(ProviderError):
    title = "Rate limit"


class Overloaded(ProviderError):
    title = "Overloaded"


class PromptTooLong(ProviderError):
    title = "Prompt too long"


class RequestRefused(ProviderError):
    title = "Request refused"


class BadResponse(ProviderError):
    title = "Not a model server"


class StreamCut(ProviderError):
    title = "Connection lost"


class NetworkError(ProviderError):
    title = "Network"


class ToolError(AgentCliError):
    title = "Tool"
