"""Shell commands: what is allowed, what deny rules see, critical removals, suggestions."""

import time

import pytest

from agentcli.permissions.shell.naive import segments
from agentcli.protocol.rules import Rule


@pytest.mark.parametrize(
    "command",
    [
        *("ls -la src", "cat -n README.md", "head -20 README.md", "tail -n +5 README.md", "pwd"),
        *("grep -rn def .", "grep -e x -e y README.md", "find . -name '*.py' -type f", "cd src"),
        *("sed -n '1,10p' README.md", "sort -k 2 -t, README.md", "wc -l src/app.py", "du -sh ."),
        *("git status -s", "git log --oneline -n 5 -- src", "git diff HEAD~1", "git branch -a"),
        *(
            "git show HEAD:README.md",
            "git branch --list 'x*'",
            "git remote -v",
            "test -f README.md",
        ),
        *("printf '%s %d\\n' a 5", "timeout 5 ls", "nice -n 5 ls", "diff -u README.md src/app.py"),
    ],
)
def test_read_only_commands_run_unasked(project, command):
    assert project.bash(command).behavior == "allow"


@pytest.mark.parametrize(
    "command",
    [
        *(
            "cat /etc/passwd",
            "cat ../x",
            "cat '~/x' /etc/x",
            "cat README.md ..",
            "tail -f README.md",
        ),
        *(
            "grep -f x README.md",
            "grep -R x .",
            "find . -delete",
            "find . -exec ls +",
            "find .. -name x",
        ),
        *(
            "find -L . -name x",
            "sort -o x README.md",
            "sort --compress-program=x y",
            "sort -T /etc x",
        ),
        *(
            "sed -n 1e README.md",
            "sed -n '1w x' README.md",
            "sed 1d README.md",
            "sed -ni 1p README.md",
        ),
        *(
            "git -c a=b status",
            "git diff --no-index a b",
            "git diff --output=x",
            "git log --outp=x",
        ),
        *(
            "git branch x",
            "git branch -D x",
            "git remote add x y",
            "git log --format=%G?",
        ),
        *("git diff /etc/passwd README.md", "git diff --ext-diff", "git --git-dir=x status", "git"),
        *(
            "test -v 'a[0]'",
            "printf -v x y",
            "printf '%n' x",
            "printf '%d' 'a[0]'",
            "ls ..",
            "cd",
            "cd -",
        ),
        *("cd ..", "cd a b", "./ls", "/bin/ls", "env", "which -x", "awk 1 README.md", "diff a b c"),
        *("head -n", "stat --x README.md", "nice -5 ls", "xargs ls", "sudo ls"),
    ],
)
def test_anything_else_asks(project, command):
    assert project.bash(command).behavior == "ask"


def test_reads_through_links_ask(project):
    (project.root / "link").symlink_to(project.base / "out")
    assert project.bash("cat link/x").behavior == "ask"
    assert project.bash("ls link").behavior == "ask"


def test_git_needs_trust_and_the_session_repository(project):
    assert project.having(trusted=False).bash("git status").behavior == "ask"
    (project.root / "src/.git").mkdir()
    assert project.having(cwd=str(project.root / "src")).bash("git status").behavior == "ask"
    bare = project.root / "bare"
    for name in ("HEAD", "objects", "refs"):
        (bare / name).mkdir(parents=True)
    assert project.having(cwd=str(bare)).bash("git status").behavior == "ask"
    (project.root / "lib").mkdir()
    assert project.having(cwd=str(project.root / "lib")).bash("git status").behavior == "allow"
    (project.base / "other/.git").mkdir(parents=True)
    elsewhere = project.having(roots=(*project.policy.roots, str(project.base / "other")))
    assert elsewhere.having(cwd=str(project.base / "other")).bash("git status").behavior == "ask"


def test_relative_paths_start_at_the_shells_folder(project):
    inside = project.having(cwd=str(project.root / "src"))
    assert inside.bash("cat ../README.md").behavior == "allow"
    assert inside.bash("cat ../../x").behavior == "ask"
    assert project.having(cwd=str(project.base)).bash("ls").behavior == "ask"


def test_recursive_reads_ask_where_something_is_forbidden(project):
    there = project.with_rules("deny", "Read(.env)")
    assert there.bash("grep -rn x .").behavior == "ask"
    assert there.bash("grep -n x README.md").behavior == "allow"


