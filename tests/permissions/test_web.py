"""Which host a URL really names, and who may fetch from it."""

import pytest

from agentcli.permissions.web import Host, domain_fits, readable_host


@pytest.mark.parametrize(
    ("url", "name", "private"),
    [
        ("https://Example.COM./x", "example.com", False),
        ("http://example.com:8080/?u=https://evil.test/#@a", "example.com", False),
        ("https://b\u00fccher.example/", "xn--bcher-kva.example", False),
        ("https://8.8.8.8/", "8.8.8.8", False),
        ("https://127.0.0.1/", "127.0.0.1", True),
        ("http://[::1]:80/", "::1", True),
        ("http://[::ffff:169.254.169.254]/", "169.254.169.254", True),
        ("http://10.0.0.1/", "10.0.0.1", True),
        ("http://0x7f.1/", "0x7f.1", True),
        ("http://2130706433/", "2130706433", True),
        ("http://017700000001/", "017700000001", True),
        ("http://localhost:1/", "localhost", True),
        ("http://a.LOCALHOST/", "a.localhost", True),
        ("http://printer.local/", "printer.local", True),
        ("http://metadata.google.internal/", "metadata.google.internal", True),
        ("http://intranet/", "intranet", True),
    ],
)
def test_the_host_of_a_url(url, name, private):
    host = readable_host(url)
    assert isinstance(host, Host)
    assert (host.name, host.private) == (name, private)


@pytest.mark.parametrize(
    "url",
    [
        *(
            "file:///etc/passwd",
            "ftp://example.com/",
            "javascript:alert(1)",
            "data:,x",
            "example.com",
        ),
        *(
            "https:example.com",
            "https:///example.com/",
            "https://",
            "https://evil.test\\@example.com/",
        ),
        *("https://user@example.com/", "https://example.com%00.evil.test/", "https://a b.test/"),
        *(
            "https://example.com\n/",
            "https://exa\tmple.com/",
            "https://example.com:99999/",
            "http://[::1",
        ),
        *(
            "https://-a.test/",
            "https://a..test/",
            "https://" + "a" * 3000,
            "\thttps://example.com/",
        ),
        "https://\uff0f.test/",
    ],
    ids=lambda url: ascii(url)[:24],
)
def test_what_two_readers_may_read_differently_is_refused(project, url):
    assert isinstance(readable_host(url), str)
    for mode in ("default", "bypassPermissions"):
        there = project.with_rules("allow", "WebFetch").having(mode=mode)
        assert there.call("WebFetch", url=url, prompt="x").behavior == "deny"


@pytest.mark.parametrize(
    ("pattern", "host", "fits"),
    [
        ("example.com", "example.com", True),
        ("EXAMPLE.com.", "example.com", True),
        ("example.com", "api.example.com", False),
        ("*.example.com", "a.b.example.com", True),
        ("*.example.com", "example.com", False),
        ("*.example.com", "notexample.com", False),
        ("example.*", "example.org", True),
        ("example.*", "example.evil.test", False),
        ("api-*.example.com", "api-1.example.com", True),
        ("api-*.example.com", "api-1.x.example.com", False),
        ("*", "anything.test", True),
    ],
)
def test_domains_are_matched_label_by_label(pattern, host, fits):
    assert domain_fits(pattern, host) is fits


def fetch(project, url="https://example.com/x"):
    return project.call("WebFetch", url=url, prompt="x")


def test_a_fetch_asks_and_an_always_saves_its_host(project):
    decision = fetch(project)
    assert (decision.behavior, decision.reason) == ("ask", "Fetches from example.com")
    (update,) = decision.suggestions
    assert str(update.rules[0]) == "WebFetch(domain:example.com)"
    assert fetch(project.with_rules("allow", str(update.rules[0]))).behavior == "allow"


def test_every_host_does_not_mean_this_network(project):
    for rule in ("WebFetch", "WebFetch(domain:*)"):
        there = project.with_rules("allow", rule)
        assert fetch(there).behavior == "allow"
        assert fetch(there, "http://127.0.0.1:9/").behavior == "ask"
    named = project.with_rules("allow", "WebFetch(domain:127.0.0.1)")
    assert fetch(named, "http://127.0.0.1:9/").behavior == "allow"


def test_look_alike_letters_are_never_allowed_by_a_rule(project):
    there = project.with_rules("allow", "WebFetch(domain:*)", "WebFetch(domain:example.com)")
    for url in (
        "https://ex\u0430mple.com/",
        "https://\uff45xample.com/",
        "https://example.com\u3002evil.test/",
    ):
        decision = fetch(there, url)
        assert (decision.behavior, decision.suggestions) == ("ask", ())


def test_deny_and_ask_rules_hold_in_every_mode(project):
    there = project.with_rules("deny", "WebFetch(domain:*.evil.test)", "WebFetch(domain:127.0.0.1)")
    for mode in ("default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"):
        for url in ("https://a.EVIL.test./", "http://[::ffff:127.0.0.1]/"):
            assert fetch(there.having(mode=mode), url).behavior == "deny"
    asking = project.with_rules("ask", "WebFetch(domain:example.com)")
    assert fetch(asking.having(mode="bypassPermissions")).behavior == "ask"
    assert fetch(asking.having(mode="bypassPermissions"), "https://x.test/").behavior == "allow"


def test_input_without_a_url_is_refused(project):
    for given in ({}, {"url": 5}, {"url": ""}, {"url": "https://a\0b/"}):
        assert project.call("WebFetch", **given).behavior == "deny"


def test_a_search_goes_by_the_bare_rule(project):
    assert project.call("WebSearch", query="x").behavior == "ask"
    assert project.with_rules("allow", "WebSearch").call("WebSearch", query="x").behavior == "allow"
    assert project.with_rules("deny", "Web*").call("WebSearch", query="x").behavior == "deny"
    assert project.with_rules("ask", "WebSearch").call("WebSearch", query="x").behavior == "ask"
