"""Published ways out of a folder, into a protected file or around a file rule."""

import os
import unicodedata

from tests.permissions.advisories import denied, never, never_call, still


def _link(project, name, target):
    path = project.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def test_cve_2025_54794_a_sibling_with_the_same_beginning(project):
    """Claude Code 0.2.111, CVE-2025-53110: folders were compared by their first letters."""
    evil = project.base / "repo-evil"
    evil.mkdir()
    (evil / "f.txt").write_text("x")
    never(
        project,
        [
            f"cat {evil}/f.txt",
            "cat ../repo-evil/f.txt",
            f"ls {evil}",
            f"touch {evil}/x",
            f"echo x > {evil}/x",
        ],
    )
    never_call(
        project, "Read", [{"file_path": f"{evil}/f.txt"}, {"file_path": "../repo-evil/f.txt"}]
    )
    never_call(project, "Write", [{"file_path": f"{evil}/f.txt", "content": "x"}])
    still(project, [f"cat {project.root}/README.md"])


def test_cve_2025_53109_and_2026_39861_links_that_lead_out(project):
    """Filesystem server, Claude Code 2.1.64: a planted link is followed by an outer tool."""
    (project.base / "out/data.txt").write_text("x")
    _link(project, "link", project.base / "out")
    _link(project, "file", project.base / "out/data.txt")
    _link(project, "a/b", "../link")
    never(
        project,
        [
            "cat link/data.txt",
            "cat file",
            "cat a/b/data.txt",
            "ls link",
            "cat link/../x",
            "touch link/x",
            "rm link/data.txt",
            "cp README.md link/x",
            "echo x > link/x",
            "mv README.md a/b",
            "sed -i s/a/b/ file",
            "cat *",
        ],
    )
    for tool in ("Read", "Write", "Edit"):
        more = {"content": "", "old_string": "a", "new_string": "b"}
        never_call(
            project,
            tool,
            [{"file_path": path, **more} for path in ("file", "link/x", "a/b/data.txt")],
        )
    never_call(project, "Grep", [{"pattern": "x", "path": "link"}])
    never_call(project, "Glob", [{"pattern": "link/*"}, {"pattern": "*", "path": "a/b"}])
    still(project, ["cat README.md", "ls a"])


def test_cve_2026_50549_and_34425_dangling_links(project):
    """Cursor 3.0, OpenClaw: a link to a place that does not exist yet passed as inside."""
    _link(project, "new", project.base / "out/not-yet")
    _link(project, "ring", "ring")
    never(project, ["touch new", "echo x > new", "cp README.md new", "cat ring", "touch ring"])
    never_call(
        project,
        "Write",
        [{"file_path": "new", "content": "x"}, {"file_path": "ring", "content": ""}],
    )
    assert project.having(mode="acceptEdits").bash("touch fresh").behavior == "allow"


def test_cve_2026_25724_a_deny_rule_covers_the_target_of_a_link(project):
    """Claude Code 2.1.7: a link to a denied file could be read."""
    _link(project, "notes.txt", "secrets/key.pem")
    _link(project, "docs", "secrets")
    there = project.with_rules("deny", "Read(secrets/**)").with_rules("allow", "Bash")
    denied(
        there,
        [
            "cat notes.txt",
            "head -1 docs/key.pem",
            "grep x < notes.txt",
            "cd docs && cat key.pem",
            "cat ./src/../notes.txt",
        ],
    )
    for path in ("notes.txt", "docs/key.pem", "secrets/../docs/key.pem"):
        assert there.call("Read", file_path=path).behavior == "deny"
        assert there.call("Edit", file_path=path, old_string="a", new_string="b").behavior == "deny"
    still(there, ["cat README.md"])
    by_name = project.with_rules("deny", "Read(notes.txt)")
    assert by_name.call("Read", file_path="notes.txt").behavior == "deny"