@pytest.mark.parametrize(
    ("rule", "command", "behavior"),
    [
        ("Bash(npm test *)", "npm test -- -x", "allow"),
        ("Bash(npm test *)", "npm  test", "allow"),
        ("Bash(npm test *)", "npm 'test x'", "ask"),
        ("Bash(npm test *)", "'npm test' x", "ask"),
        ("Bash(npm test *)", "timeout 30 npm test", "allow"),
        ("Bash(npm test *)", "timeout -s KILL 30 npm test", "ask"),
        ("Bash(npm test *)", "env npm test", "ask"),
        ("Bash(npm test *)", "./npm test", "ask"),
        ("Bash(git commit -m 'a b')", 'git commit -m "a b"', "allow"),
        ("Bash(watch *)", "watch make", "ask"),
        ("Bash(watch make)", "watch make", "allow"),
        ("Bash(find *)", "find . -delete", "ask"),
        ("Bash(find . -delete)", "find . -delete", "allow"),
        ("Bash", "make x", "allow"),
        ("Bash", "make x; make y", "allow"),
        ("Bash(make *)", "make > x", "ask"),
        ("Bash(make; rm x)", "make; rm x", "ask"),
    ],
)
def test_allow_rules(project, rule, command, behavior):
    assert project.with_rules("allow", rule).bash(command).behavior == behavior


@pytest.mark.parametrize(
    "command",
    [
        *("curl x", "/usr/bin/curl x", "ls; curl x", "ls|curl x", "a && (curl x)", "{ curl x; }"),
        *(
            "echo $(curl x)",
            "echo `curl x`",
            'echo "$(curl x)"',
            'echo "`curl x`"',
            "cat <(curl x)",
        ),
        *("A=1 B=2 curl x", "if true; then curl x; fi", "for i in 1; do curl x; done", "! curl x"),
        *(
            "sudo -u me curl x",
            "env -i A=b curl x",
            "timeout 5 nice -n 3 curl x",
            "sh -c 'ls; curl x'",
        ),
        *("bash -lc 'curl x'", "eval 'curl x'", "find . -exec curl x ';'", "'cu'rl x", "cu\\rl x"),
        *(
            "cu\\\nrl x",
            "$'\\x63url' x",
            "ls # don't\ncurl x",
            "cat <<E\ndon't\nE\ncurl x",
            "curl x>y",
        ),
        *("2>/dev/null curl x", "case x in x) curl x;; esac", "f() { curl x; }; f", "xargs curl x"),
        *("echo ok\ncurl x", "time curl x", "command curl x", "sudo bash -c 'curl x'", "curl\tx"),
        "true;" * 3000 + "curl x",
        *(f"sudo {'env ' * 300} curl x; curl y", "curl x; " + "x" * 20_000),
    ],
    ids=lambda command: command[:40],
)
def test_deny_rules_see_through_the_shell(project, command):
    there = project.with_rules("allow", "Bash").with_rules("deny", "Bash(curl *)")
    assert there.bash(command).behavior == "deny"
    assert there.having(mode="bypassPermissions").bash(command).behavior == "deny"


@pytest.mark.parametrize(
    "command", ["echo 'curl x'", "grep curl README.md", "git commit -m 'curl x'"]
)
def test_a_mere_mention_is_not_denied(project, command):
    there = project.with_rules("allow", "Bash").with_rules("deny", "Bash(curl *)")
    assert there.bash(command).behavior == "allow"


@pytest.mark.parametrize(
    "command", ["$x y", "X=cu; ${X}rl x", "python -c 'x'", "awk 1", "c*l x", "ls | xargs x"]
)
def test_what_cannot_be_checked_against_deny_rules_asks_even_in_bypass(project, command):
    there = project.having(mode="bypassPermissions")
    assert there.bash(command).behavior == "allow"
    assert there.with_rules("deny", "Bash(curl *)").bash(command).behavior == "ask"


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("Read(.env)", "cat .env"),
        ("Read(.env)", "grep x .env"),
        ("Read(.env)", "grep -e x .env"),
        ("Read(.env)", "ls; head -n 1 ./src/../.env"),
        ("Read(.env)", "make < .env"),
        ("Read(.env)", "sort --files0-from=.env"),
        ("Read(.env)", "cp .env x"),
        ("Read(~/.ssh/**)", "cat $HOME/.ssh/id_rsa"),
        ("Read(~/.ssh/**)", "cat ~/.ssh/id_rsa"),
        ("Edit(/src/**)", "echo x > src/app.py"),
        ("Edit(/src/**)", "ls 2>>src/log"),
        ("Edit(/src/**)", "rm -f src/app.py"),
        ("Edit(/src/**)", "sed -i s/a/b/ src/app.py"),
        ("Edit(/src/**)", "cp README.md src/"),
        ("Edit(/src/**)", "dd if=README.md of=src/app.py"),
    ],
)
def test_path_deny_rules_cover_file_commands(project, rule, command):
    there = project.with_rules("allow", "Bash").with_rules("deny", rule)
    assert there.having(mode="bypassPermissions").bash(command).behavior == "deny"


