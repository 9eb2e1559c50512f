"""Where requests go and how they prove who sends them, from the environment and settings."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast, get_args
from urllib.parse import SplitResult, urlsplit

from agentcli.protocol.errors import AuthError, SettingsError

AuthHeader = Literal["bearer", "x-api-key"]

DEFAULT_BASE_URL = "https://api.anthropic.com"
_KEY_NAMES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
AUTH_NAMES = frozenset({"authorization", "x-api-key"})
# The HTTP library frames the body itself; a second figure would break the request.
_FRAMING_NAMES = frozenset({"content-length", "transfer-encoding", "connection"})
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VISIBLE = re.compile(r"[\x21-\x7e]+")
_HEADER_VALUE = re.compile(r"[\x20-\x7e\t]*")
_API_PATH = re.compile(r"(/v1(/messages)?)?/*$")
_SHORTEST_SECRET = 8


class NoCredentials(AuthError):
    """There is no key at all: the CLI offers the demo or says what to set."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server and the credentials for it. ``key_source`` names the variable, never the value."""

    base_url: str
    key_source: str | None = None
    auth_header: AuthHeader = "bearer"
    secret: str | None = field(default=None, repr=False)
    custom_headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @property
    def messages_url(self) -> str:
        return f"{self.base_url}/v1/messages"

    @property
    def host(self) -> str:
        """Host, and port where the address names one, for messages."""
        return urlsplit(self.base_url).netloc

    @property
    def is_local(self) -> bool:
        return _is_loopback(urlsplit(self.base_url).hostname or "")

    def auth_headers(self) -> dict[str, str]:
        """Authentication and custom headers in lower case; custom ones win. Pure."""
        headers: dict[str, str] = {}
        if self.secret and self.auth_header == "x-api-key":
            headers["x-api-key"] = self.secret
        elif self.secret:
            headers["authorization"] = f"Bearer {self.secret}"
        for name, value in self.custom_headers:
            headers[name.lower()] = value
        return headers

    def redact(self, text: str) -> str:
        """*text* without the key and the values of custom headers, should a server echo them."""
        secrets = [self.secret or "", *(value for _, value in self.custom_headers)]
        for secret in sorted(secrets, key=len, reverse=True):
            for part in (secret, secret.rpartition(" ")[2]):
                if len(part) >= _SHORTEST_SECRET:
                    text = text.replace(part, "…")
        return text


def load_endpoint(
    env: Mapping[str, str],
    *,
    base_url: str | None = None,
    auth_header: str | None = None,
    need_key: bool = True,
) -> Endpoint:
    """Build the endpoint; the environment wins over the two settings values.

    ``need_key=False`` leaves a missing key to the official SDK's own chain. Raises SettingsError
    for values that cannot be used and NoCredentials when there is no key. Pure; no message ever
    contains a secret.
    """
    key_name = next((name for name in _KEY_NAMES if env.get(name)), None)
    secret = _checked_key(key_name, env[key_name]) if key_name else None
    custom = parse_custom_headers(env.get("ANTHROPIC_CUSTOM_HEADERS", ""))
    has_own_auth = any(name.lower() in AUTH_NAMES for name, _ in custom)
    endpoint = Endpoint(
        base_url=clean_base_url(env.get("ANTHROPIC_BASE_URL") or base_url or DEFAULT_BASE_URL),
        key_source="ANTHROPIC_CUSTOM_HEADERS" if has_own_auth else key_name,
        auth_header=_checked_auth_header(env.get("AGENTCLI_AUTH_HEADER") or auth_header),
        secret=None if has_own_auth else secret,
        custom_headers=custom,
    )
    if need_key and endpoint.key_source is None and not endpoint.is_local:
        raise NoCredentials(
            f"No API key for {endpoint.host}. Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN for "
            "a gateway), or point ANTHROPIC_BASE_URL at a server that needs none."
        )
    return endpoint


def clean_base_url(text: str) -> str:
    """The address without trailing slash and API path. Raises SettingsError. Pure."""
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError as exc:
        raise SettingsError("ANTHROPIC_BASE_URL is not a valid address.") from exc
    problem = _base_url_problem(parts)
    if problem:
        raise SettingsError(f"ANTHROPIC_BASE_URL {problem}.")
    host = parts.hostname or ""
    netloc = f"[{host}]" if ":" in host else host
    if port is not None:
        netloc += f":{port}"
    path = _API_PATH.sub("", parts.path.rstrip("/"))
    return f"{parts.scheme.lower()}://{netloc}{path}"


def parse_custom_headers(text: str) -> tuple[tuple[str, str], ...]:
    """Headers from ``Name: value`` lines. Raises SettingsError naming the line number. Pure."""
    headers: list[tuple[str, str]] = []
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if not line.strip():
            continue
        name, colon, value = line.partition(":")
        name, value = name.strip(" \t"), value.strip(" \t")
        if not colon or not _TOKEN.fullmatch(name):
            problem = "is not 'Name: value'"
        elif not _HEADER_VALUE.fullmatch(value):
            problem = "has a value with control or non-ASCII characters"
        elif name.lower() in _FRAMING_NAMES:
            problem = f"sets {name}, which the HTTP library sets itself"
        else:
            headers.append((name, value))
            continue
        raise SettingsError(f"ANTHROPIC_CUSTOM_HEADERS line {number} {problem}.")
    return tuple(headers)


def _base_url_problem(parts: SplitResult) -> str | None:
    if parts.scheme.lower() not in {"http", "https"}:
        return "must begin with https:// or http://"
    if not parts.hostname or not _VISIBLE.fullmatch(parts.netloc + parts.path):
        return "has no valid host name or path"
    if "@" in parts.netloc:
        return "must not contain a user name or password: use ANTHROPIC_CUSTOM_HEADERS"
    if parts.query or parts.fragment:
        return "must not have a query or fragment"
    return None


def _checked_key(name: str, key: str) -> str:
    if not _VISIBLE.fullmatch(key):
        raise SettingsError(
            f"{name} contains a space, a line break or a character that no key has. "
            "Set it again, the key alone."
        )
    return key


def _checked_auth_header(text: str | None) -> AuthHeader:
    value = (text or "bearer").strip().lower()
    if value not in get_args(AuthHeader):
        raise SettingsError("authHeader (AGENTCLI_AUTH_HEADER) must be 'bearer' or 'x-api-key'.")
    return cast(AuthHeader, value)


def _is_loopback(host: str) -> bool:
    if host in {"localhost", "::1"} or host.endswith(".localhost"):
        return True
    return bool(re.fullmatch(r"127(\.\d{1,3}){3}", host))
