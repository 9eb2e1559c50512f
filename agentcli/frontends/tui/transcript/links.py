"""Links in text: which addresses can be clicked, and what is shown of them."""

import re
from functools import lru_cache

from rich.style import Style

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.rows import Run

_SCHEMES = ("http://", "https://", "mailto:", "file://")
_LONGEST = 2_000
"""Longer addresses are refused by terminals."""
_SHOWN = 60
_LONG_HOST = 40
_UNSAFE = re.compile(r"[^\x21-\x7e]")
_BARE = re.compile(r"https?://[^\s<>\"'`│]+", re.IGNORECASE)


def link_target(address: str) -> str:
    """The address that the terminal may open, or "" where it may not: only pages, mail and files,
    nothing that a terminal could take for a control. Pure."""
    if len(address) > _LONGEST or not address.lower().startswith(_SCHEMES):
        return ""
    return _UNSAFE.sub(_percent, address)


def linked(style: Style, address: str) -> Style:
    """*style* with a link to *address*; *style* alone where that cannot be clicked. Pure."""
    target = link_target(address)
    return _with_link(style, target) if target else style


def bare_links(text: str, style: Style) -> list[Run]:
    """*text* with the addresses in it as links. Pure."""
    if "://" not in text:
        return [(text, style)]
    runs: list[Run] = []
    position = 0
    for match in _BARE.finditer(text):
        address = _without_sentence_end(match.group())
        end = match.start() + len(address)
        runs.append((text[position : match.start()], style))
        runs.append((address, linked(style, address)))
        position = end
    runs.append((text[position:], style))
    return [run for run in runs if run[0]]


def address_runs(address: str, shown: str, look: Look) -> list[Run]:
    """What follows a link whose text is *shown*: its true address, unless that is the text."""
    if not address or shown in (address, address.removeprefix("mailto:")):
        return []
    return [(f" ({_shorten(address)})", linked(look.dim, address))]


def _shorten(address: str) -> str:
    """The middle of a long path left out; the host is always whole, since one decides by it."""
    host = re.match(r"[a-zA-Z]+://[^/?#]*", address)
    long_host = host is not None and (len(host.group()) > _LONG_HOST or "@" in host.group())
    if len(address) <= _SHOWN or long_host:
        return address
    return address[:_LONG_HOST] + "…" + address[-(_SHOWN - _LONG_HOST - 1) :]


def _without_sentence_end(address: str) -> str:
    """An address in prose without the punctuation and the bracket that close after it."""
    while address:
        last = address[-1]
        if last in ".,;:!?*_~" or (last in ")]}" and _is_unpaired(address, last)):
            address = address[:-1]
            continue
        break
    return address


def _is_unpaired(address: str, closing: str) -> bool:
    return address.count(closing) > address.count({")": "(", "]": "[", "}": "{"}[closing])


def _percent(match: re.Match[str]) -> str:
    char = match.group()
    if char <= " " or "\x7f" <= char <= "\x9f":
        return ""
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "replace"))


@lru_cache(maxsize=2048)
def _with_link(style: Style, target: str) -> Style:
    # kept, because each new one gets another id: rows drawn again would look changed, and the
    # lines of a wrapped link would not belong together
    return style + Style(underline=True, link=target)
