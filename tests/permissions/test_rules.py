"""Reading rules, splitting flag values, matching command texts."""

import pytest

from agentcli.permissions.rule_index import content_fits
from agentcli.permissions.rules import parse_rule, parse_rules, split_rule_list
from agentcli.protocol.errors import SettingsError
from agentcli.protocol.rules import Rule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Bash", Rule("Bash")),
        ("Bash(*)", Rule("Bash")),
        (" Read(./.env) ", Rule("Read", "./.env")),
        ("Bash(npm run test:*)", Rule("Bash", "npm run test:*")),
        ('Bash(python -c "print(1)")', Rule("Bash", 'python -c "print(1)"')),
        ("mcp__srv__tool", Rule("mcp__srv__tool")),
        ("Edit(*)", Rule("Edit", "*")),
    ],
)
def test_parse_rule(text, rule):
    assert parse_rule(text) == rule


@pytest.mark.parametrize("text", ["", "(x)", "Bash(", "Bash()", "Bash(ls", "Bash ls", "Bash(:*)"])
def test_bad_rule_raises(text):
    with pytest.raises(SettingsError):
        parse_rule(text)


def test_a_bad_rule_is_reported_alone():
    parsed = parse_rules(["Bash(ls *)", "Bash(", "Read"], "allow", "flag", "/x")
    assert [str(sourced.rule) for sourced in parsed.rules] == ["Bash(ls *)", "Read"]
    assert len(parsed.problems) == 1
    assert "'Bash('" in parsed.problems[0]


@pytest.mark.parametrize(
    ("behavior", "text"),
    [
        ("allow", "Write(src/**)"),
        ("deny", "Glob(src/**)"),
        ("deny", "NotebookEdit(a)"),
        ("allow", "*"),
        ("allow", "B*"),
        ("allow", "mcp__*"),
        ("allow", "mcp__*__get"),
        ("deny", "Bash(command:rm *)"),
        ("allow", "Bash(timeout:5)"),
        ("allow", "Agent(model:opus)"),
        ("deny", "WebFetch(https://example.com/*)"),
        ("deny", "WebFetch(url:x)"),
        ("deny", "WebSearch(x)"),
        ("allow", "mcp__srv__tool(x)"),
        ("deny", "Edit(file_path:/x)"),
    ],
)
def test_rules_that_are_never_consulted_are_left_out_with_a_line(behavior, text):
    parsed = parse_rules([text], behavior, "flag", "/x")
    assert parsed.rules == ()
    assert len(parsed.problems) == 1


def test_mcp_server_glob_may_allow():
    assert parse_rules(["mcp__srv__*", "mcp__srv__get_*"], "allow", "flag", "/").problems == ()


def test_unknown_tool_in_deny_counts_but_warns():
    parsed = parse_rules(["Bahs"], "deny", "flag", "/")
    assert len(parsed.rules) == 1
    assert "no tool has this name" in parsed.problems[0]
    assert parse_rules(["my_tool", "Ba*"], "deny", "flag", "/").problems == ()


@pytest.mark.parametrize(
    ("behavior", "text", "hint"),
    [
        ("deny", "bash(ls)", "the tool is called Bash"),
        ("allow", "bash(ls)", "the tool is called Bash"),
        ("ask", "WebFech", "did you mean WebFetch?"),
        ("deny", "Frobnicate", "no tool has this name"),
    ],
)
def test_a_slip_in_a_name_is_told(behavior, text, hint):
    assert parse_rules([text], behavior, "flag", "/").problems[0].endswith(hint)


@pytest.mark.parametrize(
    ("rule", "tool", "given", "denied"),
    [
        ("Agent(model:opus)", "Agent", {"model": "opus"}, True),
        ("Agent(model: op* )", "Agent", {"model": "opus"}, True),
        ("Agent(model:opus)", "Agent", {}, False),
        ("Agent(isolation:worktree)", "Agent", {"isolation": "none"}, False),
        ("mcp__srv__x(dry_run:false)", "mcp__srv__x", {"dry_run": False}, True),
        ("Bash(timeout:600000)", "Bash", {"command": "ls", "timeout": 600000}, True),
        ("Bash(run_in_background:true)", "Bash", {"command": "ls", "run_in_background": 1}, False),
        ("Edit(replace_all:true)", "Edit", {"file_path": "a", "replace_all": True}, True),
        ("Bash(npm run test:unit)", "Bash", {"command": "npm run test:unit"}, True),
    ],
    ids=range(9),
)
def test_parameters_can_be_denied_and_asked_about(project, rule, tool, given, denied):
    assert (project.with_rules("deny", rule).call(tool, **given).behavior == "deny") is denied
    asking = project.with_rules("ask", rule).having(mode="bypassPermissions")
    assert (asking.call(tool, **given).behavior == "ask") is denied


def test_star_specifier_in_deny_is_the_bare_tool():
    assert parse_rules(["Write(*)"], "deny", "flag", "/").rules[0].rule == Rule("Write")


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Bash(git log:*, x),Read Edit(src/**)", ["Bash(git log:*, x)", "Read", "Edit(src/**)"]),
        ("", []),
        (" , ,Read,, ", ["Read"]),
        ("Bash(a (b, c) d) Read", ["Bash(a (b, c) d)", "Read"]),
        ("Bash(a Read", ["Bash(a Read"]),
        ("x) y", ["x)", "y"]),
    ],
)
def test_split_rule_list(text, pieces):
    assert split_rule_list(text) == pieces


@pytest.mark.parametrize(
    ("content", "text", "fits"),
    [
        ("npm run build", "npm run build", True),
        ("npm run build", "npm run build --prod", False),
        ("npm run test *", "npm run test", True),
        ("npm run test *", "npm run test x", True),
        ("npm run test *", "npm run tests", False),
        ("ls:*", "ls -la", True),
        ("ls:*", "lsof", False),
        ("ls*", "lsof", True),
        ("git:* push", "git:x push", True),
        ("git:* push", "git push", False),
        ("* install", "npm install", True),
        ("git * main", "git checkout main", True),
        ("git * main", "git checkout mainline", False),
        ("* --help *", "npm --help x", True),
        ("a.c", "abc", False),
        ("echo *", "echo a\nb", True),
    ],
)
def test_content_fits(content, text, fits):
    assert content_fits(content, text) is fits


def test_many_stars_do_not_hang():
    assert not content_fits("*a" * 300 + "b", "a" * 8000)
