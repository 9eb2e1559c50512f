"""Ways around a rule or the working folders that look like something else."""

import os
from typing import Any

import pytest

from agentcli.permissions.decide import decide
from agentcli.permissions.paths import DiskProbe, Node
from agentcli.permissions.rules import parse_rules
from agentcli.protocol.calls import ToolCall
from tests.permissions.conftest import Project


def _escaped(text: str) -> str:
    return "".join(f"\\x{byte:02x}" if byte in b"/." else chr(byte) for byte in text.encode())


@pytest.mark.parametrize(
    ("tool", "field"), [("Read", "file_path"), ("Grep", "path"), ("Write", "file_path")]
)
def test_an_escaped_path_is_judged_as_what_the_tool_opens(
    project: Project, tool: str, field: str
) -> None:
    outside = project.base / "out" / "data.txt"
    outside.write_text("x")
    more: dict[str, Any] = {"pattern": "x", "content": "y"}
    accepting = project.having(mode="acceptEdits")
    decision = accepting.call(tool, **{field: _escaped(str(outside))}, **more)
    assert decision.behavior == "ask" and str(outside) in decision.reason
    assert decision.targets[0].path == str(outside)
    hidden = project.with_rules("deny", "Read(secrets/**)")
    assert hidden.call(tool, **{field: "secrets\\x2fkey.pem"}, **more).behavior == "deny"


def test_a_backslash_in_an_existing_or_new_name_stays_one(project: Project) -> None:
    (project.root / "a\\x2fb").write_text("x")
    for name in ("a\\x2fb", "new\\x2fname"):
        decision = project.call("Read", file_path=name)
        assert (decision.behavior, decision.targets[0].path) == ("allow", f"{project.root}/{name}")


def test_a_name_that_is_no_unicode_can_be_told_and_is_not_saved(project: Project) -> None:
    folder = os.fsencode(project.base / "out") + b"/\xff"
    os.mkdir(folder)
    decision = project.call("Read", file_path=f"{project.base}/out/\\xff")
    assert decision.behavior == "ask" and decision.reason.endswith("/out/\\xff")
    nested = project.call("Glob", path=f"{project.base}/out/\\xff", pattern="*")
    assert nested.behavior == "ask" and nested.suggestions == ()


@pytest.mark.parametrize(
    "command",
    [
        "git show HEAD:secrets/key.pem",
        "git show",
        "git log -p",
        "git log -2 --patch",
        "git log -L1,2:secrets/key.pem",
        "git diff",
        "git blame README.md",
        "diff -N src secrets2",
        "diff src README.md",
    ],
)
def test_contents_by_way_of_history_or_folders(project: Project, command: str) -> None:
    (project.root / "secrets2").mkdir()
    assert project.bash(command).behavior == "allow"
    hidden = project.with_rules("deny", "Read(secrets/key.pem)")
    assert hidden.bash(command).behavior != "allow"
    assert hidden.bash("git log --oneline").behavior == "allow"


def test_a_named_version_of_a_denied_file_is_denied_in_every_mode(project: Project) -> None:
    hidden = project.with_rules("deny", "Read(secrets/**)").having(mode="bypassPermissions")
    for command in ("git show HEAD:secrets/key.pem", "git blame secrets/key.pem"):
        assert hidden.bash(command).behavior == "deny"


def test_what_only_reads_is_run_without_helpers(project: Project) -> None:
    def guarded(command: str) -> str | None:
        decision = project.bash(command)
        assert decision.guarded
        return decision.instead

    assert guarded("git diff  'a b'") == "git diff --no-ext-diff --no-textconv  'a b'"
    assert guarded("timeout 5 git log -p") == "timeout 5 git log --no-ext-diff --no-textconv -p"
    assert guarded("git blame README.md") == "git blame --no-textconv README.md"
    assert guarded("diff -r src secrets") == "diff --no-dereference -r src secrets"
    assert guarded("diff README.md src/app.py") == "diff README.md src/app.py"
    assert (
        guarded("ls   -l; git diff | cat") == "ls   -l; git diff --no-ext-diff --no-textconv | cat"
    )
    assert not project.with_rules("allow", "Bash(git diff)").bash("git diff").guarded
    assert not project.having(mode="bypassPermissions").bash("git diff").guarded


