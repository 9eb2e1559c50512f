"""Reading a shell text: every command that bash would run, or a reason why that is not certain."""

import pytest

from agentcli.permissions.shell.screening import MAX_LENGTH, join_lines
from agentcli.permissions.shell.script import read_script
from agentcli.permissions.shell.words import canonical, quote


def commands(text):
    script = read_script(text)
    assert script.trouble is None, script.trouble
    return [tuple(word.text for word in command.words) for command in script.commands]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ls", ("ls",)),
        ("  ls   -la\t.\n", ("ls", "-la", ".")),
        ("echo 'a  b' \"c;d\"", ("echo", "a  b", "c;d")),
        ("echo a'b'\"c\"d", ("echo", "abcd")),
        ("echo ''", ("echo", "")),
        ("r'm' x; ", ("rm", "x")),
        ('cu""rl x', ("curl", "x")),
        ("\\ls \\-la a\\ b", ("ls", "-la", "a b")),
        (
            "git diff HEAD~1 HEAD^ @{1} stash@{2} {}",
            ("git", "diff", "HEAD~1", "HEAD^", "@{1}", "stash@{2}", "{}"),
        ),
        ('echo "a\\"b\\$c\\d"', ("echo", 'a"b$c\\d')),
        ("echo a#b # c", ("echo", "a#b")),
        ("git commit -m 'one\ntwo'", ("git", "commit", "-m", "one\ntwo")),
        ("echo 世界", ("echo", "世界")),
        ("cat > f x y", ("cat", "x", "y")),
        ("> f cat x", ("cat", "x")),
        ("python3 - <<'A'\nx\nA", ("python3", "-")),
        ("[ -f x -o ! -d y ]", ("[", "-f", "x", "-o", "!", "-d", "y", "]")),
        ("docker run \\\n  'a \\\n b' \\\n c", ("docker", "run", "a \\\n b", "c")),
        ("cur\\\nl x", ("curl", "x")),
    ],
    ids=range(19),
)
def test_words_are_decoded_as_bash_passes_them(text, words):
    assert commands(text) == [words]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a; b & c && d || e | f |& g\nh", "abcdefgh"),
        ("(a; b) | { c; }", "abc"),
        ("! a", "a"),
        ('a "$(b "$(c)")" `d` <(e) > >(f)', "cbdefa"),
        ("if a; then b; elif c; then d; else e; fi", "abcde"),
        ("for x in 1 $(a); do b; done", "ab"),
        ("while a; do b; done; until c; do d; done", "abcd"),
        ("case $(a) in x|y*) b;; *) c;; esac", "abc"),
        ("a <<'E' | b\nz\nE\nc", "bac"),
        ("a <<< $(b)", "ba"),
        ("a 2>/dev/null >&2 <&- 3>&1", "a"),
        ("a '$(b)' \"\\$(c)\" \\`d", "a"),
        ("a # b\nc", "ac"),
    ],
    ids=range(13),
)
def test_every_command_is_found(text, names):
    assert [words[0] for words in commands(text)] == list(names)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "f() { a; }",
            "function f { a; }",
            "a=1",
            "a=1 b=2",
            "export a=1",
            "declare a",
            "unset a",
        ),
        *(
            "[[ -f x ]]",
            "((x=1))",
            "echo $((x))",
            "for ((;;)); do a; done",
            "select x in a; do b; done",
        ),
        *("echo ${a:-b}", "echo ${!a}", "echo ${a@P}", "echo ${a[1]}", "echo {a,b}", "echo {1..3}"),
        *("echo $'a'", 'echo $"a"', "coproc a", "a <<E\n$x\nE", "a <<E\nx", "a <<A <<B\nA\nB"),
        *(
            "'unclosed",
            "a <> b",
            "a {fd}> b",
            "for PATH in x; do a; done",
            "for path in x; do a; done",
        ),
        *(
            "a=(1) b",
            "a+=1 b",
            "''",
            "'' x",
            "%1",
            "=curl x",
            "then a",
            "ls >&'$(a)'",
            'ls >&"a b"',
            "ls >&$x",
            "a 2>&1\\\\ ",
            "[-f x ]; a",
            "{! a\n}",
            "time { a; }",
            "time ! a",
            "> $ a",
            "'a'\\; b",
            "10= a",
            "a\n\\; b",
            "echo `a \\`b\\``",
            "a)",
        ),
    ],
    ids=lambda text: repr(text)[:20],
)
def test_everything_else_is_trouble(text):
    assert read_script(text).trouble


@pytest.mark.parametrize(
    "text",
    [
        *(
            "ls\rx",
            "ls\x0bx",
            "ls\x0cx",
            "ls\x1b",
            "ls\0",
            "echo \u200b",
            "echo \u202e",
            "ls\u00a0x",
        ),
        *("echo \u3164", "ls\u2028x", "echo \ue000", "echo \U000e0041", "echo '\x07'", "a\x85b"),
    ],
    ids=lambda text: ascii(text)[:20],
)
def test_what_deceives_the_eye_or_the_parser_is_trouble(text):
    assert read_script(text).trouble == "It holds control or invisible characters"


