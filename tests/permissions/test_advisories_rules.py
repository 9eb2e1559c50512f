"""Published ways around rules, hosts, servers, modes, hooks; and what is no decision at all."""

import importlib
import re

from agentcli.permissions.decide import decide
from agentcli.permissions.paths import DiskProbe
from agentcli.permissions.policy import HookOpinion
from agentcli.protocol.calls import ToolCall
from tests.permissions.advisories import never


def fetch(project, url):
    return project.call("WebFetch", url=url, prompt="x").behavior


def test_cve_2026_24052_trusted_hosts_by_their_beginning(project):
    """Claude Code: ``modelcontextprotocol.io.evil`` began like a trusted host."""
    there = project.with_rules("allow", "WebFetch(domain:example.com)")
    for url in (
        "https://example.com.evil.test/",
        "https://example.community/",
        "https://evil.test/example.com",
        "https://evil.test/?https://example.com",
        "https://evil.test#@example.com",
        "https://example.com@evil.test/",
        "https://example.com\\@evil.test/",
        "https://notexample.com",
    ):
        assert fetch(there, url) != "allow", url
    assert fetch(there, "https://EXAMPLE.com./x") == "allow"


def test_cve_2026_54316_no_host_is_allowed_beforehand(project):
    """Claude Code 2.1.163: a shared host in a built-in list served an attacker's pages."""
    for host in (
        "github.com",
        "raw.githubusercontent.com",
        "pypi.org",
        "docs.python.org",
        "claude.ai",
        "anthropic.com",
        "localhost",
    ):
        assert fetch(project, f"https://{host}/x") == "ask"
    assert (
        fetch(project.with_rules("allow", "WebFetch(domain:pypi.org)"), "https://pypi.org/")
        == "allow"
    )


def test_cve_2025_66389_only_http(project):
    """Copilot: a file URI was given to the fetch tool."""
    there = project.with_rules("allow", "WebFetch")
    for url in (
        "file:///etc/passwd",
        "FILE:///x",
        "ftp://a.test/",
        "data:,x",
        "gopher://a.test",
        "javascript:x",
        "//a.test/",
        "/etc/passwd",
        "jar:http://a!/",
    ):
        assert fetch(there, url) == "deny", url
    assert fetch(there, "HTTPS://a.test/") == "allow"


def test_guan_2026_nul_in_a_host(project):
    """Sandbox proxy of Claude Code 2.1.89: a NUL in a host name passed a check of its end."""
    there = project.with_rules("allow", "WebFetch(domain:*.example.com)")
    for url in (
        "https://evil.test\0.example.com/",
        "https://evil.test%00.example.com/",
        "https://evil.test%2f.example.com/",
        "https://evil.test\n.example.com/",
    ):
        assert fetch(there, url) != "allow", url
    assert fetch(there, "https://a.example.com/") == "allow"


def test_cve_2025_54136_an_approval_of_a_server_is_not_one_of_another(project):
    """Cursor: an approval was bound to the server's name only; here to server and tool."""
    there = project.with_rules("allow", "mcp__srv__read")
    for tool in (
        "mcp__srv__write",
        "mcp__srv2__read",
        "mcp__srv__read_all",
        "mcp__SRV__read",
        "mcp__srv_read",
    ):
        assert there.call(tool).behavior == "ask"
    assert there.call("mcp__srv__read").behavior == "allow"


def test_cve_2026_12537_the_permissive_mode_keeps_the_rules(project):
    """Gemini CLI 0.39: the permissive mode ignored the list of tools, and CI was trusted."""
    there = project.having(mode="bypassPermissions").with_rules(
        "deny", "Bash(curl *)", "WebFetch", "mcp__srv", "Edit(/src/**)"
    )
    assert there.bash("ls; curl x").behavior == "deny"
    assert fetch(there, "https://a.test") == "deny"
    assert there.call("mcp__srv__x").behavior == "deny"
    assert there.call("Write", file_path="src/x", content="").behavior == "deny"
    assert there.bash("make").behavior == "allow"
    alone = project.with_rules("allow", "Bash", source="projectSettings").having(
        trusted=False, interactive=False
    )
    assert alone.bash("make").behavior == "deny"


def test_cve_2026_33068_an_untrusted_folder_allows_nothing(project):
    """Claude Code 2.1.53: what a repository's settings allow counts only once it is trusted."""
    for source in ("projectSettings", "localSettings"):
        there = project.with_rules("allow", "Bash", "Edit", "WebFetch", source=source)
        assert there.bash("make").behavior == "allow"
        distrusted = there.having(trusted=False)
        assert distrusted.bash("make").behavior == "ask"
        assert distrusted.call("Write", file_path="x", content="").behavior == "ask"
        assert fetch(distrusted, "https://a.test") == "ask"
    assert (
        project.with_rules("deny", "Bash(ls)", source="projectSettings")
        .having(trusted=False)
        .bash("ls")
        .behavior
        == "deny"
    )