def test_path_deny_rules_leave_others_alone(project):
    there = project.with_rules("allow", "Bash").with_rules("deny", "Read(.env)", "Edit(/src/**)")
    for command in ("grep .env README.md", "cat src/app.py", "python x.py", "cp src/app.py x"):
        assert there.bash(command).behavior == "allow", command


def test_parameters_can_be_denied(project):
    there = project.with_rules("allow", "Bash").with_rules("deny", "Bash(run_in_background:true)")
    assert there.bash("make", run_in_background=True).behavior == "deny"
    assert there.bash("make", run_in_background=False).behavior == "allow"
    assert there.bash("make").behavior == "allow"


@pytest.mark.parametrize(
    "command",
    [
        *(
            "rm -rf /",
            "rm -rf /usr",
            "rm -rf ~",
            "rm -rf ~/",
            "rm -rf .",
            "rm -rf ..",
            "rm -rf -- /",
        ),
        *("rm -rf /*", "rm -rf *", "rm -rf ./*", "rm -rf ~/*", "rm -rf $X/", 'rm -rf "$X"/*'),
        *(
            "rm -rf ${X}/*",
            "rm -rf $HOME",
            "rm -rf $PWD",
            "sudo rm -rf /",
            "ls; rm -rf ~",
            "rmdir ..",
        ),
        *(
            "echo $(rm -rf ~)",
            "cd / && rm -rf usr",
            "cd /; rm -rf *",
            "sh -c 'rm -rf ~'",
            "/bin/rm -r /",
        ),
        *("python -c \"os.system('rm -rf ~')\" | cat", "echo $(case x in x) rm -rf ~;; esac)"),
        *("rm -rf {/usr,x}", "rm -rf src/../..", "xargs rm -rf /", "find . -exec rm -rf / +"),
    ],
)
@pytest.mark.parametrize("mode", ["default", "acceptEdits", "bypassPermissions"])
def test_critical_removals_ask_in_every_mode(project, command, mode):
    there = project.with_rules("allow", "Bash").having(mode=mode)
    assert there.bash(command).behavior == "ask"
    assert there.having(mode="dontAsk").bash(command).behavior == "deny"


@pytest.mark.parametrize(
    "command", ["rm -rf build", "rm -rf build/*", "rm *.pyc", "rm -rf $X", "rm x.{a,b}"]
)
def test_other_removals_run_in_bypass(project, command):
    assert project.having(mode="bypassPermissions").bash(command).behavior == "allow"


@pytest.mark.parametrize(
    "command",
    [
        *("mkdir -p a/b", "touch src/x", "rm -rf src", "mv src/app.py b.py", "cp -r src src2"),
        *("sed -i 's/a/b/g' README.md", "sed -i.bak -E 's|a|b|' README.md", "nice cp README.md x"),
    ],
)
def test_accept_edits_runs_plain_file_commands(project, command):
    assert project.having(mode="acceptEdits").bash(command).behavior == "allow"
    assert project.bash(command).behavior == "ask"
    assert project.having(mode="plan").bash(command).behavior == "ask"


