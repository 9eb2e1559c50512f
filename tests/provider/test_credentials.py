"""Endpoint from the environment: the right headers, clear errors, and never a secret shown."""

import pytest

from agentcli.protocol.errors import AgentCliError, AuthError, SettingsError
from agentcli.provider.credentials import (
    NoCredentials,
    clean_base_url,
    load_endpoint,
    parse_custom_headers,
)

KEY = "sk-ant-very-secret"


@pytest.mark.parametrize(
    ("env", "headers", "source"),
    [
        ({"ANTHROPIC_API_KEY": KEY}, {"authorization": f"Bearer {KEY}"}, "ANTHROPIC_API_KEY"),
        ({"ANTHROPIC_AUTH_TOKEN": "t"}, {"authorization": "Bearer t"}, "ANTHROPIC_AUTH_TOKEN"),
        (
            {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_AUTH_TOKEN": "t"},
            {"authorization": "Bearer k"},
            "ANTHROPIC_API_KEY",
        ),
        (
            {"ANTHROPIC_API_KEY": "", "ANTHROPIC_AUTH_TOKEN": "t"},
            {"authorization": "Bearer t"},
            "ANTHROPIC_AUTH_TOKEN",
        ),
        (
            {"ANTHROPIC_API_KEY": "k", "AGENTCLI_AUTH_HEADER": "x-api-key"},
            {"x-api-key": "k"},
            "ANTHROPIC_API_KEY",
        ),
        (
            {
                "ANTHROPIC_API_KEY": "k",
                "ANTHROPIC_CUSTOM_HEADERS": "Authorization: Basic b\nX-A: 1",
            },
            {"authorization": "Basic b", "x-a": "1"},
            "ANTHROPIC_CUSTOM_HEADERS",
        ),
        ({"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}, {}, None),
        ({"ANTHROPIC_BASE_URL": "http://[::1]:9"}, {}, None),
    ],
)
def test_headers(env: dict[str, str], headers: dict[str, str], source: str | None) -> None:
    endpoint = load_endpoint(env)
    assert endpoint.auth_headers() == headers
    assert endpoint.key_source == source


def test_the_environment_wins_over_settings() -> None:
    env = {"ANTHROPIC_API_KEY": "k"}
    endpoint = load_endpoint(env, base_url="https://gw.example/x/", auth_header="x-api-key")
    assert (endpoint.base_url, endpoint.auth_header) == ("https://gw.example/x", "x-api-key")
    env |= {"ANTHROPIC_BASE_URL": "https://other.example", "AGENTCLI_AUTH_HEADER": "bearer"}
    endpoint = load_endpoint(env, base_url="https://gw.example/x/", auth_header="x-api-key")
    assert (endpoint.base_url, endpoint.auth_header) == ("https://other.example", "bearer")


@pytest.mark.parametrize(
    "env", [{}, {"ANTHROPIC_API_KEY": ""}, {"ANTHROPIC_BASE_URL": "http://127.0.0.1.evil.example"}]
)
def test_no_credentials(env: dict[str, str]) -> None:
    with pytest.raises(NoCredentials, match="Set ANTHROPIC_API_KEY") as caught:
        load_endpoint(env)
    assert isinstance(caught.value, AuthError)
    assert load_endpoint(env, need_key=False).auth_headers() == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://api.anthropic.com", "https://api.anthropic.com"),
        ("https://api.anthropic.com/", "https://api.anthropic.com"),
        ("https://api.anthropic.com/v1", "https://api.anthropic.com"),
        ("https://api.anthropic.com/v1/messages/", "https://api.anthropic.com"),
        (" HTTPS://GW.example:8443/team/a// ", "https://gw.example:8443/team/a"),
        ("https://gw.example/anthropic/v1/", "https://gw.example/anthropic"),
        ("https://gw.example/v10", "https://gw.example/v10"),
        ("http://[::1]:80/v1", "http://[::1]:80"),
    ],
)
def test_base_url(text: str, expected: str) -> None:
    assert clean_base_url(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "api.anthropic.com",
        "ftp://x.example",
        "https://",
        "https://user:hunter22@x.example",
        "https://x.example?key=hunter22",
        "https://x.example#hunter22",
        "https://x.example:99999",
        "https://x.ex ample",
        "https://x.example/a\x1b[31m",
        "https://[::1",
    ],
)
def test_bad_base_url(text: str) -> None:
    with pytest.raises(SettingsError, match="ANTHROPIC_BASE_URL") as caught:
        clean_base_url(text)
    assert "hunter22" not in caught.value.message


def test_custom_headers() -> None:
    assert parse_custom_headers("X-A: 1\r\n\n  x-b :two: 3  \n") == (
        ("X-A", "1"),
        ("x-b", "two: 3"),
    )
    assert parse_custom_headers("") == ()


@pytest.mark.parametrize(
    "line",
    [
        "hunter22",
        "X Y: hunter22",
        ": hunter22",
        "X-A: hunter22\x00",
        "X-A: hunter22\rX-B: 2",
        "X-A: hunter22ü",
        "Content-Length: 5hunter22",
        "X-A\x1b: hunter22",
    ],
)
def test_bad_custom_header_names_the_line_only(line: str) -> None:
    with pytest.raises(SettingsError, match="line 2") as caught:
        parse_custom_headers(f"X-Ok: 1\n{line}\nX-Ok: 2")
    assert "hunter22" not in caught.value.message


@pytest.mark.parametrize("key", [f"{KEY}\n", f" {KEY}", f"{KEY} x", f"{KEY}é", f"{KEY}\x00"])
@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"])
def test_a_mangled_key_is_refused_unseen(name: str, key: str) -> None:
    with pytest.raises(SettingsError, match=name) as caught:
        load_endpoint({name: key})
    assert "secret" not in caught.value.message


def test_wrong_auth_header() -> None:
    with pytest.raises(AgentCliError, match="AGENTCLI_AUTH_HEADER"):
        load_endpoint({"ANTHROPIC_API_KEY": "k"}, auth_header="basic")


def test_no_secret_in_repr_and_redaction() -> None:
    env = {"ANTHROPIC_AUTH_TOKEN": KEY, "ANTHROPIC_CUSTOM_HEADERS": "X-T: Token hush-hush-hush"}
    endpoint = load_endpoint(env)
    assert "secret" not in repr(endpoint)
    assert "hush" not in repr(endpoint)
    assert endpoint.redact(f"bad {KEY} / hush-hush-hush") == "bad … / …"
