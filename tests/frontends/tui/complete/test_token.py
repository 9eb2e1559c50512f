"""What is under the cursor, and what taking a candidate makes of the text."""

import pytest

from agentcli.context.mentions import find_mentions
from agentcli.frontends.tui.complete.candidate import Candidate, Edit
from agentcli.frontends.tui.complete.mention import path_rows, whole_folder
from agentcli.frontends.tui.complete.token import Token, token_at


def at(text: str, shell: bool = False) -> Token | None:
    """The token where ``|`` stands."""
    cursor = text.index("|")
    return token_at(text.replace("|", "", 1), cursor, shell)


@pytest.mark.parametrize(
    ("text", "span", "query"),
    [
        ("@|", (0, 1), ""),
        ("see @sr|", (4, 7), "sr"),
        ("see @src/a|b.py now", (4, 14), "src/a"),
        ("(@src|)", (1, 5), "src"),
        ("(@sr|c, x)", (1, 5), "sr"),
        ("@app/(gr|oup)", (0, 12), "app/(gr"),
        ("看@src|", (1, 5), "src"),
        ("one\n@b| two", (4, 6), "b"),
        ('open @"my fi|le.txt" please', (5, 19), "my fi"),
        ('open @"my fi|', (5, 12), "my fi"),
        ("@src/a|.py#L10-20", (0, 9), "src/a"),
        ("/model @x|", (7, 9), "x"),
        ("@node_modules/@types/n|", (0, 22), "node_modules/@types/n"),
    ],
)
def test_mentions_are_found_at_the_cursor(text: str, span: tuple[int, int], query: str):
    token = at(text)
    assert token is not None and token.kind == "mention"
    assert (token.start, token.end, token.query) == (*span, query)


@pytest.mark.parametrize(
    "text",
    [
        "me@home|",
        "a.b+c@d|",
        "//@ts|",
        "é@x|",
        "|@src",
        "@src |",
        "@src/a.py#L1|0-20",
        '@"a b" |',
        '@"a b"#L|1',
        "plain|",
    ],
)
def test_nothing_is_completed_here(text: str):
    assert at(text) is None


@pytest.mark.parametrize(
    ("text", "kind", "query", "command"),
    [
        ("/|", "command", "", ""),
        ("/mo|del x", "command", "mo", ""),
        ("/model so|", "argument", "so", "model"),
        ("/model   |", "argument", "", "model"),
        ("/Add-Dir ../x|", "argument", "../x", "add-dir"),
        ("!git st|", "shell", "git st", ""),
        ("!|", "shell", "", ""),
    ],
)
def test_commands_arguments_and_shell_lines(text: str, kind: str, query: str, command: str):
    token = at(text)
    assert token is not None
    assert (token.kind, token.query, token.command) == (kind, query, command)


@pytest.mark.parametrize("text", ["/usr/b|in", "|/model", "x /mo|", "/model\nx|", "/model x\ny|"])
def test_paths_and_prose_are_no_commands(text: str):
    assert at(text) is None


def test_shell_mode_takes_the_whole_text():
    token = at("git @st|", shell=True)
    assert token == Token("shell", 0, 7, "git @st")


def taken(text: str, path: str) -> tuple[str, int]:
    """Text and cursor after *path* was taken at ``|``."""
    cursor = text.index("|")
    plain = text.replace("|", "", 1)
    token = token_at(plain, cursor)
    assert token is not None
    edit = path_rows([path], token)[0].edit(plain)
    return plain[: edit.start] + edit.insert + plain[edit.end :], edit.cursor


def test_a_file_is_followed_by_one_space_and_the_rest_stays():
    assert taken("see @sr|", "src/a.py") == ("see @src/a.py ", 14)
    assert taken("see @sr| and", "src/a.py") == ("see @src/a.py and", 14)
    assert taken("see @sr|xx and", "src/a.py") == ("see @src/a.py and", 14)
    assert taken("a @x|\nb", "x.py") == ("a @x.py \nb", 8)


def test_a_command_in_front_is_left_alone():
    assert taken("/review @x|", "x.py") == ("/review @x.py ", 14)


def test_a_line_range_stays_at_the_name():
    assert taken("@ap|#L10-20 x", "src/app.py")[0] == "@src/app.py#L10-20 x"


@pytest.mark.parametrize("name", ["a b.txt", "notes.", "a#b", "x#L5", "what?", "f)"])
def test_names_that_need_it_are_quoted_and_read_back(name: str):
    text, cursor = taken("@x|", name)
    assert text == f'@"{name}" '
    assert cursor == len(text)
    assert [mention.path for mention in find_mentions(text)] == [name]


@pytest.mark.parametrize("name", ["app/(group)/[id]/page.tsx", "a-b_c.d", "f(1)", "@types/x", "ü"])
def test_names_that_need_no_quotes_are_read_back(name: str):
    text, _ = taken("@x|", name)
    assert text == f"@{name} "
    assert [mention.full for mention in find_mentions(text)] == [name]


def test_folders_can_be_gone_into():
    assert taken("@s|", "src/") == ("@src/", 5)
    text, cursor = taken("@m|", "my dir/")
    assert text[:cursor] + "|" + text[cursor:] == '@"my dir/|"'
    assert taken('@"my dir/|"', "my dir/a b") == ('@"my dir/a b" ', 14)


def test_the_whole_folder_can_be_taken():
    token = token_at("@src/", 5)
    assert token is not None
    assert whole_folder(token).edit("@src/") == Edit(0, 5, "@src/ ", 6)


def test_only_enter_sends_and_only_what_is_complete():
    command = Candidate("/help", "/help", end=3, kind="command", runs=True)
    assert command.edit("/he", enter=True) == Edit(0, 3, "/help", 5, submit=True)
    assert command.edit("/he") == Edit(0, 3, "/help ", 6)
    needy = Candidate("/rename", "/rename <name>", end=3, kind="command")
    assert needy.edit("/re", enter=True) == Edit(0, 3, "/rename ", 8)
