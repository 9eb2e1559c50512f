"""Decisions about WebFetch and WebSearch: which host a URL really names, and who allowed it."""

import ipaddress
import re
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urlsplit

from agentcli.permissions import globs
from agentcli.permissions.bench import Bench, allowed, asked, denied, tool_fits
from agentcli.permissions.policy import Decision
from agentcli.permissions.rules import SourcedRule
from agentcli.protocol.calls import ToolCall
from agentcli.protocol.rules import Rule, RuleUpdate

_MAX_URL = 2_000
_SCHEMES = ("http", "https")
# What two URL parsers may read differently: refused before any of them reads it.
_AMBIGUOUS = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMERIC = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)")
_OWN_NAMES = ("localhost", "local", "internal", "home.arpa", "localdomain")


@dataclass(frozen=True, slots=True)
class Host:
    """``name``: lower case, ASCII, without a final dot. ``private``: this machine or its network;
    ``doubtful``: written with characters that another reader may take for other ones."""

    name: str
    private: bool
    doubtful: bool = False


def readable_host(url: str) -> Host | str:
    """The host of an http(s) *url*, or why it is not fetched. Pure.

    The same function must judge every redirect. A name that resolves to a private address is not
    found here: the fetching tool has to look at the address that it connects to.
    """
    if len(url) > _MAX_URL or _AMBIGUOUS.search(url):
        return "the URL is too long or holds characters that no URL may hold"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "the URL cannot be read"
    if parts.scheme not in _SCHEMES:
        return f"only http and https are fetched, not {parts.scheme[:20] or 'a path'!r}"
    if not host or not url[len(parts.scheme) :].startswith("://"):
        return "the URL names no host"
    if "@" in parts.netloc or "%" in parts.netloc:
        return "the URL holds a user name or an escape in its host"
    if host.isascii():
        return _host(host)
    try:
        read = _host(host.encode("idna").decode())
    except UnicodeError:
        return "the host is no valid name"
    return replace(read, doubtful=True) if isinstance(read, Host) else read


def _host(text: str) -> Host | str:
    name = text.removesuffix(".")
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        pass
    else:
        mapped = getattr(address, "ipv4_mapped", None) or address
        return Host(str(mapped), not mapped.is_global)
    labels = name.split(".")
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        return "the host is no valid name"
    if _NUMERIC.fullmatch(labels[-1]):
        # Old notations of an address: 127.1, 0x7f.1, 2130706433.
        return Host(name, True)
    own = any(name == suffix or name.endswith(f".{suffix}") for suffix in _OWN_NAMES)
    return Host(name, own or len(labels) == 1)


def domain_fits(pattern: str, host: str) -> bool:
    """True if *host* fits the pattern of a ``domain:`` rule, label by label. Pure.

    ``*`` is every host, ``*.x`` any depth below x but not x itself; elsewhere a ``*`` stays
    within its label (documented by Claude Code's permission rules).
    """
    pattern = pattern.strip().lower().removesuffix(".")
    if pattern == "*":
        return True
    wanted, labels = pattern.split("."), host.split(".")
    if wanted[0] == "*":
        wanted = wanted[1:]
        if len(labels) <= len(wanted):
            return False
        labels = labels[len(labels) - len(wanted) :]
    return len(wanted) == len(labels) and all(map(globs.text_matches, wanted, labels))


def decide_web(call: ToolCall, bench: Bench) -> Decision:
    """Judge one WebFetch or WebSearch call. Pure."""
    if call.name == "WebSearch":
        return _decide_search(call, bench)
    url = call.input.get("url")
    if not isinstance(url, str) or not url:
        return Decision("deny", "WebFetch: the input needs a non-empty string 'url'.")
    host = readable_host(url)
    policy = bench.policy
    rule = _about(policy.deny, host)
    if rule:
        return denied(rule, f"WebFetch of {url[:200]}")
    if isinstance(host, str):
        return Decision("deny", f"WebFetch: {host}.")
    rule = _about(policy.ask, host)
    if rule:
        return asked(rule)
    if policy.mode == "bypassPermissions":
        return Decision("allow", "allowed by the mode")
    for rule in policy.usable_allow():
        if _allows(rule, host):
            return allowed(rule)
    reason = f"Fetches from {host.name}" + (
        ", in this machine's own network" if host.private else ""
    )
    return Decision("ask", reason, suggestions=_suggestions(host, bench))


def _decide_search(call: ToolCall, bench: Bench) -> Decision:
    policy = bench.policy
    for rules, answer in ((policy.deny, "deny"), (policy.ask, "ask"), (policy.usable_allow(), "")):
        for rule in rules:
            if rule.rule.content is None and tool_fits(rule.rule.tool, call.name):
                return {"deny": denied(rule, "WebSearch"), "ask": asked(rule)}.get(
                    answer, allowed(rule)
                )
    if policy.mode == "bypassPermissions":
        return Decision("allow", "allowed by the mode")
    update = RuleUpdate((Rule("WebSearch"),), "allow", _scope(bench))
    return Decision("ask", "Searches the web", suggestions=(update,))


def _about(rules: tuple[SourcedRule, ...], host: Host | str) -> SourcedRule | None:
    """The deny or ask rule about *host*; a rule for every host is also about an unreadable URL."""
    for rule in rules:
        if not tool_fits(rule.rule.tool, "WebFetch"):
            continue
        pattern = _pattern(rule)
        if pattern is None or (isinstance(host, Host) and domain_fits(pattern, host.name)):
            return rule
    return None


def _allows(rule: SourcedRule, host: Host) -> bool:
    if rule.rule.tool != "WebFetch" or host.doubtful:
        return False
    pattern = _pattern(rule)
    if host.private:
        # "Every host" is said with the internet in mind.
        return pattern is not None and pattern != "*" and domain_fits(pattern, host.name)
    return pattern is None or domain_fits(pattern, host.name)


def _pattern(rule: SourcedRule) -> str | None:
    content = rule.rule.content
    return None if content is None else content.removeprefix("domain:").strip()


def _suggestions(host: Host, bench: Bench) -> tuple[RuleUpdate, ...]:
    if host.doubtful:
        return ()
    rule = Rule("WebFetch", f"domain:{host.name}")
    return (RuleUpdate((rule,), "allow", _scope(bench)),)


def _scope(bench: Bench) -> Literal["localSettings", "session"]:
    return "localSettings" if bench.policy.trusted else "session"
