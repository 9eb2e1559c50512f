"""The SDK transport's own credentials: a profile on disk, and clear words when there is none."""

import json
from pathlib import Path

import pytest

from agentcli.protocol.errors import AuthError
from agentcli.protocol.payload import Payload
from agentcli.provider.credentials import Endpoint, NoCredentials
from agentcli.provider.sdk_transport import SdkTransport
from tests.provider.raw_server import Reply, plain, raw_server, sse

PAYLOAD = Payload("m-1", [], [{"role": "user", "content": "hi"}], [], {"max_tokens": 5})


async def ask(url: str) -> list[object]:
    client = SdkTransport(Endpoint(url))
    try:
        return [event async for event in client.stream(PAYLOAD)]
    finally:
        await client.aclose()


def write_profile(folder: Path, token: str) -> None:
    for name in ("configs", "credentials"):
        (folder / name).mkdir(parents=True, mode=0o700)
    config = {"authentication": {"type": "user_oauth"}}
    credentials = {"version": "1.0", "type": "oauth_token", "access_token": token}
    for name, content in (("configs", config), ("credentials", credentials)):
        path = folder / name / "default.json"
        path.write_text(json.dumps(content))
        path.chmod(0o600)


async def test_a_profile_of_the_sdk_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_profile(tmp_path / "anthropic", "profile-token")
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path / "anthropic"))
    async with raw_server(Reply(body=sse(*plain()))) as server:
        assert await ask(server.url) == plain()
    assert server.requests[0].headers["authorization"] == "Bearer profile-token"


async def test_no_credentials_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_CONFIG_DIR")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with pytest.raises(NoCredentials, match=r"model\.invalid"):
        await ask("https://model.invalid")


async def test_a_broken_profile_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_PROFILE", "missing")
    with pytest.raises(AuthError, match="missing"):
        await ask("https://model.invalid")


async def test_advice_of_the_sdk_does_not_reach_the_screen(
    recwarn: pytest.WarningsRecorder,
) -> None:
    params = {"max_tokens": 2000, "thinking": {"type": "enabled", "budget_tokens": 1024}}
    async with raw_server(Reply(body=sse(*plain()))) as server:
        client = SdkTransport(Endpoint(server.url, "ANTHROPIC_API_KEY", "bearer", "k"))
        for model in ("claude-sonnet-4-5", "claude-opus-4-6"):
            payload = Payload(model, [], [{"role": "user", "content": "hi"}], [], params)
            assert [event async for event in client.stream(payload)] == plain()
        await client.aclose()
    assert [str(warning.message) for warning in recwarn] == []
