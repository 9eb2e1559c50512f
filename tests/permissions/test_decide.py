"""Order of the decision, modes, file tools, suggestions, bad input."""

import pytest

from agentcli.permissions.decide import decide, hidden_tools, path_reader
from agentcli.permissions.paths import DiskProbe
from agentcli.protocol.calls import ToolCall
from agentcli.protocol.modes import PERMISSION_MODES
from agentcli.protocol.rules import Rule, RuleUpdate


def edit(project, path="src/app.py"):
    return project.call("Edit", file_path=str(project.root / path), old_string="a", new_string="b")


def test_reads_inside_are_allowed_and_targets_are_resolved(project):
    decision = project.call("Read", file_path="src/../src/app.py")
    info = (project.root / "src/app.py").stat()
    assert decision.behavior == "allow"
    (target,) = decision.targets
    assert (target.path, target.device, target.inode) == (
        str(project.root / "src/app.py"),
        info.st_dev,
        info.st_ino,
    )


def test_reading_outside_asks_and_offers_the_folder(project):
    decision = project.call("Read", file_path=str(project.base / "out/x.txt"))
    assert decision.behavior == "ask"
    rule = Rule("Read", f"/{project.base}/out/**")
    assert decision.suggestions == (RuleUpdate((rule,), "allow", "session"),)
    again = project.with_rules("allow", str(rule))
    assert again.call("Read", file_path=str(project.base / "out/y.txt")).behavior == "allow"


@pytest.mark.parametrize("path", ["/etc/passwd", "/x", "~/notes"])
def test_no_rule_is_offered_for_the_root_the_system_and_the_home(project, path):
    decision = project.call("Read", file_path=path)
    assert (decision.behavior, decision.suggestions) == ("ask", ())


@pytest.mark.parametrize(
    ("mode", "behavior"),
    [
        ("default", "ask"),
        ("acceptEdits", "allow"),
        ("plan", "deny"),
        ("dontAsk", "deny"),
        ("bypassPermissions", "allow"),
    ],
)
def test_edit_inside_by_mode(project, mode, behavior):
    decision = edit(project.having(mode=mode))
    assert decision.behavior == behavior
    if mode == "default":
        assert decision.suggestions == (RuleUpdate(mode="acceptEdits", destination="session"),)


@pytest.mark.parametrize("mode", ["default", "acceptEdits"])
def test_protected_writes_ask_in_spite_of_rules(project, mode):
    allowed = project.with_rules("allow", "Edit", "Bash").having(mode=mode)
    assert edit(allowed, ".git/config").behavior == "ask"
    assert allowed.call("Write", file_path="~/.own/x", content="").behavior == "ask"
    assert allowed.bash("cp README.md .git/hooks/x").behavior == "ask"
    assert allowed.bash("cp evil/.vscode .").behavior == "ask"
    assert edit(allowed.having(mode="bypassPermissions"), ".git/config").behavior == "allow"
    assert edit(allowed.having(mode="dontAsk"), ".git/config").behavior == "deny"


def test_plan_mode_tells_the_model_and_no_rule_lifts_it(project):
    planned = project.with_rules("allow", "Edit").having(mode="plan")
    assert "Plan mode" in edit(planned).reason
    asked = planned.with_rules("ask", "Edit").having(mode="plan")
    assert edit(asked).behavior == "deny"
    assert planned.call("Read", file_path="README.md").behavior == "allow"
    assert planned.bash("ls").behavior == "allow"


@pytest.mark.parametrize("mode", PERMISSION_MODES)
def test_deny_wins_in_every_mode(project, mode):
    there = project.with_rules("allow", "Edit", "Bash").with_rules(
        "deny", "Edit(/src/**)", "Bash(npm *)"
    )
    there = there.having(mode=mode)
    assert edit(there).behavior == "deny"
    assert edit(there).rule == "Edit(/src/**)"
    assert there.bash("npm test").behavior == "deny"
    assert there.bash("true; X=1 timeout 5 npm test").behavior == "deny"


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "bypassPermissions"])
def test_ask_wins_over_allow_and_mode(project, mode):
    there = project.with_rules("allow", "Bash", "Edit").with_rules(
        "ask", "Bash(git push *)", "Edit"
    )
    there = there.having(mode=mode)
    assert there.bash("git push").behavior == "ask"
    assert there.bash("ls && git push").behavior == "ask"
    assert edit(there).behavior == "ask"


def test_dont_ask_turns_questions_into_denials(project):
    strict = project.having(mode="dontAsk")
    decision = strict.bash("make")
    assert decision.behavior == "deny"
    assert "dontAsk" in decision.reason
    assert decision.suggestions == ()
    assert strict.bash("ls").behavior == "allow"