def test_cve_2025_59532_and_2026_50548_the_model_does_not_move_the_boundary(project):
    """Codex 0.39, Cursor 3.0: a folder that the model chose became writable."""
    never(
        project,
        [
            "cd / && touch x",
            "cd /tmp && echo x > y",
            "cd ..; touch x",
            "cd .. && rm x",
            "pushd / && touch x",
            "cd /; ls",
            "cd ../out && touch x",
            "cd - && touch x",
            "cd ~ && touch x",
            "builtin cd / && touch x",
            "cd src/../.. && touch x",
        ],
    )
    moved = project.having(cwd=str(project.base / "out"))
    never(moved, ["ls", "touch x", "cat x"])
    still(project, ["cd src && ls", "cd src && cat ../README.md"])


def test_cve_2026_25722_cd_then_a_relative_write(project):
    """Claude Code 2.0.57: ``cd`` into a protected folder, then a relative write."""
    for name in (".claude", ".git/hooks"):
        (project.root / name).mkdir(parents=True, exist_ok=True)
    there = project.with_rules("allow", "Bash(echo *)", "Bash(cp *)", "Edit")
    never(
        there,
        [
            "cd .claude && echo x > settings.json",
            "cd .claude; cp ../x settings.json",
            "cd .git && echo x > config",
            "cd .git/hooks && echo x >> pre-commit",
            "cd src/../.claude && echo x > settings.json",
            "(cd .claude && echo x >s)",
            "cd .claude && cd ../.claude && echo x > s",
            "pushd .claude && echo x > s",
            "command cd .claude && echo x > s",
            "if cd .claude; then echo x > s; fi",
            "cd $d && echo x > settings.json",
        ],
    )
    still(there, ["echo x > notes.txt", "cd src && echo x > notes.txt"])


def test_many_changes_of_folder_do_not_hide_the_last_one(project):
    """Our own bound on followed folders must not lose a protected one."""
    for number in range(30):
        (project.root / f"d{number}/z/y").mkdir(parents=True)
    _link(project, "conf", ".git")
    rules = ("Bash(echo *)", "Bash(cp *)", "Edit(/**)")
    there = project.with_rules("allow", *rules).having(mode="acceptEdits")
    for count in (5, 9, 15, 17, 25):
        path = " && cd ../".join(f"d{number}" for number in range(count))
        for last in ("echo x > config", "cp ../README.md config", "touch config"):
            command = f"cd {path} && cd ../d29/z/y && cd ../../../conf && {last}"
            never(there, [command], ("acceptEdits",))
    still(there, ["cd d1 && cd ../d2 && echo x > notes.txt", "cd d1 && cp ../README.md x"])


def test_cve_2026_24053_clobbering_redirects(project):
    """Claude Code 2.0.74: ``>|`` and ``>!`` escaped the check of the folder."""
    there = project.with_rules("allow", "Bash(echo *)", "Edit(/**)").having(mode="acceptEdits")
    never(
        there,
        [
            "echo x >| ../x",
            "echo x >|/etc/x",
            "echo x &>| ../x",
            "echo x >>| ../x",
        ],
    )
    # For zsh ``>!`` is one operator, for bash it names the file ``!``.
    never(there.having(plain_shell=True), ["echo x >! ../x", "ls > x"])
    still(there, ["echo x >| notes.txt"])


def test_cve_2026_25725_and_2025_54135_files_that_run_something_later(project):
    """Claude Code 2.1.2, Cursor 1.3, VS Code: settings, hooks and editor files were written."""
    names = [
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".mcp.json",
        ".vscode/tasks.json",
        ".vscode/settings.json",
        ".idea/x.xml",
        ".git/config",
        ".git/hooks/pre-commit",
        ".husky/pre-push",
        ".envrc",
        ".npmrc",
        ".bashrc",
        ".gitconfig",
        ".devcontainer/devcontainer.json",
        ".pre-commit-config.yaml",
        "lefthook.yml",
        ".ripgreprc",
        "sub/.git/config",
        "packages/x/.npmrc",
        ".ssh/config",
    ]
    there = project.with_rules("allow", "Edit", "Bash(echo *)")
    never_call(there, "Write", [{"file_path": name, "content": "x"} for name in names])
    never(there, [f"echo x > {name}" for name in names], ("default", "acceptEdits"))
    never(
        there,
        [
            f"{command} .git"
            for command in ("rm -rf", "mv src", "mv .git x;ls", "touch", "mkdir -p x")
        ]
        + ["cp README.md .envrc"],
    )
    still(there, ["echo x > .github", "echo x > gitconfig"])


