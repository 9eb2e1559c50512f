"""Links, tables and images in the transcript."""

import asyncio
import base64
import io
import json

import pytest
from rich.style import Style

from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.look.themes import DARK
from agentcli.frontends.tui.transcript import images
from agentcli.frontends.tui.transcript.answer import AnswerEntry
from agentcli.frontends.tui.transcript.code import LEXER_LIMIT, highlight, language_of
from agentcli.frontends.tui.transcript.entries import NoticeEntry
from agentcli.frontends.tui.transcript.links import link_target
from agentcli.frontends.tui.transcript.markdown import markdown_rows
from agentcli.frontends.tui.transcript.rows import Row
from agentcli.frontends.tui.transcript.speech import PromptEntry
from agentcli.frontends.tui.transcript.tool_entry import ToolEntry
from agentcli.protocol.blocks import Block
from agentcli.protocol.calls import ToolCall, ToolResult
from agentcli.protocol.events import PromptAdded
from tests.frontends.tui.harness import emit, window

LOOK = make_look(DARK)


def texts(rows: list[Row]) -> list[str]:
    return [row.strip.text.rstrip() for row in rows]


def links(rows: list[Row]) -> list[tuple[str, str]]:
    return [
        (segment.text, segment.style.link)
        for row in rows
        for segment in row.strip
        if segment.style is not None and segment.style.link
    ]


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("https://example.org/a?b=c;d", "https://example.org/a?b=c;d"),
        ("mailto:a@b.c", "mailto:a@b.c"),
        ("file:///tmp/a b", "file:///tmp/ab"),
        ("http://x/\x1b]8;;\x07é", "http://x/]8;;%C3%A9"),
        ("javascript:alert(1)", ""),
        ("data:text/html,x", ""),
        ("tests/test_cart.py", ""),
        ("https://" + "x" * 3000, ""),
    ],
)
def test_only_safe_addresses_can_be_clicked(address: str, target: str):
    assert link_target(address) == target


def test_a_link_shows_its_true_address_unless_that_is_its_text():
    rows = markdown_rows("[the docs](https://example.org/docs)", 80, LOOK)
    assert texts(rows) == ["  the docs (https://example.org/docs)"]
    assert {target for _, target in links(rows)} == {"https://example.org/docs"}
    assert texts(markdown_rows("<https://example.org>", 80, LOOK)) == ["  https://example.org"]
    lying = markdown_rows("[https://good.org](https://evil.org/x)", 80, LOOK)
    assert texts(lying) == ["  https://good.org (https://evil.org/x)"]
    assert {target for _, target in links(lying)} == {"https://evil.org/x"}


def test_of_a_long_address_the_middle_goes_but_never_the_host():
    long = "https://example.org/" + "a" * 80 + "/end"
    (row,) = markdown_rows(f"[x]({long})", 120, LOOK)
    assert row.strip.text == "  x (https://example.org/" + "a" * 20 + "…" + "a" * 15 + "/end)"
    assert set(links([row])) == {("x", long), (" (" + row.strip.text[5:], long)}
    trick = "https://good.org" + "-" * 60 + "@evil.org/"
    assert trick in "".join(t.strip() for t in texts(markdown_rows(f"[x]({trick})", 120, LOOK)))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see https://a.b/c, then", ["https://a.b/c"]),
        ("(https://a.b/c)", ["https://a.b/c"]),
        ("https://a.b/c_(d)", ["https://a.b/c_(d)"]),
        ("HTTP://a.b", ["HTTP://a.b"]),
        ("a://b", []),
    ],
)
def test_bare_addresses_are_links(text: str, found: list[str]):
    assert [target for _, target in links(markdown_rows(text, 80, LOOK))] == found
    assert [target for _, target in links(NoticeEntry("info", text).rows(80, LOOK))] == found


def test_the_same_address_has_the_same_link_each_time_it_is_drawn():
    def ids() -> set[str]:
        rows = markdown_rows("https://a.b and [x](https://a.b)", 80, LOOK)
        styles = [segment.style or Style() for segment in rows[0].strip]
        return {style.link_id for style in styles if style.link}

    assert ids() and ids() == ids()


def test_the_address_of_a_fetch_can_be_clicked():
    entry = ToolEntry("WebFetch", ToolCall("1", "WebFetch", {"url": "https://a.b/c"}))
    assert links(entry.rows(80, LOOK)) == [("https://a.b/c", "https://a.b/c")]


# tables


def test_tables_align_wide_characters_and_centre():
    source = "| 名前 | x | n |\n|---|:---:|---:|\n| 漢字 | a | 1 |\n| 👨‍👩‍👧 b | abc | 22 |"
    assert texts(markdown_rows(source, 40, LOOK)) == [
        "  名前   x    n",
        "  ────  ───  ──",
        "  漢字   a    1",
        "  👨‍👩‍👧 b  abc  22",
    ]


def test_a_table_too_wide_wraps_its_cells_then_becomes_records():
    source = "| name | what it does |\n|---|---|\n| one | alpha beta gamma |\n| two | x |"
    assert texts(markdown_rows(source, 20, LOOK)) == [
        "  name  what it does",
        "  ────  ────────────",
        "  one   alpha beta",
        "        gamma",
        "  two   x",
    ]
    assert texts(markdown_rows(source, 12, LOOK)) == [
        "  name: one",
        "  what it",
        "  does:",
        "  alpha beta",
        "  gamma",
        "",
        "  name: two",
        "  what it",
        "  does: x",
    ]