def test_changelog_hooks_do_not_soften_a_rule(project):
    """A hook's "ask" lowered a deny, its "allow" lifted an ask rule."""
    call = ToolCall("t", "Bash", {"command": "make x"})
    for opinion in ("allow", "ask"):
        denying = project.with_rules("deny", "Bash(make *)").policy
        assert decide(call, denying, DiskProbe(), HookOpinion(opinion)).behavior == "deny"
        asking = project.with_rules("ask", "Bash(make *)").policy
        assert decide(call, asking, DiskProbe(), HookOpinion(opinion)).behavior == "ask"
    assert decide(call, project.policy, DiskProbe(), HookOpinion("allow")).behavior == "allow"


def test_changelog_names_that_mean_something_to_the_language(project):
    """A rule or a tool that is called like a built-in attribute is only a name."""
    for name in ("__class__", "constructor", "__proto__", "toString", "mcp____init____x"):
        there = project.with_rules("allow", "Bash(ls)")
        assert there.call(name, __class__="x").behavior == "ask"
        assert project.with_rules("deny", "mcp__*", name if "__" in name else "Bash").call(
            name
        ).behavior in ("deny", "ask")
    never(project.with_rules("allow", "Bash(__class__ *)"), ["make", "__class__=1 make"])


# Records that concern no decision on a call: start-up, display, servers, files of our own.
NOT_A_DECISION = {
    "CVE-2025-59041": "no git at start: tests of base and engine",
    "CVE-2025-59536": "hooks and MCP before trust: settings tests",
    "CVE-2025-59828": "no helper of the project at start",
    "CVE-2025-52882": "there is no local server",
    "CVE-2026-21852": "env of an untrusted folder: settings tests",
    "CVE-2026-35603": "owner of settings files: settings tests",
    "CVE-2026-40068": "trust of worktrees: settings tests",
    "CVE-2026-46406": "names of temporary files: tools tests",
    "CVE-2026-55607": "there are no worktree names",
    "CVE-2026-86063": "there are no plugins",
    "CVE-2026-88968": "a link swapped between decision and write: tests of tools",
    "0day.click": "there are no deep links",
    "CVE-2026-47751": "MCP of an untrusted folder",
    "CVE-2026-34452": "a link swapped between check and use: tests of tools",
    "CVE-2025-61260": "no .env is read",
    "CVE-2026-19593": "no git at start",
    "CVE-2025-62453": "no details published",
    "CVE-2026-22812": "there is no local server",
    "CVE-2026-44211": "there is no local server",
    "CVE-2026-0830": "no shell strings with names of folders",
    "CVE-2026-93993": "git before trust: tests of base",
    "CVE-2025-49596": "there is no local server",
    "CVE-2025-6514": "no URL is opened by a shell",
    "CVE-2025-66414": "there is no local server",
    "CVE-2026-25536": "there is no MCP server of ours",
    "CVE-2025-53107": "no shell strings",
    "CVE-2026-42215": "GitPython gets no text of the model",
}
ROWS = (
    "CVE-2025-54794 CVE-2025-54795 CVE-2025-55284 CVE-2025-58764 CVE-2025-59041 "
    "CVE-2025-59536 CVE-2025-59828 CVE-2025-64755 CVE-2025-66032 CVE-2025-52882 "
    "CVE-2026-21852 CVE-2026-24052 CVE-2026-24053 CVE-2026-24887 CVE-2026-25722 "
    "CVE-2026-25723 CVE-2026-25724 CVE-2026-25725 CVE-2026-33068 CVE-2026-35603 "
    "CVE-2026-39861 CVE-2026-40068 CVE-2026-46406 CVE-2026-54316 CVE-2026-55607 "
    "CVE-2026-86063 CVE-2026-88968 0day.click Adversa Guan brokensec CVE-2026-47751 "
    "CVE-2026-34452 CVE-2025-59532 CVE-2025-61260 CVE-2026-19592 CVE-2026-19593 "
    "CVE-2026-12537 CVE-2025-54135 CVE-2025-59944 CVE-2025-62354 CVE-2026-22708 "
    "CVE-2026-50548 CVE-2026-29783 CVE-2026-45033 CVE-2025-66389 CVE-2025-62453 "
    "CVE-2026-22812 CVE-2026-72718 CVE-2026-44211 CVE-2026-110206 CVE-2026-0830 "
    "CVE-2026-87983 CVE-2026-87984 CVE-2026-87985 CVE-2026-87986 CVE-2026-87987 "
    "CVE-2026-87988 CVE-2026-109429 CVE-2026-93993 CVE-2025-49596 CVE-2025-6514 "
    "CVE-2025-53109 CVE-2026-27735 CVE-2025-66414 CVE-2026-25536 CVE-2026-55582 "
    "CVE-2025-53107 CVE-2026-32055 CVE-2024-6091 CVE-2026-42215 "
).split()


def test_every_record_has_a_test_or_a_reason():
    """One row of the public records each: named in a test, or said to be no decision."""
    names = ""
    for part in ("shell", "flags", "paths", "rules"):
        module = importlib.import_module(f"tests.permissions.test_advisories_{part}")
        tests = [value for name, value in vars(module).items() if name.startswith("test_")]
        names += " ".join(f"{test.__name__} {test.__doc__}" for test in tests).lower()
    for row in ROWS:
        number = re.sub(r"^cve-", "", row.lower())
        found = number in names or number.replace("-", "_") in names
        assert found != (row in NOT_A_DECISION), row