@pytest.mark.parametrize(
    "command",
    [
        *(
            "mkdir .husky",
            "touch ~/x",
            "mv src ../x",
            "cp /etc/passwd x",
            "cp ../x y",
            "rm -rf ../x",
        ),
        *(
            "cp -t .git README.md",
            "mv --target-directory=.. README.md",
            "cp -r x/. .",
            "cp x/.npmrc .",
        ),
        *(
            "mv .git x",
            "sed -i 's/a/b/w x' README.md",
            "sed -i 's/a/b/e' README.md",
            "sed -i 1d README.md",
        ),
        *(
            "sed -i.cjs s/a/b/ .pnp",
            "sed -i 's/a/b/;w x' README.md",
            "ln -s /etc x",
            "cp -L a b",
            "touch",
        ),
    ],
)
def test_accept_edits_asks_for_the_rest(project, command):
    assert project.having(mode="acceptEdits").bash(command).behavior == "ask"


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("git push origin main", "git push *"),
        ("npm run test -- -x", "npm run test *"),
        ("npm install x", "npm install *"),
        ("cargo build", "cargo build *"),
        ("pytest -q", "pytest *"),
        ("python -m pytest -q", "python -m pytest *"),
        ("python x.py", "python x.py"),
        ("python -m http.server", "python -m http.server"),
        ("bash x.sh", "bash x.sh"),
        ("sudo make install", "sudo make install"),
        ("git -c a=b push", "git -c a=b push"),
        ("git rebase -x id", "git rebase -x id"),
        ("npm exec x", "npm exec x"),
        ("rm -rf build", "rm -rf build"),
        ("docker run x", "docker run x"),
        ("make all", "make all"),
        ("./x test", "./x test"),
        ("find . -delete", "find . -delete"),
        ("timeout 5 npm test", "npm test *"),
    ],
)
def test_suggestions(project, command, rule):
    decision = project.bash(command)
    (update,) = decision.suggestions
    assert decision.parts == (command,)
    assert (update.rules, update.destination) == ((Rule("Bash", rule),), "localSettings")
    again = project.with_rules("allow", str(update.rules[0]), source="localSettings")
    assert again.bash(command).behavior == "allow"


@pytest.mark.parametrize(
    "command",
    [
        *("make 'a*b'", "make 'x:*'", "make 'a\nb'", "make " + "x" * 600, "$x y", "echo x > $y"),
        *(
            "a; b; c; d; e; f",
            "cd src; echo x > y",
            "cd src && git push",
            "f() { a; }; f",
            "cd $x; make",
        ),
    ],
)
def test_nothing_is_offered_that_would_allow_more(project, command):
    decision = project.bash(command)
    assert (decision.behavior, decision.suggestions) == ("ask", ())


@pytest.mark.parametrize(
    ("command", "rules"),
    [
        ("make; make x", ["Bash(make)", "Bash(make x)"]),
        ("npm test && npm run lint && ls", ["Bash(npm test *)", "Bash(npm run lint *)"]),
        ("make; make", ["Bash(make)"]),
        ("cd ../out && make", ["Read(//{base}/out/**)", "Bash(make)"]),
        ("echo x > y", ["Edit(//{base}/repo/y)"]),
        ("make < ../out/x", ["Bash(make)", "Read(//{base}/out/x)"]),
        ('git commit -m "$(pwd)"', ["Bash(git commit *)"]),
        ("X=1 make", ["Bash(X=1 make)"]),
        ("cd src && echo x > y", ["Edit(//{base}/repo/src/y)"]),
    ],
    ids=range(9),
)
def test_each_part_gets_a_rule_of_its_own(project, command, rules):
    (update,) = project.bash(command).suggestions
    base = str(project.base).strip("/")
    assert [str(rule) for rule in update.rules] == [rule.format(base=base) for rule in rules]
    again = project.with_rules("allow", *map(str, update.rules), source="localSettings")
    assert again.bash(command).behavior == "allow"


def test_overlong_commands_ask_and_are_still_searched(project):
    long = "echo " + "a" * 20_000
    assert project.bash(long).behavior == "ask"
    assert project.with_rules("deny", "Bash(curl *)").bash(f"{long}; curl x").behavior == "deny"


def test_hostile_texts_are_judged_in_bounded_time(project):
    there = project.with_rules("deny", "Bash(curl *)", "Read(.env)").having(mode="acceptEdits")
    texts = ("a;" * 45_000, "sudo " * 19_000, "rm " + "a/b " * 20_000, "$(" * 45_000, "`" * 90_001)
    start = time.process_time()
    assert {there.bash(text).behavior for text in texts} == {"ask"}
    assert time.process_time() - start < 15


@pytest.mark.parametrize(
    "text",
    [
        "$'\\x'",
        "$'\\u'",
        "$'\\U zz'",
        "$(" * 5000,
        "`" * 5001,
        "(" * 5000,
        '"$(' * 3000,
        "\\",
        "<<",
        "'",
        "$'",
    ],
)
def test_the_tolerant_scanner_never_fails(text):
    assert isinstance(segments(text), list)
