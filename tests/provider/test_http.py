"""The default transport's own edges: TLS, proxies, time, cost, and what importing it loads."""

import asyncio
import shutil
import socket
import ssl
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from agentcli.protocol.errors import NetworkError
from agentcli.protocol.payload import Payload
from agentcli.provider.credentials import Endpoint
from agentcli.provider.http_stream import network_error
from agentcli.provider.http_transport import HttpTransport
from agentcli.provider.timeouts import Timeouts
from tests.provider.raw_server import Reply, plain, raw_server, sse

PAYLOAD = Payload("m-1", [], [{"role": "user", "content": "hi"}], [], {"max_tokens": 5})
REPLY = Reply(body=sse(*plain()))


async def ask(url: str, timeouts: Timeouts | None = None) -> list[object]:
    client = HttpTransport(Endpoint(url, "ANTHROPIC_API_KEY", "bearer", "k"), timeouts=timeouts)
    try:
        return [event async for event in client.stream(PAYLOAD)]
    finally:
        await client.aclose()


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A fresh self-signed certificate for 127.0.0.1 with its key, in one file."""
    if shutil.which("openssl") is None:
        pytest.skip("the openssl command makes the certificate")
    path = tmp_path / "server.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
               "-nodes", "-days", "2", "-subj", "/CN=test", "-addext",
               "subjectAltName=IP:127.0.0.1", "-keyout", str(path), "-out",
               str(tmp_path / "cert.pem")]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    path.write_text(path.read_text() + (tmp_path / "cert.pem").read_text())
    return path


def server_context(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


async def test_untrusted_certificate_is_not_retried(certificate: Path) -> None:
    async with raw_server(REPLY, tls=server_context(certificate)) as server:
        with pytest.raises(NetworkError, match=r"certificate of 127\.0\.0\.1") as caught:
            await ask(server.url.replace("http:", "https:"))
    assert caught.value.should_retry is False
    assert server.requests == []


async def test_warm_up_opens_the_connection_that_the_request_uses(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with raw_server(REPLY, tls=server_context(certificate)) as server:
        url = server.url.replace("http:", "https:")
        client = HttpTransport(Endpoint(url, "ANTHROPIC_API_KEY", "bearer", "k"))
        await client.warm_up()
        assert [event async for event in client.stream(PAYLOAD)] == plain()
        await client.aclose()
    warm, request = server.requests
    assert (warm.connection, request.connection) == (1, 1)
    assert "authorization" not in warm.headers
    assert request.headers["authorization"] == "Bearer k"


async def test_plain_http_port_behind_https_is_not_retried() -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(NetworkError, match="No secure connection") as caught:
            await ask(f"https://127.0.0.1:{port}")
    assert caught.value.should_retry is False


async def test_a_handshake_that_hangs_may_be_retried() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(NetworkError, match="Cannot connect") as caught:
            await ask(url, Timeouts(connect=0.2))
    assert caught.value.should_retry is None


@pytest.mark.parametrize(
    ("name", "value"), [("HTTPS_PROXY", "nonsense://x"), ("SSL_CERT_FILE", "/nowhere/ca.pem")]
)
async def test_unusable_surroundings(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(NetworkError, match=name) as caught:
        await ask("http://127.0.0.1:1")
    assert caught.value.should_retry is False


async def test_proxy_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    async with raw_server(REPLY) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        assert await ask("http://model.invalid/base") == plain()
    assert proxy.requests[0].line == "POST http://model.invalid/base/v1/messages HTTP/1.1"


async def test_no_first_byte_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(NetworkError, match="API_TIMEOUT_MS") as caught:
            await ask(url, Timeouts(first_byte=0.2))
    assert caught.value.should_retry is None


def test_unknown_host_is_named() -> None:
    exc = httpx2.ConnectError("x")
    exc.__cause__ = ExceptionGroup("all failed", [OSError("a"), socket.gaierror(-2, "unknown")])
    error = network_error(exc, Endpoint("https://model.invalid:8443/x"))
    assert "The host model.invalid:8443 was not found" in error.message
    assert error.should_retry is None


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("credentials", ("httpx2", "msgspec", "anthropic", "ssl", "asyncio")),
        ("models", ("httpx2", "msgspec", "anthropic", "ssl", "asyncio", "difflib")),
        ("retry", ("httpx2", "msgspec", "anthropic")),
        ("accumulate", ("httpx2", "anthropic", "email.utils")),
        ("http_transport", ("anthropic", "pydantic", "httpx2._main")),
        ("sdk_transport", ("anthropic", "pydantic", "httpx2")),
    ],
)
def test_imports_stay_small(module: str, absent: tuple[str, ...]) -> None:
    code = f"import sys, agentcli.provider.{module}; print(*sys.modules, sep='\\n')"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) & set(absent) == set()