def test_what_is_not_known_before_it_runs_is_marked():
    words = read_script('a $x "y$z" ~/w *.py b\\* "c*" d=~ $((1+2)) ${v} $(w) e').commands[-1].words
    assert [word.dynamic for word in words] == [
        False,
        *[True] * 3,
        *[False] * 3,
        *[True] * 4,
        False,
    ]
    assert [word.pattern for word in words[4:7]] == ["*.py", None, None]
    assert read_script("a x'*'*").commands[0].words[1].pattern == "x\\**"


def test_trouble_keeps_what_was_found():
    script = read_script("f() { curl x; }; f")
    assert script.trouble and ("curl", "x") in [
        tuple(word.text for word in command.words) for command in script.commands
    ]


@pytest.mark.parametrize(
    ("text", "redirects"),
    [
        (
            "a > b 2>> c < d &> e >| f >& g",
            [(">", "b"), (">>", "c"), ("<", "d"), ("&>", "e"), (">|", "f"), (">&", "g")],
        ),
        ("a 2>&1 >&2 <&0", []),
        ("a <<'E' > b\nx\nE", [("<<", "x\n"), (">", "b")]),
        ("a <<-E\n\tx\n\tE", [("<<", "\tx\n")]),
        ("a <<< 'x'", [("<<<", "x")]),
    ],
    ids=range(5),
)
def test_redirects_of_a_command(text, redirects):
    (command,) = read_script(text).commands
    assert [
        (item.operator, item.target and item.target.text) for item in command.redirects
    ] == redirects


def test_redirects_of_a_group_are_not_lost():
    assert [
        item.target and item.target.text for item in read_script("{ a; } > b; (c) >d").redirects
    ] == ["b", "d"]


@pytest.mark.parametrize(
    "text", ["a && b > f x", "a | b >f x", "a || b | c; a && b x >f", "a |\n b >f x"]
)
def test_a_redirect_belongs_to_the_last_command_of_a_list(text):
    script = read_script(text)
    (last,) = [command for command in script.commands if command.redirects]
    assert script.trouble is None and script.redirects == ()
    assert [word.text for word in last.words] == ["b", "x"]


def test_a_command_knows_what_surely_went_before():
    script = read_script("a && b | c && d; e && (f && g)")
    assert [sorted(command.after) for command in script.commands] == [
        [],
        [0],
        [0],
        [0],
        [],
        [4],
        [4, 5],
    ]


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("a \\\nb", "a b"),
        ("a 'x \\\n y' \\\nb", "a 'x \\\n y' b"),
        ('a "x \\\n y"', 'a "x  y"'),
        ("a # x \\\nb", "a # x \\\nb"),
        ("a \\\\\nb", "a \\\\\nb"),
        ("a \"$(b 'x\\\ny')\" \\\nc", "a \"$(b 'x\\\ny')\" c"),
    ],
    ids=range(6),
)
def test_continuations_are_joined_where_bash_joins_them(text, joined):
    assert join_lines(text) == joined


@pytest.mark.parametrize(
    "text", ["a <<E\nx\\\nE", "a `b\\\n`", "a $'\\\n'", "a ${b\\\n}", 'a "x\\\n']
)
def test_doubtful_continuations_are_trouble(text):
    assert join_lines(text) is None and read_script(text).trouble


def test_length_and_depth_are_bounded():
    assert read_script("echo " + "a" * (MAX_LENGTH - 5)).trouble is None
    assert read_script("echo " + "a" * (MAX_LENGTH - 4)).trouble
    assert read_script("$(" * 600 + "a" + ")" * 600).trouble
    assert read_script("(" * 60 + "a" + ")" * 60).trouble


def test_quote_keeps_words_apart():
    assert quote(("npm", "test x", "", "it's")) == "npm 'test x' '' 'it'\"'\"'s'"
    (command,) = read_script("a 'b c'  $x *.y").commands
    assert canonical(command.words) == "a 'b c' $x *.y"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "[ " + "! " * 3_000 + "a ]",
            "[ a" + " -a a" * 2_400 + " ]",
            "a" + "|a" * 4_000,
            "a" + "&&a" * 3_000,
        ),
        *(
            "$(" * 400 + "a",
            "`a " * 2_500,
            "echo " + "${a:-" * 400,
            "echo $((" + "1+" * 3_000,
            "time " * 1_900 + "a",
        ),
        *(
            "a " + "<<E " * 2_000,
            "if a; then b; " + "elif c; then d; " * 500 + "fi",
            "'" * 9_999,
            "\\" * 9_999,
        ),
        *(
            "a\\\n" * 3_000,
            "[[ " + "a && " * 1_900 + "a ]]",
            "echo " + '"a"b' * 2_400,
            "case x in " + "a) b;; " * 1_200,
        ),
    ],
    ids=range(17),
)
def test_texts_made_to_hurt_are_read_without_a_failure(text):
    script = read_script(text)
    assert script.trouble or len(script.commands) < 5_000
