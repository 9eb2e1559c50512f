"""A payload as the headers and the JSON body of one request. Pure."""

from typing import Any, cast

import msgspec

from agentcli.base.text import clean_surrogates
from agentcli.base.version import __version__
from agentcli.protocol.payload import Payload
from agentcli.provider.credentials import Endpoint

API_VERSION = "2026-10-21"


def request_headers(endpoint: Endpoint, payload: Payload) -> dict[str, str]:
    """All headers of the POST, custom ones last so that they win. Pure."""
    headers = {
        "accept": "text/event-stream",
        "content-type": "application/json",
        "anthropic-version": API_VERSION,
        "user-agent": f"agentcli/{__version__}",
    }
    if payload.betas:
        headers["anthropic-beta"] = ",".join(payload.betas)
    return {**headers, **endpoint.auth_headers()}


def encode_body(payload: Payload) -> bytes:
    """The JSON body; lone surrogates, which UTF-8 cannot hold, become U+FFFD. Pure."""
    body = payload.body()
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return msgspec.json.encode(_clean(body))


def encodable_body(payload: Payload) -> dict[str, Any]:
    """The body as a dict that can be written as UTF-8, for a library that encodes it. Pure."""
    body = payload.body()
    try:
        msgspec.json.encode(body)
    except UnicodeEncodeError:
        return _clean(body)
    return body


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return clean_surrogates(value)
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {clean_surrogates(key): _clean(item) for key, item in items}
    if isinstance(value, list):
        return [_clean(item) for item in cast("list[Any]", value)]
    return value