def test_cve_2025_59944_protected_names_in_any_spelling(project):
    """Cursor 1.7: a name in mixed case was not the protected one."""
    there = project.with_rules("allow", "Edit", "Bash(echo *)")
    spelled = [
        ".cLauDe/settings.json",
        ".GIT/config",
        ".Git/hooks/x",
        "./.git/../.git/config",
        "src/../.git/config",
        ".git//config",
        ".VSCODE/tasks.json",
        ".mcp.JSON",
        ".git./config",
        ".git /config",
        "\uff0egit/config",
        ".g\u200bit/config",
        unicodedata.normalize("NFD", ".claude\u0301")[:7] + "/settings.json",
    ]
    never_call(there, "Write", [{"file_path": name, "content": "x"} for name in spelled])
    never(there, [f"echo x > '{name}'" for name in spelled], ("default", "acceptEdits"))
    still(there, ["echo x > gitignore"])


def test_changelog_a_link_below_the_settings_folder(project):
    """A link redirected what was written into the settings folder, and the other way round."""
    (project.root / ".claude").mkdir()
    _link(project, "conf", ".claude")
    _link(project, "innocent.json", ".claude/settings.json")
    there = project.with_rules("allow", "Edit", "Bash(echo *)")
    never_call(
        there,
        "Write",
        [{"file_path": name, "content": "x"} for name in ("conf/settings.json", "innocent.json")],
    )
    never(
        there,
        [
            "echo x > conf/settings.json",
            "echo x > innocent.json",
            "cd conf && echo x > settings.json",
        ],
    )


def test_changelog_single_segment_allow_does_not_match_at_any_depth(project):
    """``src/**`` as an allow rule is the folder in the project only."""
    (project.root / "vendor/src").mkdir(parents=True)
    there = project.with_rules("allow", "Edit(src/**)")
    assert there.call("Write", file_path="src/x", content="").behavior == "allow"
    assert there.call("Write", file_path="vendor/src/x", content="").behavior == "ask"
    forbidding = project.with_rules("deny", "Edit(src/**)")
    assert forbidding.call("Write", file_path="vendor/src/x", content="").behavior == "deny"


def test_hard_links_and_devices(project):
    """Other names of a file, and names of what is open."""
    os.link(project.root / ".git/HEAD", project.root / "head.txt")
    never(
        project.having(mode="acceptEdits"),
        ["cp README.md head.txt", "sed -i s/a/b/ head.txt", "echo x > head.txt", "rm /dev/fd/3"],
        ("acceptEdits",),
    )
    never(
        project,
        [
            "cat /proc/self/environ",
            "cat /proc/self/cwd/../x",
            "cat /dev/fd/3",
            "cat /proc/1/root/etc/passwd",
            "ls /proc/self/root",
        ],
    )
    never_call(
        project,
        "Read",
        [
            {"file_path": path}
            for path in ("/proc/self/environ", "/proc/self/root/etc/passwd", "/dev/stdin")
        ],
    )


def test_cve_2026_27735_dots_in_paths(project):
    """mcp-server-git: ``../`` was accepted."""
    never(
        project,
        [
            "cat ../x",
            "cat src/../../x",
            "cat ./.././x",
            "ls ..",
            "touch ../x",
            "git diff -- ../x",
            "git log -- ../../x",
        ],
    )
    never_call(
        project, "Read", [{"file_path": path} for path in ("../x", "src/../../x", "/../x", "..//x")]
    )
    still(project, ["cat src/../README.md", "cat ./README.md"])