def test_beside_an_approved_command_git_alone_is_guarded(project: Project) -> None:
    decision = project.with_rules("allow", "Bash(make *)").bash("make x && git show; ls")
    assert decision.behavior == "allow" and not decision.guarded
    assert decision.instead is not None
    before, _, after = decision.instead.partition("git show")
    assert before.startswith("make x && GIT_ALLOW_PROTOCOL=none ") and "=core.fsmonitor " in before
    assert after == " --no-ext-diff --no-textconv; ls"
    timed = project.with_rules("allow", "Bash(make *)").bash("make; time git status").instead
    assert timed is not None and timed.startswith("make; time GIT_ALLOW_PROTOCOL=none ")
    # Behind an assignment ``time`` is a program already.
    set_first = project.with_rules("allow", "Bash(make *)").bash("make; LANG=C time git status")
    assert (set_first.instead or "").startswith("make; LANG=C GIT_ALLOW_PROTOCOL=none ")


@pytest.mark.parametrize("command", ["ls -LR", "ls -R -L src", "ls --recursive --dereference"])
def test_a_listing_that_follows_links_asks(project: Project, command: str) -> None:
    assert project.bash(command).behavior == "ask"
    assert project.bash("ls -lR").behavior == "allow"


def test_a_file_with_a_second_name_is_not_changed_unasked(project: Project) -> None:
    os.link(project.root / ".git/HEAD", project.root / "notes.txt")
    accepting = project.having(mode="acceptEdits")
    assert accepting.call("Write", file_path="notes.txt", content="x").behavior == "ask"
    assert accepting.bash("cp README.md notes.txt").behavior == "ask"
    assert accepting.call("Write", file_path="README.md", content="x").behavior == "allow"
    assert project.call("Read", file_path="notes.txt").behavior == "allow"


@pytest.mark.parametrize("option", ["--upload-pack=./x", "--upl ./x", "--rece=./x", "--ex=./x"])
def test_a_prefix_does_not_approve_a_program_in_an_option(project: Project, option: str) -> None:
    allowing = project.with_rules("allow", "Bash(git fetch *)")
    assert allowing.bash(f"git fetch {option} .").behavior == "ask"
    assert allowing.bash("git fetch --prune origin").behavior == "allow"
    exact = project.with_rules("allow", f"Bash(git fetch {option} .)")
    assert exact.bash(f"git fetch {option} .").behavior == "allow"


def test_a_slip_in_the_case_of_a_tool_still_forbids(project: Project) -> None:
    parsed = parse_rules(["bash(ls)"], "deny", "userSettings", str(project.root))
    assert [str(rule.rule) for rule in parsed.rules] == ["Bash(ls)"]
    assert parsed.problems == ("deny rule 'bash(ls)': the tool is called Bash",)
    parsed = parse_rules(["bash(ls)"], "allow", "userSettings", str(project.root))
    assert [str(rule.rule) for rule in parsed.rules] == ["bash(ls)"]


@pytest.mark.parametrize("command", ["cp -rT src .", "cp -aT src .", "cp -R -T src lib"])
def test_a_folder_is_not_merged_into_another_unasked(project: Project, command: str) -> None:
    accepting = project.having(mode="acceptEdits")
    assert accepting.bash(command).behavior == "ask"
    assert accepting.bash("cp -r src lib").behavior == "allow"
    assert accepting.bash("cp -T README.md copy.md").behavior == "allow"


class _FoldingDisk(DiskProbe):
    """A disk that takes upper and lower case for the same."""

    def lstat(self, path: str) -> Node:
        node = super().lstat(path)
        folder, _, last = path.rpartition("/")
        return super().lstat(f"{folder}/{last.lower()}") if node.kind == "missing" else node


@pytest.mark.parametrize("name", [".ENV", "Secrets/key.pem", "secrets/KEY.PEM"])
def test_case_counts_as_the_disk_takes_it(project: Project, name: str) -> None:
    (project.root / ".env").write_text("x")
    hidden = project.with_rules("deny", "Read(.env)", "Read(secrets/*.pem)")
    call = ToolCall("t1", "Read", {"file_path": name})
    assert decide(call, hidden.policy, _FoldingDisk()).behavior == "deny"
    assert decide(call, hidden.policy, DiskProbe()).behavior == "allow"


def test_keys_and_their_configuration_are_not_changed_unasked(project: Project) -> None:
    accepting = project.having(mode="acceptEdits")
    assert accepting.call("Write", file_path=".ssh/config", content="x").behavior == "ask"
