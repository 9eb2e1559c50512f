"""Which candidates come, and in which order."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcli.frontends.tui.complete.commands import CommandInfo, match_choices, match_commands
from agentcli.frontends.tui.complete.files import Paths, Search
from agentcli.frontends.tui.complete.folders import list_names
from agentcli.frontends.tui.complete.fuzzy import align, marks, score
from agentcli.frontends.tui.complete.shell import last_word, match_lines, shell_paths
from agentcli.frontends.tui.complete.shorten import shorten_middle
from agentcli.frontends.tui.complete.token import Token, token_at


def best(query: str, *paths: str) -> list[str]:
    listing = Paths()
    listing.add(list(paths))
    search = Search(listing, query)
    assert search.step(10)
    return [path for path in search.found().paths if path in paths]


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("cart", ["src/cart.py", "src/cart_rules.py", "src/old_cart.py", "src/xcart.py"]),
        ("cart", ["lib/cart.py", "cart/z.py"]),
        ("src/a", ["src/a.py", "src/api/z.py", "old/src/a.py"]),
        ("tv", ["shared/tool_view.py", "shared/attive.py"]),
        ("readme", ["README.md", "docs/README.md", "docs/deep/readme.md"]),
        ("view", ["a/view.py", "view/other.py"]),
        ("ab", ["x/ab", "x/a_b", "x/a1b", "a/x/b"]),
    ],
)
def test_the_better_fit_comes_first(query: str, order: list[str]):
    assert best(query, *reversed(order)) == order


def test_capitals_do_not_matter_and_what_does_not_fit_is_left_out():
    assert best("RDM", "README.md", "other.md") == ["README.md"]
    assert best("zq", "README.md") == []


def test_folders_are_found_by_their_own_name():
    listing = Paths()
    listing.add(["agentcli/frontends/tui/app.py"])
    search = Search(listing, "tui")
    search.step(10)
    assert search.found().paths[0] == "agentcli/frontends/tui/"


@given(st.text("abc/_.", max_size=6), st.lists(st.text("abcxyz/_.", min_size=1), max_size=30))
def test_narrowing_finds_what_a_whole_search_finds(query: str, paths: list[str]):
    listing = Paths()
    listing.add(paths)
    first = Search(listing, query[:2])
    first.step(10)
    narrowed, whole = Search(listing, query, first.hits), Search(listing, query)
    narrowed.step(10)
    whole.step(10)
    assert narrowed.found() == whole.found()
    assert set(whole.found().paths) == {
        path for path in listing.names if score(query, path.rstrip("/"), _base(path)) > 0
    }


def _base(path: str) -> int:
    return path.rstrip("/").rfind("/") + 1


@given(st.text("abc", min_size=1, max_size=5), st.text("abcx/_", max_size=20))
def test_alignment_is_a_subsequence(query: str, path: str):
    spots = align(query, path, 0)
    rest = iter(path)
    assert (spots is not None) == all(char in rest for char in query)
    if spots is not None:
        assert "".join(path[spot] for spot in spots) == query
        assert spots == sorted(set(spots))


def test_marks_show_the_match_in_the_last_part():
    assert marks("CART", "cart/src/cart.py") == (9, 10, 11, 12)
    assert marks("tv", "shared/tool_view.py") == (7, 12)
    assert marks("", "x") == ()


# commands

COMMANDS = [
    CommandInfo("help", "keys and commands"),
    CommandInfo("reload-skills", "read skills again"),
    CommandInfo("skills", "list skills"),
    CommandInfo("clear", "new conversation", "[name]", ("reset", "new")),
    CommandInfo("model", "choose the model", "[name]"),
    CommandInfo("mcp__srv__ask", "a prompt"),
    CommandInfo("rename", "name the session", "<name>"),
]


def commands(query: str) -> list[str]:
    return [c.value for c in match_commands(COMMANDS, Token("command", 0, len(query) + 1, query))]


def test_commands_by_beginning_word_and_alias():
    assert len(commands("")) == len(COMMANDS)
    assert commands("sk") == ["/skills", "/reload-skills"]
    assert commands("reloadsk") == commands("re-load_sk") == ["/reload-skills"]
    assert commands("new") == ["/clear"]
    assert commands("MODEL") == ["/model"]
    assert commands("srv:ask") == ["/mcp__srv__ask"]
    assert commands("re") == ["/reload-skills", "/rename", "/clear"]


@pytest.mark.parametrize("typo", ["hlep", "elp", "odel", "-", "kills"])
def test_a_typo_or_the_middle_of_a_word_matches_nothing(typo: str):
    assert commands(typo) == []


def test_a_command_shows_alias_argument_and_match():
    (row,) = match_commands(COMMANDS, Token("command", 0, 6, "reset"))
    assert (row.label, row.about) == ("/clear (reset) [name]", "new conversation")
    assert "".join(row.label[at] for at in row.marks) == "reset"
    assert row.runs
    rows = match_commands(COMMANDS, Token("command", 0, 4, "skill"))
    assert [row.marks for row in rows] == [(1, 2, 3, 4, 5), (8, 9, 10, 11, 12)]
    assert not match_commands(COMMANDS, Token("command", 0, 7, "rename"))[0].runs


def test_choices_of_an_argument():
    choices = [("dark", "for dark"), ("light", "for light"), ("daylight", "x")]
    token = token_at("/theme li", 9)
    assert token is not None
    rows = match_choices(choices, token)
    assert [row.value for row in rows] == ["light", "daylight"]
    assert rows[0].edit("/theme li", enter=True).submit
    whole = token_at("/theme light", 12)
    assert whole is not None and match_choices(choices, whole) == []
    empty = token_at("/theme ", 7)
    assert empty is not None and len(match_choices(choices, empty)) == 3


# the file system


def test_names_of_a_folder(tmp_path: Path):
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / "src" / "app.py").touch()
    (tmp_path / "src" / ".env").touch()
    (tmp_path / ".git").mkdir()
    (tmp_path / "bad\nname").touch()

    def names(typed: str, only_folders: bool = False) -> list[str]:
        root, home = tmp_path / "src", tmp_path
        return [name.path for name in list_names(typed, root, home, only_folders).names]

    assert names("") == ["deep/", "app.py", ".env"]
    assert names("../") == ["../src/"]
    assert names("..") == ["../"]
    assert names("~/s") == ["~/src/"]
    assert names("~") == ["~/"]
    assert names(f"{tmp_path}/src/ap") == [f"{tmp_path}/src/app.py"]
    assert names("", only_folders=True) == ["deep/"]
    assert names("nowhere/") == []
    assert names("app.py/x") == []
    assert list_names("app.py", tmp_path / "src", tmp_path).exact
    assert not list_names("deep", tmp_path / "src", tmp_path).exact


# shell lines


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ls src/a", (3, "src/a", "")),
        ("", (0, "", "")),
        ("cat my\\ fi", (4, "my fi", "")),
        ('cat "my fi', (4, "my fi", '"')),
        ("a|b", (2, "b", "")),
        ("x 'it", (2, "it", "'")),
        ("x 'it' y", (7, "y", "")),
    ],
)
def test_the_last_word_of_a_shell_line(line: str, expected: tuple[int, str, str]):
    assert last_word(line) == expected


def test_earlier_lines_that_begin_like_it():
    token = Token("shell", 1, 7, "git st")
    lines = ["git status", "ls", "git stash", "git status", "git st"]
    rows = match_lines(lines, token)
    assert [row.value for row in rows] == ["git status", "git stash"]
    assert rows[0].edit("!git st").insert == "git status "


def test_paths_in_a_shell_line(tmp_path: Path):
    (tmp_path / "my file").touch()
    (tmp_path / "dir").mkdir()

    def line(text: str) -> str:
        token = Token("shell", 0, len(text), text)
        (row,) = shell_paths(token, tmp_path, tmp_path)
        edit = row.edit(text)
        return text[: edit.start] + edit.insert + text[edit.end :]

    assert line("cat my") == "cat my\\ file "
    assert line('cat "my') == 'cat "my file" '
    assert line("ls d") == "ls dir/"
    assert shell_paths(Token("shell", 0, 0, ""), tmp_path, tmp_path) == []


# cutting


@given(st.text("ab/あ.", min_size=1, max_size=60), st.integers(3, 40))
def test_long_names_are_cut_to_fit_and_marks_move_along(label: str, width: int):
    from rich.cells import cell_len

    spots = tuple(at for at, char in enumerate(label) if char == "b")
    text, moved = shorten_middle(label, spots, width)
    assert cell_len(text) <= width
    assert all(text[at] == "b" for at in moved)


def test_the_name_of_a_file_is_kept():
    text, _ = shorten_middle("agentcli/frontends/tui/transcript/markdown.py", (), 26)
    assert text.startswith("agentcli/") and text.endswith("…/markdown.py")
    assert len(text) == 26