def test_rules_of_an_untrusted_folder_do_not_allow_but_forbid(project):
    there = project.with_rules("allow", "Bash(make)", source="projectSettings").having(
        trusted=False
    )
    assert there.bash("make").behavior == "ask"
    assert there.bash("make").suggestions[0].destination == "session"
    assert there.having(trusted=True).bash("make").behavior == "allow"
    denying = project.with_rules("deny", "Bash(make)", source="localSettings").having(trusted=False)
    assert denying.bash("make").behavior == "deny"


def test_cross_effects(project):
    outside = str(project.base / "out/x")
    assert (
        project.with_rules("allow", f"Edit(/{outside})").call("Read", file_path=outside).behavior
        == "allow"
    )
    no_read = project.with_rules("deny", "Read(./docs/**)").having(mode="acceptEdits")
    assert no_read.call("Write", file_path="docs/a", content="").behavior == "deny"
    assert no_read.call("NotebookEdit", notebook_path="docs/a", new_source="").behavior == "allow"
    assert no_read.call("Grep", pattern="x", path="docs").behavior == "deny"
    assert no_read.call("Glob", pattern="docs/*").behavior == "deny"


@pytest.mark.parametrize(
    ("given", "behavior"),
    [
        ({"pattern": "**/*.py"}, "allow"),
        ({"pattern": "*", "path": "src"}, "allow"),
        ({"pattern": "/etc/*"}, "ask"),
        ({"pattern": "../*"}, "ask"),
        ({"pattern": "*/../../x"}, "ask"),
        ({"pattern": "{/etc/passwd,x}"}, "ask"),
        ({"pattern": "~/*"}, "ask"),
        ({"pattern": "*", "path": ".."}, "ask"),
        ({"pattern": 5}, "deny"),
        ({"pattern": "*", "path": 5}, "deny"),
    ],
)
def test_glob(project, given, behavior):
    assert project.call("Glob", **given).behavior == behavior


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Read", {}),
        ("Read", {"file_path": ["x"]}),
        ("Read", {"file_path": ""}),
        ("Read", {"file_path": "a\0b"}),
        ("Write", {"file_path": "a", "content": "\ud800"}),
        ("Bash", {"command": 5}),
        ("Bash", {"command": "  "}),
        ("Bash", {"command": "ls " + "a" * 100_000}),
        ("Bash", {"command": "ls \ud800"}),
    ],
)
def test_bad_input_is_denied_in_every_mode(project, tool, given):
    for mode in PERMISSION_MODES:
        assert project.having(mode=mode).call(tool, **given).behavior == "deny"


def test_deep_input_is_denied(project):
    deep: object = "x"
    for _ in range(5000):
        deep = [deep]
    call = ToolCall("t", "Read", {"file_path": "README.md", "x": deep})
    assert decide(call, project.policy, DiskProbe()).behavior == "deny"


def test_hidden_tools(project):
    names = ["Read", "Edit", "Write", "NotebookEdit", "Bash", "mcp__a__b"]

    def hidden(*rules):
        return hidden_tools(project.with_rules("deny", *rules).policy, names)

    assert hidden("Bash(rm *)", "Read(.env)") == set()
    assert hidden("Bash") == {"Bash"}
    assert hidden("Edit") == {"Edit", "Write", "NotebookEdit"}
    assert hidden("Read") == {"Read", "Edit", "Write"}
    assert hidden("mcp__*") == hidden("mcp__a") == {"mcp__a__b"}
    assert hidden("*") == set(names)


def test_path_reader(project):
    (project.root / "leak").symlink_to(project.base / "out")
    there = project.with_rules("deny", "Read(.env)").with_rules("ask", "Read(./secrets/**)")
    there = there.having(deny=project.with_rules("deny", "Read(.env)").policy.deny)
    may_read = path_reader(there.policy, DiskProbe())
    assert may_read(str(project.root / "README.md"))
    assert not may_read(str(project.root / ".env"))
    assert not may_read(str(project.root / "secrets/key.pem"))
    assert not may_read(str(project.root / "leak/x"))
    assert not may_read(str(project.base / "out/x"))
    assert not may_read("a\0")
    approved = path_reader(there.policy, DiskProbe(), (str(project.root / "leak"),))
    assert approved(str(project.root / "leak/x"))
    assert path_reader(there.policy, DiskProbe(), (str(project.base / "out"),))(
        str(project.base / "out/x")
    )
