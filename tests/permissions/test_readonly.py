"""The programs that only read: which forms run unasked, and which neighbours of theirs ask."""

import pytest


@pytest.mark.parametrize(
    "command",
    [
        *(
            "rg -n foo src",
            "rg --files",
            "rg -e a -e b src",
            "rg -tpy 'a|b' .",
            "egrep -rn 'a|b' src",
        ),
        *(
            "date +%Y-%m",
            "date -u",
            "tr a-z A-Z < README.md",
            "uniq -c README.md",
            "sort -u README.md",
        ),
        *(
            "comm -12 README.md src/app.py",
            "cmp README.md src/app.py",
            "paste README.md",
            "tac README.md",
        ),
        *(
            "file README.md",
            "sha256sum README.md",
        ),
        *(
            "realpath src",
            "readlink -f src",
            "df -h .",
            "id",
            "nproc",
            "ps aux",
            "ps -ef",
        ),
        *(
            "jq .scripts README.md",
            "jq -r '.a | keys' README.md",
            "sleep 3",
            "command -v node",
            "type ls",
        ),
        *(
            "[ -d src ]",
            "test -f README.md -a ! -d x",
            "[ ! -f x ]",
            "node --version",
            "python3 -V",
        ),
        *("docker ps -a", "docker images", "docker logs --tail 5 x", "base64 README.md"),
        'while read -r line; do echo "$line"; done < README.md',
        *("git --no-pager log -3", "git -P diff", "git tag", "git tag -l 'v*'", "git stash list"),
        *(
            "git reflog -5",
            "git grep -n foo",
            "git ls-tree -r HEAD",
            "git cat-file -p HEAD:README.md",
        ),
        *("git describe --tags", "git merge-base main HEAD", "git rev-list --count HEAD"),
        *("git for-each-ref --format='%(refname)'", "git worktree list", "git check-ignore src"),
    ],
)
def test_what_only_reads_runs_unasked(project, command):
    decision = project.bash(command)
    assert decision.behavior == "allow", decision.reason
    assert project.having(mode="plan").bash(command).behavior == "allow"
    assert project.having(mode="dontAsk").bash(command).behavior == "allow"


@pytest.mark.parametrize(
    "command",
    [
        *(
            "rg foo ../x",
            "rg --pre x y",
            "rg -z x",
            "rg -L x",
            "rg --files ..",
            "rg -f x y",
            "egrep -f x y",
        ),
        *(
            "date -s x",
            "date --set=x",
            "date 01010000",
            "date -f x",
            "uniq README.md out",
            "sort -o x y",
        ),
        *(
            "xxd README.md out",
            "xxd -r README.md",
            "file -m x y",
            "file -f x",
            "file -C",
            "file -z x",
        ),
        *("sha256sum -c x", "tree -o x", "tree -l", "ps e", "ps aux e", "hostname x", "id ../x y"),
        *(
            "jq env x",
            "jq '$ENV.A' x",
            "jq -f x y",
            "jq 'input_line' x",
            "jq . ../x",
            "jq -n 'import \"a\" as a; 1'",
        ),
        *(
            "sleep 60",
            "sleep 11",
            "sleep 1d",
            "read PATH",
            "read 'a[$(x)]'",
            "read -p x y",
            "command ls x; make",
        ),
        *(
            "[ -v x ]",
            "test -f x -o -v y",
            "[ -f ../x ]",
            "node -e 1",
            "python3 --version -c x",
            "make --version -f x",
        ),
        *(
            "docker run x",
            "docker -H x ps",
            "docker logs -f x",
            "docker exec x ls",
            "docker ps --x",
            "docker --context x ps",
        ),
        *(
            "git --no-pager -c a=b log",
            "git tag x",
            "git tag -d x",
            "git tag -v x",
            "git stash",
            "git stash show",
        ),
        *(
            "git reflog expire --all",
            "git reflog delete x",
            "git grep -O x",
            "git grep -f x y",
            "git grep --no-index x",
        ),
        *(
            "git for-each-ref --format='%(signature)'",
            "git cat-file --textconv x",
            "git worktree add x",
        ),
        *(
            "git branch --format='%(signature:key)'",
            "git rev-list --x",
            "git check-ignore ../x",
            "git ls-remote",
        ),
        *(
            "git config --list",
            "git config user.name x",
            "git gc",
            "git fetch",
            "ls | xargs cat",
            "cargo --version",
        ),
    ],
)
def test_their_neighbours_ask(project, command):
    assert project.bash(command).behavior == "ask"


def test_contents_of_what_is_not_named_ask_where_something_is_hidden(project):
    there = project.with_rules("deny", "Read(secrets/**)")
    for command in ("rg x", "egrep -r x .", "git grep x", "git cat-file -p HEAD"):
        assert project.bash(command).behavior == "allow"
        assert there.bash(command).behavior == "ask"


def test_bare_xargs_is_seen_through_by_rules_only(project):
    there = project.with_rules("allow", "Bash(prettier *)", "Bash(rm *)")
    assert there.bash("ls | xargs prettier --check").behavior == "allow"
    for command in (
        "ls | xargs -n1 prettier",
        "ls | xargs rm -rf",
        "ls | xargs cat",
        "ls | xargs sh",
    ):
        assert there.bash(command).behavior == "ask"


def test_a_shell_that_reads_its_script_hides_it_from_a_deny_rule(project):
    there = project.with_rules("allow", "Bash").with_rules("deny", "Bash(curl *)")
    for command in ("echo 'curl x' | sh", "sh < x", "bash -x", "cat x | bash -s"):
        assert there.bash(command).behavior == "ask"
    assert there.bash("sh x.sh").behavior == "allow"


@pytest.mark.parametrize(
    "command",
    [
        *("od -w /etc/passwd", "xxd -ac README.md out", "xxd README.md -a", "strings @README.md"),
        *(
            "tree -Po x out",
            "git diff -U /etc/passwd README.md",
            "git diff --unified /etc/passwd README.md",
        ),
        *("git log -U /etc/passwd", "git show -U /etc/passwd"),
    ],
)
def test_options_whose_value_another_reader_takes_otherwise_ask(project, command):
    assert project.bash(command).behavior == "ask"


def test_a_name_that_looks_like_an_option_is_a_path_behind_the_dashes(project):
    (project.root / "-x").symlink_to(project.base / "out")
    assert project.bash("ls -- -x/").behavior == "ask"
    assert project.bash("ls -l -- src").behavior == "allow"


@pytest.mark.parametrize("program", ["egrep x", "fgrep x", "expand", "sha512sum", "b2sum"])
def test_a_file_rule_is_about_every_program_that_reads_unasked(project, program):
    assert project.with_rules("deny", "Read(.env)").bash(f"{program} .env").behavior == "deny"
