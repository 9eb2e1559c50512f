"""Where a ``cd`` really leaves the shell, and what stands for a name that is not known."""

import pytest


@pytest.fixture
def there(project):
    (project.base / "x").write_text("outside")
    (project.base / "home/notes").write_text("private")
    return project


@pytest.mark.parametrize(
    "command",
    [
        "(cd src) >/dev/null && cat ../x",
        "true | cd src >/dev/null && cat ../x",
        "{ false || cd src\n} >/dev/null && cat ../x",
        "if false; then cd src; fi >/dev/null && cat ../x",
        "case a in b) cd src;; esac >/dev/null && cat ../x",
        "! cd nowhere >/dev/null && cat ../x",
        "nice cd src && cat ../x",
        "timeout 5 cd src && cat ../x",
        "nohup cd src && cat ../x",
        "CDPATH=/tmp cd src && cat ../x",
    ],
)
def test_a_cd_that_does_not_move_the_shell(there, command):
    assert there.bash(command).behavior == "ask"
    assert there.bash("cd src && cat ../README.md").behavior == "allow"
    assert there.bash("cd src >/dev/null && cat ../README.md").behavior == "allow"


@pytest.mark.parametrize("option", ["--", "-P", "-L", "-@", "-", "-e", ""])
def test_a_cd_that_goes_home_or_back(there, option):
    allowing = there.with_rules("allow", "Bash(cd *)")
    assert allowing.bash(f"cd {option} && cat notes").behavior == "ask"


@pytest.mark.parametrize(
    "command",
    [
        'cd "$v" && cat key.pem',
        "cd secret? && cat key.pem",
        "cd $(echo secrets) && cat key.pem",
        "cat <$v",
        "eval cd x && cat key.pem",
    ],
)
def test_unknown_names_are_a_doubt_about_file_rules(there, command):
    bypassing = there.having(mode="bypassPermissions")
    assert bypassing.bash(command).behavior == "allow"
    assert bypassing.with_rules("deny", "Read(secrets/**)").bash(command).behavior != "allow"


def test_a_bracket_that_bash_reads_otherwise(there):
    (there.root / "ax").write_text("x")
    (there.root / "[b]x").symlink_to(there.base / "x")
    (there.root / "a").mkdir()
    (there.root / "a/k").write_text("x")
    (there.root / "[b]").symlink_to(there.base)
    (there.root / "a]").symlink_to(there.base / "x")
    for command in ("cat [b]x", "cat [b]/k", "cat a[]a]", "cat [!]a]x", "cat [[:alpha:]]"):
        assert there.bash(command).behavior == "ask", command
    assert there.bash("cat [a]x").behavior == "allow"