def test_a_table_of_very_many_rows_is_cut_until_it_is_unfolded():
    source = "| n |\n|---|\n" + "".join(f"| {n} |\n" for n in range(450))
    entry = AnswerEntry(source)
    rows = texts(entry.rows(40, LOOK))
    assert len(rows) == 203 and rows[-2:] == ["  199", "  … 250 more rows"]
    assert entry.foldable
    entry.folded = False
    assert texts(entry.rows(40, LOOK))[-1] == "  449"
    assert not AnswerEntry("| n |\n|---|\n| 1 |\n").foldable
    live = AnswerEntry()
    live.feed(source)
    assert texts(live.rows(40, LOOK)) == rows
    live.feed("| x |\n")
    assert texts(live.rows(40, LOOK))[-1] == "  … 251 more rows"


# code


def test_only_the_head_of_a_very_long_block_is_highlighted():
    line = "return 1  # soon\n"
    lines = highlight(line * (2 * LEXER_LIMIT // len(line)), "python", LOOK)
    assert lines[0][0] == ("return ", LOOK.keyword)
    assert lines[-2] == [("return 1  # soon", LOOK.code)]
    assert ["".join(text for text, _ in runs) for runs in lines[:-1]] == [line[:-1]] * (
        len(lines) - 1
    )


@pytest.mark.parametrize(
    ("path", "language"),
    [("a/b.py", "py"), ("Dockerfile", "docker"), ("x.PYI", "py"), ("Makefile", "make"), ("no", "")],
)
def test_languages_by_path(path: str, language: str):
    assert language_of(path) == language
    assert not language or highlight("x", language, LOOK)


# images


def png(width: int, height: int, color: tuple[int, int, int] = (255, 0, 0)) -> Block:
    from PIL import Image

    data = io.BytesIO()
    Image.new("RGB", (width, height), color).save(data, "PNG")
    encoded = base64.b64encode(data.getvalue()).decode()
    source = {"type": "base64", "media_type": "image/png", "data": encoded}
    return {"type": "image", "source": source}


def test_an_image_is_named_and_drawn_when_unfolded():
    pytest.importorskip("PIL")
    entry = PromptEntry([{"type": "text", "text": "look:"}, png(640, 480)])
    (first, second) = texts(entry.rows(80, LOOK))
    assert first == "› look:" and second.startswith("  [image 640×480 png, ")
    assert entry.foldable
    entry.folded = False
    picture = entry.rows(80, LOOK)[2:]
    assert len(picture) == 20
    assert all(row.strip.text == "  " + "▀" * 53 for row in picture)
    style = list(picture[0].strip)[1].style
    assert style is not None and style.color is not None and style.bgcolor is not None
    assert style.color.triplet == style.bgcolor.triplet == (255, 0, 0)


def test_images_fit_every_width_and_damaged_ones_keep_their_name():
    pytest.importorskip("PIL")
    broken = png(40, 40)
    broken["source"]["data"] = broken["source"]["data"][:60]
    for block in (png(300, 200), png(3, 3000), broken, {"type": "image"}):
        entry = PromptEntry([block])
        entry.folded = False
        for width in (1, 2, 3, 5, 20, 80):
            rows = entry.rows(width, LOOK)
            assert rows and all(row.strip.cell_length <= width for row in rows)
            assert len(rows) <= 60
        assert json.dumps(texts(entry.rows(80, LOOK))[0]).startswith('"\\u203a [image')


def test_a_result_that_is_an_image_says_so_in_its_line():
    call = ToolCall("1", "Read", {"file_path": "a.png"})
    entry = ToolEntry("Read", call)
    entry.state, entry.result = "done", ToolResult([png(8, 6)])
    (line,) = texts(entry.rows(80, LOOK))
    assert line.startswith("✓ Read a.png  image 8×6 png, ")


def test_without_the_library_the_name_stands_alone(monkeypatch: pytest.MonkeyPatch):
    block = png(8, 6)
    monkeypatch.setattr(images, "can_draw", lambda: False)
    monkeypatch.setattr("agentcli.frontends.tui.transcript.speech.can_draw", lambda: False)
    entry = PromptEntry([block])
    entry.folded = False
    assert not entry.foldable
    assert len(entry.rows(80, LOOK)) == 1


async def test_a_picture_is_decoded_beside_the_loop_and_then_drawn():
    pytest.importorskip("PIL")
    drawn = asyncio.Event()
    (picture,) = images.pictures([png(640, 480)], drawn.set)
    assert picture.rows(80, LOOK) == []
    await asyncio.wait_for(drawn.wait(), 5)
    assert len(picture.rows(80, LOOK)) == 20


async def test_an_unfolded_image_appears_in_the_window():
    pytest.importorskip("PIL")
    async with window(size=(80, 40)) as shown:
        await emit(shown, PromptAdded("p", [png(640, 480)]))
        await shown.shows("[image 640×480 png")
        assert "▀" not in shown.screen()
        await shown.pilot.press("ctrl+o")
        await shown.shows("▀▀▀▀")
