"""From what a server answered to the typed error, with one line that says what to do."""

import math
import time
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlsplit

import msgspec

from agentcli.base.text import one_line
from agentcli.protocol.errors import (
    AuthError,
    BadResponse,
    Overloaded,
    PromptTooLong,
    ProviderError,
    RateLimited,
    RequestRefused,
)
from agentcli.protocol.payload import RawEvent
from agentcli.provider.credentials import Endpoint
from agentcli.provider.models import suggest_model

_KINDS: dict[str, type[ProviderError]] = {
    "authentication_error": AuthError,
    "permission_error": AuthError,
    "rate_limit_error": RateLimited,
    "overloaded_error": Overloaded,
    "api_error": Overloaded,
    "timeout_error": Overloaded,
    "request_too_large": PromptTooLong,
}
_STATUSES: dict[int, type[ProviderError]] = {
    401: AuthError,
    403: AuthError,
    413: PromptTooLong,
    429: RateLimited,
}
_TOO_LONG = ("prompt is too long", "exceed context limit")
_LIMIT = 300


def error_from_response(
    status: int, headers: Mapping[str, str], body: bytes, endpoint: Endpoint, model: str
) -> ProviderError:
    """The error for an answer that is no event stream; *headers* has lower-case names. Pure."""
    kind, text = _read_error(body)
    page = _foreign_answer(status, headers, body, endpoint, has_error=bool(kind or text))
    if page is not None:
        return page
    error_class = _class_of(status, kind, text)
    retry_after = parse_retry_after(headers)
    message = endpoint.redact(_message(error_class, status, text, endpoint, model))
    if error_class in {RateLimited, Overloaded} and retry_after:
        message += f" The server asks to wait {_span(retry_after)}."
    return error_class(
        message,
        status=status,
        kind=kind,
        retry_after=retry_after,
        should_retry=_parse_should_retry(headers),
        request_id=request_id_of(headers),
    )


def error_from_event(
    event: RawEvent, *, request_id: str | None = None, endpoint: Endpoint | None = None
) -> ProviderError:
    """The error that an ``error`` event inside a stream stands for. Pure."""
    kind, text = _error_parts(event)
    error_class = _class_of(None, kind, text)
    message = f"The server broke off the answer ({kind or 'error'}){_tail(text)}"
    if endpoint is not None:
        message = endpoint.redact(message)
    return error_class(message, kind=kind, request_id=request_id)


def request_id_of(headers: Mapping[str, str]) -> str | None:
    """The request's id as the API or a gateway names it. Pure."""
    return headers.get("request-id") or headers.get("x-request-id") or None


def parse_retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds from ``retry-after-ms`` or ``retry-after`` (seconds or HTTP date), never negative.

    *now* is Unix time and only needed for a date.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000)
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is None and text:
        seconds = _seconds_until(text, time.time() if now is None else now)
    return None if seconds is None else max(0.0, seconds)


def _class_of(status: int | None, kind: str | None, text: str) -> type[ProviderError]:
    if any(words in text.lower() for words in _TOO_LONG):
        return PromptTooLong
    if status is not None and status >= 400:
        if status >= 500:
            return Overloaded
        return _STATUSES.get(status, _KINDS.get(kind or "", RequestRefused))
    return _KINDS.get(kind or "", RequestRefused)


def _message(
    error_class: type[ProviderError], status: int, text: str, endpoint: Endpoint, model: str
) -> str:
    code = f"({status})"
    if error_class is AuthError:
        return _auth_message(status, text, endpoint)
    if error_class is RateLimited:
        return f"Too many requests {code}{_tail(text)}"
    if error_class is Overloaded:
        what = "is overloaded" if status == 529 else "failed"
        return f"{endpoint.host} {what} {code}{_tail(text)}"
    if error_class is PromptTooLong:
        text = f"The conversation is too long for this model {code}{_tail(text)}".rstrip(".")
        return f"{text}. Start a new one (/clear) with less text, or use a model with more room."
    if status == 404 and "model" in text.lower():
        hint = suggest_model(model)
        also = f" Did you mean {hint}?" if hint and hint != model else ""
        name = one_line(model, 80)
        return f"{endpoint.host} has no model '{name}' {code}.{also} Choose one with --model."
    if status == 404:
        return f"{endpoint.messages_url} was not found {code}: check ANTHROPIC_BASE_URL."
    return f"The request was refused {code}{_tail(text)}"


