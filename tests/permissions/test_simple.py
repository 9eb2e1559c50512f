"""One plain command: the words must be exactly those that the shell would see."""

import random
import subprocess

import pytest

from agentcli.permissions.shell.simple import MAX_LENGTH, quote, split_simple


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ls", ("ls",)),
        ("  ls   -la\t.\n", ("ls", "-la", ".")),
        ("echo 'a  b' \"c;d\"", ("echo", "a  b", "c;d")),
        ("echo a'b'\"c\"d", ("echo", "abcd")),
        ("echo ''", ("echo", "")),
        ("git diff HEAD~1 HEAD^", ("git", "diff", "HEAD~1", "HEAD^")),
        ("echo a#b", ("echo", "a#b")),
        ("git commit -m 'one\ntwo'", ("git", "commit", "-m", "one\ntwo")),
        ("echo 世界", ("echo", "世界")),
        ("grep --include='*.py' x .", ("grep", "--include=*.py", "x", ".")),
    ],
)
def test_simple_commands(text, words):
    assert split_simple(text) == words


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "a;b", "a&", "a|b", "a&&b", "a\nb", "a>b", "a<b", "a 2>&1", "(a)", "{ a; }"),
        *("echo $x", 'echo "$x"', "echo `a`", 'echo "`a`"', "echo \\a", 'echo "\\a"'),
        *("ls *", "ls ?", "ls [a]", "ls {a,b}", "ls ~", "ls ~/x", "! ls", "ls !x"),
        *("echo # x", "echo 'x'# y", "X=1 ls", "X+=1 ls", "x[1]=2", "=curl x", "ls =x", "%1"),
        *("if", "while true", "[[ a ]]", "time\x00", "'unclosed", '"unclosed', "$'a'", '$"a"'),
        *("ls\rx", "ls\x0bx", "ls\x1b", "echo \u200b", "echo \u202e", "ls\u00a0x", "echo \u3164"),
        *("echo \u2028x", "echo \ue000", "echo \U000e0041", "echo '\x07'", "''", "'' x"),
    ],
)
def test_everything_else_is_not_simple(text):
    assert split_simple(text) is None


def test_length_is_bounded():
    assert split_simple("echo " + "a" * (MAX_LENGTH - 5)) is not None
    assert split_simple("echo " + "a" * (MAX_LENGTH - 4)) is None


def test_words_are_those_that_bash_sees():
    draw = random.Random(7)
    alphabet = "ab -./:=,+%@^~#'\"\"' *?$\\;é\t{}[]!"
    checked: list[tuple[str, tuple[str, ...]]] = []
    while len(checked) < 400:
        text = "x " + "".join(draw.choice(alphabet) for _ in range(draw.randint(1, 12)))
        words = split_simple(text)
        if words:
            checked.append((text, words))
    script = "".join(f"printf '%s\\0' {text}; printf '\\n\\0'\n" for text, _ in checked)
    run = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", script], capture_output=True, check=True
    )
    groups = run.stdout.decode().split("\n\0")[:-1]
    seen = [tuple(group.split("\0")[:-1]) for group in groups]
    assert seen == [words for _, words in checked]


def test_quote_keeps_words_apart():
    assert quote(("npm", "test x", "", "it's")) == "npm 'test x' '' 'it'\"'\"'s'"
    assert split_simple(quote(("a", "b c", "it's"))) == ("a", "b c", "it's")
