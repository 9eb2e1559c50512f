"""What a server answered → which error, with a line that says what to do."""

import json
from typing import Any

import pytest

from agentcli.protocol.errors import (
    AuthError,
    BadResponse,
    Overloaded,
    PromptTooLong,
    ProviderError,
    RateLimited,
    RequestRefused,
)
from agentcli.provider.credentials import Endpoint
from agentcli.provider.errors import error_from_event, error_from_response, parse_retry_after

KEY = "sk-ant-very-secret"
ENDPOINT = Endpoint("https://api.example/x", "ANTHROPIC_API_KEY", "bearer", KEY)
JSON = {"content-type": "application/json", "request-id": "req_9"}
HTML = {"content-type": "text/html; charset=utf-8"}
PAGE = b"<!doctype html><h1>hello</h1>"


def api(kind: str, message: str) -> bytes:
    return json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode()


@pytest.mark.parametrize(
    ("status", "headers", "body", "error_class", "words"),
    [
        (401, JSON, api("authentication_error", "invalid key"), AuthError,
         ["refused (401)", "invalid key", "ANTHROPIC_API_KEY"]),
        (401, HTML, PAGE, AuthError, ["refused (401)"]),
        (403, JSON, api("permission_error", "not yours"), AuthError, ["(403)", "not yours"]),
        (403, HTML, PAGE, BadResponse, ["403", "web page (text/html)", "ANTHROPIC_BASE_URL"]),
        (429, JSON, api("rate_limit_error", "slow down"), RateLimited, ["(429)", "slow down"]),
        (429, HTML, PAGE, RateLimited, ["(429)"]),
        (529, JSON, api("overloaded_error", "Overloaded"), Overloaded, ["overloaded (529)"]),
        (500, JSON, api("api_error", "Internal"), Overloaded, ["failed (500)", "Internal"]),
        (502, HTML, PAGE, Overloaded, ["failed (502)"]),
        (413, JSON, api("request_too_large", "Too big"), PromptTooLong, ["(413)", "Too big"]),
        (413, HTML, PAGE, PromptTooLong, ["(413)"]),
        (400, JSON, api("invalid_request_error", "prompt is too long: 9 > 8"), PromptTooLong,
         ["9 > 8"]),
        (400, JSON, api("invalid_request_error",
         "input length and `max_tokens` exceed context limit: 1"), PromptTooLong, ["limit"]),
        (400, JSON, api("invalid_request_error", "messages.0: bad\nmore"), RequestRefused,
         ["refused (400): messages.0: bad …"]),
        (404, JSON, api("not_found_error", "model: claude-sonet-5-5"), RequestRefused,
         ["no model 'claude-sonet-5-5' (404)", "Did you mean claude-sonnet-5-5?", "--model"]),
        (404, JSON, b'{"detail":"Not Found"}', RequestRefused,
         ["https://api.example/x/v1/messages was not found", "ANTHROPIC_BASE_URL"]),
        (404, HTML, PAGE, BadResponse, ["https://api.example/x answered 404, with a web page"]),
        (409, JSON, b'{"error":"busy"}', RequestRefused, ["(409): busy."]),
        (422, JSON, b'{"message":"no"}', RequestRefused, ["(422): no."]),
        (400, {}, b"", RequestRefused, ["refused (400)."]),
        (400, {"content-type": "text/plain"}, b"nope", BadResponse, ["text/plain"]),
        (200, HTML, PAGE, BadResponse,
         ["answered with a web page (text/html), not the Messages API: check ANTHROPIC_BASE_URL"]),
        (200, JSON, b'{"id":"chatcmpl"}', BadResponse, ["application/json", "https://api.example/x"]),
        (200, JSON, b"", BadResponse, ["application/json"]),
        (200, JSON, api("overloaded_error", "Busy"), Overloaded, ["Busy"]),
        (200, JSON, b"[" * 100_000, BadResponse, ["application/json"]),
        (301, {"location": "https://u:pw@www.example/login?t=tok"}, b"", BadResponse,
         ["redirects (301) to https://www.example/login:", "ANTHROPIC_BASE_URL"]),
        (302, {}, b"", BadResponse, ["redirects (302) to another address"]),
    ],
)  # fmt: skip
def test_answers(
    status: int,
    headers: dict[str, str],
    body: bytes,
    error_class: type[ProviderError],
    words: list[str],
) -> None:
    error = error_from_response(status, headers, body, ENDPOINT, "claude-sonet-5-5")
    assert type(error) is error_class
    assert error.status == status
    assert error.request_id == headers.get("request-id")
    assert "\n" not in error.message
    for word in words:
        assert word in error.message


def test_a_server_that_echoes_the_key_does_not_show_it() -> None:
    body = api("authentication_error", f"wrong key {KEY}")
    for status in (400, 401, 403, 404, 429, 500):
        assert KEY not in error_from_response(status, JSON, body, ENDPOINT, "m-1").message
    event = {"type": "error", "error": {"type": "api_error", "message": KEY}}
    assert KEY not in error_from_event(event, endpoint=ENDPOINT).message


def test_a_hostile_message_is_made_harmless() -> None:
    body = api("invalid_request_error", "\x1b]0;x\x07 \u202e evil " + "x" * 5000)
    message = error_from_response(400, JSON, body, ENDPOINT, "m-1").message
    assert "\x1b" not in message
    assert "\u202e" not in message
    assert len(message) < 500


def test_a_local_server_without_key_that_wants_one() -> None:
    error = error_from_response(401, JSON, b"{}", Endpoint("http://127.0.0.1:1"), "m-1")
    assert error.message == "127.0.0.1:1 wants an API key (401): set ANTHROPIC_API_KEY."


def test_retry_fields() -> None:
    headers = {**JSON, "retry-after": "90", "x-should-retry": "false"}
    error = error_from_response(429, headers, api("rate_limit_error", "x"), ENDPOINT, "m-1")
    assert (error.retry_after, error.should_retry, error.kind) == (90.0, False, "rate_limit_error")
    assert error.message.endswith("The server asks to wait 2 min.")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "7"}, 1.5),
        ({"retry-after-ms": "x", "retry-after": "7"}, 7.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 60.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "Thu, 99 Foo 99999999 00:00:00 GMT"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert parse_retry_after(headers, now=40.0) == seconds


@pytest.mark.parametrize(
    ("error", "error_class"),
    [
        ({"type": "overloaded_error", "message": "x"}, Overloaded),
        ({"type": "api_error", "message": "x"}, Overloaded),
        ({"type": "timeout_error", "message": "x"}, Overloaded),
        ({"type": "rate_limit_error", "message": "x"}, RateLimited),
        ({"type": "authentication_error", "message": "x"}, AuthError),
        ({"type": "invalid_request_error", "message": "prompt is too long"}, PromptTooLong),
        ({"type": "later_error"}, RequestRefused),
        ("words", RequestRefused),
        (None, RequestRefused),
    ],
)
def test_error_events(error: Any, error_class: type[ProviderError]) -> None:
    result = error_from_event({"type": "error", "error": error}, request_id="req_1")
    assert type(result) is error_class
    assert (result.status, result.request_id) == (None, "req_1")