def _auth_message(status: int, text: str, endpoint: Endpoint) -> str:
    if endpoint.key_source is None:
        return f"{endpoint.host} wants an API key ({status}): set ANTHROPIC_API_KEY."
    if status == 403:
        return (
            f"The key in {endpoint.key_source} may not be used for this (403){_tail(text)} "
            "Check the key's permissions, or set another one."
        )
    return (
        f"The API key was refused ({status}){_tail(text)} "
        f"It came from {endpoint.key_source}: set ANTHROPIC_API_KEY to a valid key "
        "(ANTHROPIC_AUTH_TOKEN for a gateway)."
    )


def _foreign_answer(
    status: int, headers: Mapping[str, str], body: bytes, endpoint: Endpoint, *, has_error: bool
) -> BadResponse | None:
    """BadResponse when this is not the Messages API; a busy or locked door may say so in HTML."""
    request_id = request_id_of(headers)
    if 300 <= status < 400:
        target = urlsplit(headers.get("location", ""))
        place = one_line(f"{target.scheme}://{target.hostname}{target.path}", 120)
        where = place if target.hostname else "another address"
        text = f"{endpoint.base_url} redirects ({status}) to {where}: set ANTHROPIC_BASE_URL to it."
        return BadResponse(text, status=status, request_id=request_id)
    if status >= 500 or status in {401, 413, 429} or has_error:
        return None
    media = headers.get("content-type", "").partition(";")[0].strip().lower()
    if status >= 400 and ("json" in media or not body.strip()):
        return None
    is_page = "html" in media or body.lstrip()[:1] == b"<"
    what = f"a web page ({media or 'HTML'})" if is_page else one_line(media, 60) or "something else"
    code = "" if status < 300 else f" {status},"
    text = f"{endpoint.base_url} answered{code} with {what}, not the Messages API: "
    return BadResponse(
        endpoint.redact(text + "check ANTHROPIC_BASE_URL."), status=status, request_id=request_id
    )


def _read_error(body: bytes) -> tuple[str | None, str]:
    try:
        value: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None, ""
    return _error_parts(value)


def _error_parts(value: object) -> tuple[str | None, str]:
    """``error.type`` and the message, also in the flat forms that gateways use."""
    if not isinstance(value, dict):
        return None, ""
    outer = cast("dict[str, Any]", value)
    error = outer.get("error")
    if isinstance(error, dict):
        inner = cast("dict[str, Any]", error)
        kind, text = inner.get("type"), inner.get("message")
    else:
        kind, text = None, error or outer.get("message") or outer.get("detail")
    return (
        one_line(kind, 60) if isinstance(kind, str) and kind else None,
        text if isinstance(text, str) else "",
    )


def _tail(text: str) -> str:
    line = one_line(text, _LIMIT)
    return f": {line}" + ("" if line.endswith((".", "!", "?", "…")) else ".") if line else "."


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{math.ceil(seconds)} s"
    minutes = math.ceil(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{math.ceil(minutes / 60)} h"


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _seconds_until(date: str, now: float) -> float | None:
    from email.utils import mktime_tz, parsedate_tz

    parsed = parsedate_tz(date)
    if parsed is None:
        return None
    try:
        return mktime_tz(parsed) - now
    except (ValueError, OverflowError):
        return None


def _parse_should_retry(headers: Mapping[str, str]) -> bool | None:
    return {"true": True, "false": False}.get(headers.get("x-should-retry", "").lower())
