"""Completion in a running window: what is offered, taken, dismissed; and what must not happen."""

import asyncio
import subprocess
from pathlib import Path
from time import perf_counter

import pytest

from agentcli.frontends.tui.complete import listing
from agentcli.frontends.tui.complete.candidate import Edit
from agentcli.frontends.tui.complete.files import FileIndex, Search, finish
from tests.frontends.tui.complete.desk import desk


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    for name in [
        "src/app.py",
        "src/cart.py",
        "src/deep/cart_rules.py",
        "docs/my notes.md",
        "README.md",
        ".github/ci.yml",
        "dist/bundle.js",
        "dist/cart.min.js",
    ]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    (root / ".gitignore").write_text("dist/\n")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


async def test_files_are_found_by_a_few_letters_and_ignored_ones_come_last(project: Path):
    async with desk(project) as shown:
        await shown.type("look at @cart")
        await shown.offers("src/cart.py", "src/deep/cart_rules.py", "dist/cart.min.js")
        assert shown.rows()[2].endswith("ignored by git")
        await shown.pilot.press("down", "tab")
        assert shown.text == "look at @src/deep/cart_rules.py "
        await shown.offers()


async def test_without_ripgrep_the_same_is_found(project: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(listing, "find_ripgrep", lambda: None)
    async with desk(project) as shown:
        await shown.type("@cart")
        await shown.offers("src/cart.py", "src/deep/cart_rules.py", "dist/cart.min.js")


async def test_at_alone_shows_the_top_of_the_project(project: Path):
    async with desk(project) as shown:
        await shown.type("@")
        await shown.offers("docs/", "src/", "README.md", ".github/", ".gitignore", "dist/")


async def test_a_folder_is_gone_into_level_by_level(project: Path):
    async with desk(project) as shown:
        await shown.type("@sr")
        await shown.until(lambda: shown.labels[:1] == ["src/"])
        await shown.pilot.press("tab")
        assert shown.text == "@src/"
        await shown.offers("src/", "src/deep/", "src/app.py", "src/cart.py")
        await shown.type("ap")
        await shown.until(lambda: shown.labels[:1] == ["src/app.py"])
        await shown.pilot.press("enter")
        assert shown.text == "@src/app.py "
        assert shown.app.sent == []


async def test_the_whole_folder_is_the_first_choice_inside_it(project: Path):
    async with desk(project) as shown:
        await shown.type("@docs/")
        await shown.offers("docs/", "docs/my notes.md")
        await shown.pilot.press("enter")
        assert shown.text == "@docs/ "
        await shown.offers()


async def test_names_with_spaces_are_quoted(project: Path):
    async with desk(project) as shown:
        await shown.type("@notes")
        await shown.offers("docs/my notes.md")
        await shown.pilot.press("tab")
        assert shown.text == '@"docs/my notes.md" '


async def test_a_path_that_is_written_out_is_sent_by_enter(project: Path):
    async with desk(project) as shown:
        for path in ("src/cart.py", "dist/bundle.js", "../shop/README.md"):
            await shown.type("@" + path)
            await shown.offers()
            await asyncio.sleep(0.05)
            await shown.offers()
            await shown.pilot.press("enter")
            assert shown.app.sent.pop() == "@" + path
            shown.app.box.load_text("")
            await shown.pilot.pause()


async def test_paths_outside_the_project(project: Path):
    (project.parent / "other").mkdir()
    async with desk(project) as shown:
        await shown.type("@../o")
        await shown.offers("../other/")
        shown.app.box.load_text("")
        await shown.type("@~/o")
        await shown.offers("~/other/")
        shown.app.box.load_text("")
        await shown.type(f"@{project}/REA")
        await shown.offers(f"{project}/README.md")


async def test_a_new_file_is_found_after_a_while(project: Path, monkeypatch: pytest.MonkeyPatch):
    from agentcli.frontends.tui.complete import files

    monkeypatch.setattr(files, "FRESH", 0.0)
    async with desk(project) as shown:
        await shown.type("@app")
        await shown.until(lambda: "src/app.py" in shown.labels)
        (project / "src" / "zebra.py").touch()
        shown.app.box.load_text("")
        await shown.type("@zebra")
        await shown.until(lambda: shown.labels == ["src/zebra.py"])


async def test_escape_keeps_the_menu_away_for_this_word_only(project: Path):
    async with desk(project) as shown:
        await shown.type("@ca")
        await shown.until(lambda: shown.app.menu.is_open)
        await shown.pilot.press("escape")
        assert not shown.app.menu.is_open
        await shown.type("rt")
        await asyncio.sleep(0.05)
        assert not shown.app.menu.is_open
        await shown.pilot.press("tab")
        await shown.until(lambda: shown.app.menu.is_open)
        await shown.pilot.press("escape")
        await shown.type(" @ca")
        await shown.until(lambda: shown.app.menu.is_open)


async def test_moving_the_cursor_opens_nothing_and_leaving_closes(project: Path):
    async with desk(project) as shown:
        await shown.type("x @cart")
        await shown.until(lambda: shown.app.menu.is_open)
        await shown.pilot.press("home")
        await shown.until(lambda: not shown.app.menu.is_open)
        await shown.pilot.press("end")
        await asyncio.sleep(0.05)
        assert not shown.app.menu.is_open


async def test_a_text_that_was_put_there_is_left_in_peace(project: Path):
    async with desk(project) as shown:
        await shown.type("@cart")
        await shown.until(lambda: len(shown.labels) == 3)
        shown.app.box.load_text("")
        await shown.offers()
        shown.app.completer.hold("see @cart")
        shown.app.box.apply(Edit(0, 0, "see @cart", 9))
        await asyncio.sleep(0.1)
        assert not shown.app.menu.is_open
        await shown.type("_")
        await shown.until(lambda: shown.app.menu.is_open)


async def test_a_click_takes_the_row(project: Path):
    async with desk(project) as shown:
        await shown.type("@cart")
        await shown.offers("src/cart.py", "src/deep/cart_rules.py", "dist/cart.min.js")
        await shown.pilot.click(shown.app.menu, offset=(10, 1))
        await shown.until(lambda: shown.text == "@src/deep/cart_rules.py ")


# commands


async def test_enter_sends_a_command_that_needs_nothing_and_only_completes_others(project: Path):
    async with desk(project) as shown:
        await shown.type("/he")
        await shown.offers("/help")
        await shown.pilot.press("enter")
        assert shown.app.sent == ["/help"]
        shown.app.box.load_text("")
        await shown.type("/ren")
        await shown.pilot.press("enter")
        assert shown.text == "/rename "
        assert shown.app.sent == ["/help"]


async def test_enter_on_a_typo_sends_what_is_written(project: Path):
    async with desk(project) as shown:
        await shown.type("/hlep")
        await shown.offers()
        await shown.pilot.press("enter")
        assert shown.app.sent == ["/hlep"]


async def test_enter_never_takes_what_was_found_for_an_older_text(project: Path):
    async with desk(project) as shown:
        await shown.type("/he")
        await shown.offers("/help")
        with shown.app.prevent(
            *[type(shown.app.box).Changed, type(shown.app.box).SelectionChanged]
        ):
            shown.app.box.insert("x")
        shown.app.completer._text = shown.text
        assert not shown.app.completer.enter(shown.app.box.text)


async def test_a_command_leads_to_its_choices(project: Path):
    async with desk(project) as shown:
        await shown.type("/th")
        await shown.pilot.press("tab")
        await shown.offers("dark", "light")
        await shown.type("li")
        await shown.offers("light")
        await shown.pilot.press("enter")
        assert shown.app.sent == ["/theme light"]


async def test_an_argument_that_is_a_folder(project: Path):
    async with desk(project) as shown:
        await shown.type("/add-dir s")
        await shown.offers("src/")
        await shown.pilot.press("tab")
        assert shown.text == "/add-dir src/"


async def test_mentions_in_an_argument_replace_only_themselves(project: Path):
    async with desk(project) as shown:
        await shown.type("/rename see @read")
        await shown.offers("README.md")
        await shown.pilot.press("tab")
        assert shown.text == "/rename see @README.md "


# shell lines


async def test_tab_completes_a_shell_line_and_typing_does_not(project: Path):
    async with desk(project) as shown:
        shown.app.shell_lines = ["git status", "git stash", "ls"]
        await shown.type("!git st")
        await asyncio.sleep(0.05)
        assert not shown.app.menu.is_open
        await shown.pilot.press("tab")
        await shown.offers("git status", "git stash")
        await shown.pilot.press("down", "tab")
        assert shown.text == "!git stash "


async def test_a_single_candidate_is_taken_at_once(project: Path):
    async with desk(project) as shown:
        await shown.type("!cat REA")
        await shown.pilot.press("tab")
        await shown.until(lambda: shown.text == "!cat README.md ")
        assert not shown.app.menu.is_open


# the widget


async def test_typing_lays_nothing_out_while_the_menu_keeps_its_size(project: Path):
    async with desk(project) as shown:
        await shown.type("@car")
        found = ("src/cart.py", "src/deep/cart_rules.py", "dist/cart.min.js")
        await shown.offers(*found)
        await shown.until(lambda: not shown.app.completer._paths.building)
        await shown.until(lambda: shown.app.menu.size.height == 3)
        layouts: list[object] = []
        shown.app.screen.screen_layout_refresh_signal.subscribe(shown.app, layouts.append)
        await shown.type("t")
        await shown.offers(*found)
        assert shown.app.menu.size.height == 3
        assert layouts == []
        await shown.pilot.press("escape")
        assert shown.app.above.resized == 1


async def test_a_long_list_says_how_many_more_and_scrolls(project: Path):
    for number in range(30):
        (project / f"page{number:02}.txt").touch()
    async with desk(project) as shown:
        await shown.type("@page")
        await shown.until(lambda: len(shown.labels) == 30)
        rows = shown.rows()
        assert len(rows) == 8
        assert rows[0] == "› page00.txt"
        assert rows[7] == "  23 more"
        await shown.pilot.press("up")
        assert shown.rows()[6] == "› page29.txt"
        await shown.pilot.press("up", "up")
        assert shown.rows()[4] == "› page27.txt"
        await shown.pilot.press("down", "down", "down")
        assert shown.rows()[0] == "› page00.txt"


async def test_a_low_window_shows_fewer_rows(project: Path):
    for number in range(30):
        (project / f"page{number:02}.txt").touch()
    async with desk(project, size=(20, 7)) as shown:
        await shown.type("@page")
        await shown.until(lambda: len(shown.labels) == 30)
        assert len(shown.rows()) == 4
        assert shown.rows()[3] == "  27 more"


async def test_matched_letters_are_in_the_accent_colour_and_the_choice_is_marked(project: Path):
    async with desk(project) as shown:
        await shown.type("@app")
        await shown.offers("src/app.py")
        menu, accent = shown.app.menu, shown.app.menu.look.accent.color
        (project / "src" / "app2.py").touch()
        picked = [s for s in menu.render_line(0) if s.style and s.style.underline]
        assert "".join(segment.text for segment in picked) == "app"
        await shown.type("x")
        shown.app.box.load_text("")
        await shown.type("@cart")
        await shown.until(lambda: len(shown.labels) == 3)
        marked = [s.text for s in menu.render_line(1) if s.style and s.style.color == accent]
        assert marked == ["cart"]


# big projects


async def test_a_big_listing_is_searched_in_slices():
    index = FileIndex(Path("/nowhere"))
    index.paths.add([f"dir{n % 97}/sub{n % 31}/file_{n}.py" for n in range(50_000)])
    gaps: list[float] = []

    async def beat() -> None:
        while True:
            before = perf_counter()
            await asyncio.sleep(0)
            gaps.append(perf_counter() - before)

    pulse = asyncio.create_task(beat())
    found = await finish(index.search("file"))
    pulse.cancel()
    assert found.total == 50_000
    assert len(gaps) > 5, "the loop was never let go"
    first = index.search("file_4")
    await finish(first)
    index.remember(first)
    longer, whole = index.search("file_49"), Search(index.paths, "file_49")
    assert longer._narrowed is first.hits
    assert await finish(longer) == await finish(whole)


async def test_a_listing_stops_at_its_limit(project: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(listing, "MAX_PATHS", 3)
    for program in (None, listing.find_ripgrep()):
        monkeypatch.setattr(listing, "find_ripgrep", lambda program=program: program)
        found: list[str] = []
        await listing.list_files(project, found.extend)
        assert len(found) == 3


async def test_names_that_cannot_be_typed_are_left_out(project: Path):
    for name in (b"bad\xff.txt", b"two\nlines", b'quo"te', b"esc\x1b[31m"):
        (Path(project) / "x").parent.joinpath(name.decode("utf-8", "surrogateescape")).touch()
    found: list[str] = []
    await listing.list_files(project, found.extend)
    assert "README.md" in found and ".github/ci.yml" in found
    assert not any(
        name.startswith((".git/", "dist/", "bad", "two", "quo", "esc")) for name in found
    )
