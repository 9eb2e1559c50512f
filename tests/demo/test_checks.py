"""Every refusal has a body that the API refuses, and a twin that differs little and passes."""

import json
from typing import Any

import pytest

from agentcli.demo.checks import check_headers, check_request, decode_body
from agentcli.demo.reply import ApiRefusal
from tests.demo.refusals import CASES
from tests.demo.wire import (
    HEADERS,
    assistant,
    request_body,
    user,
)


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_refused_and_its_twin_passes(case: tuple[str, dict[str, Any], str, Any]) -> None:
    _, refused, said, twin = case
    with pytest.raises(ApiRefusal) as caught:
        check_request(refused, HEADERS)
    assert said in caught.value.message
    assert (caught.value.status, caught.value.kind) == (400, "invalid_request_error")
    check_request(twin, HEADERS)


@pytest.mark.parametrize(
    ("field", "beta"),
    [
        ("context_management", "context-management-2025-06-27"),
        ("compaction", "compact-2026-09-04"),
        ("mcp_servers", "mcp-client-2025-11-20"),
    ],
)
def test_beta_fields_need_their_beta(field: str, beta: str) -> None:
    body = request_body(**{field: {}})
    check_request(body, {**HEADERS, "anthropic-beta": f"other-2026-01-01, {beta}"})
    for betas in ("", "other-2026-01-01"):
        with pytest.raises(ApiRefusal, match="Extra inputs are not permitted"):
            check_request(body, {**HEADERS, "anthropic-beta": betas})


def test_unknown_model_is_not_found_only_where_the_id_says_so() -> None:
    with pytest.raises(ApiRefusal) as caught:
        check_request(request_body(model="claude-nonexistent-1"), HEADERS)
    assert (caught.value.status, caught.value.kind) == (404, "not_found_error")
    check_request(request_body(model="my-local-model:7b"), HEADERS)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x00",
        b"[]",
        b'{"model": "\xff"}',
        b'{"model": "\\ud800"}',
        b'{"model": "\xed\xa0\x80"}',
        b'{"model": "a\x00b"}',
        b'{"model": NaN}',
        b'{"model": "x"} x',
    ],
)
def test_bodies_that_are_no_json_object(raw: bytes) -> None:
    with pytest.raises(ApiRefusal, match="not valid JSON") as caught:
        decode_body(raw)
    assert caught.value.status == 400


def test_a_body_with_paired_surrogates_is_fine() -> None:
    assert decode_body(json.dumps(request_body("👍")).encode())["messages"][0]["content"] == "👍"


def test_100_000_messages_at_most() -> None:
    pairs = [user("a"), assistant("b")] * 50_000
    check_request(request_body([*pairs[:-1], user("a")]), HEADERS)
    with pytest.raises(ApiRefusal, match="too many messages"):
        check_request(request_body([*pairs, user("a")]), HEADERS)


def test_headers() -> None:
    check_headers(HEADERS, None)
    check_headers({**HEADERS, "x-api-key": "k"}, "k")
    check_headers({"anthropic-version": "2023-06-01", "authorization": "Bearer k"}, "k")
    for bad, status in [
        ({"x-api-key": "k"}, 400),
        ({"x-api-key": "k", "anthropic-version": "2099-01-01"}, 400),
        ({**HEADERS, "x-api-key": "other"}, 401),
        ({"anthropic-version": "2026-10-21", "authorization": "Bearer other"}, 401),
        ({"anthropic-version": "2026-10-21"}, 401),
    ]:
        with pytest.raises(ApiRefusal) as caught:
            check_headers(bad, "k")
        assert caught.value.status == status
