"""The pure parts of chips, the kill ring, earlier prompts and pastes."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agentcli.frontends.tui.composer.chips import Chips, Content, Image
from agentcli.frontends.tui.composer.graphemes import (
    cells,
)
from agentcli.frontends.tui.composer.kills import KillRing
from agentcli.frontends.tui.composer.pasting import clean_paste, dropped_path, image_type
from agentcli.frontends.tui.composer.recall import Recall

FAMILY, FLAG, HEART = "👨‍👩‍👧", "🇩🇪", "❤️"
CLUSTERS = [
    *["a", " ", "あ", "漢", FAMILY, FLAG, HEART, "👍🏽", "e\u0301", "한", "ᄒ\u1161\u11ab"],
    *["क्ष", "नि", "1\ufe0f\u20e3", ".", "_", "〽️"],
]
texts = st.lists(st.sampled_from(CLUSTERS), max_size=40)


# chips


def test_chips_stand_for_what_was_pasted():
    chips = Chips()
    chip = chips.add_text("a\nb\nc\nd\n")
    assert chip.label == "[Pasted text #1 +3 lines]"
    assert chips.add_text("x" * 900).label == "[Pasted text #2]"
    text = f"see {chip.label} and [Pasted text #9 +3 lines] and [Pasted text #1 +4 lines]"
    assert chips.expand(text) == text.replace(chip.label, "a\nb\nc\nd\n")
    assert [(span.start, span.chip) for span in chips.spans(text)] == [(4, chip)]


def test_a_label_inside_of_a_paste_is_not_opened():
    chips = Chips()
    inner = chips.add_text("secret").label
    outer = chips.add_text(f"quoted {inner}").label
    assert chips.expand(outer) == f"quoted {inner}"


def test_numbers_that_stand_in_the_draft_are_not_given_again():
    chips = Chips()
    assert chips.add_text("x", "typed [Pasted text #4 +2 lines]").label == "[Pasted text #5]"
    assert chips.add_image(Image("image/png", "AA==")).label == "[Image #6]"


def test_an_image_that_comes_back_keeps_its_number():
    chips = Chips()
    image = Image("image/png", "AA==")
    first = chips.add_image(image)
    assert chips.add_image(image, "what is this") == first
    assert chips.add_image(image, f"{first.label} twice").label == "[Image #2]"
    assert chips.add_image(Image("image/gif", "AA==")).label == "[Image #3]"


def test_images_go_in_their_order_between_the_texts():
    chips = Chips()
    one = chips.add_image(Image("image/png", "AA==")).label
    two = chips.add_image(Image("image/gif", "BB==")).label
    long = chips.add_text("L" * 900).label
    content = chips.content(f"compare {two} {one} with {long}")
    assert content == [
        {"type": "text", "text": "compare "},
        {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": "BB=="}},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}},
        {"type": "text", "text": " with " + "L" * 900},
    ]
    assert chips.content("plain") == "plain"


def test_a_recalled_chip_gets_a_new_number_where_its_own_is_taken():
    chips = Chips()
    here = chips.add_text("mine\n" * 5).label
    there = chips.restore(f"look {here} {here}", {1: "theirs\n" * 5})
    assert there == "look [Pasted text #2 +4 lines] [Pasted text #2 +4 lines]"
    assert chips.expand(there) == "look " + "theirs\n" * 5 + " " + "theirs\n" * 5
    assert chips.expand(here) == "mine\n" * 5
    # the same again is the same chip
    assert chips.restore(here, {1: "mine\n" * 5}) == here


def test_what_was_not_kept_is_never_sent():
    chips = Chips()
    text = chips.restore("see [Pasted text #3 +9 lines] [Image #4]", {4: "no image"})
    assert [span.chip.content for span in chips.spans(text)] == [None, None]
    assert chips.expand(text) == "see  "
    assert chips.contents(text) == {}


contents = st.one_of(st.none(), st.text(max_size=20), st.just(Image("image/png", "AA==")))


@given(st.lists(st.tuples(st.integers(1, 3), contents), max_size=8))
def test_no_label_ever_changes_its_meaning(steps: list[tuple[int, Content]]):
    chips = Chips()
    seen: dict[str, Content] = {}
    for number, content in steps:
        kind = f"[Image #{number}]" if isinstance(content, Image) else f"[Pasted text #{number}]"
        label = chips.restore(kind, {number: content})
        chip = chips.spans(label)[0].chip
        assert chip.content == content
        assert seen.setdefault(label, content) == content


def test_what_an_editor_left_alone_becomes_its_chip_again():
    chips = Chips()
    chips.add_text("short")
    chip = chips.add_text("one\ntwo\n" * 20)
    assert chips.collapse("short\n" + "one\ntwo\n" * 20 + "!") == f"short\n{chip.label}!"
    assert chips.collapse("one\ntwo\n" * 19) == "one\ntwo\n" * 19


# the kill ring


def test_kills_in_a_row_are_one_and_rotate():
    ring = KillRing()
    assert (ring.newest(), ring.rotate()) == ("", "")
    ring.push("b", join=False, in_front=False)
    ring.push("c", join=True, in_front=False)
    ring.push("a", join=True, in_front=True)
    ring.push("second", join=False, in_front=False)
    ring.push("third", join=False, in_front=False)
    assert ring.newest() == "third"
    assert [ring.rotate() for _ in range(4)] == ["second", "abc", "third", "second"]
    assert ring.newest() == "third"


# earlier prompts


@dataclass
class Past:
    display: str
    pasted: dict[int, str | None] = field(default_factory=dict[int, str | None])


def test_own_prompts_come_before_those_of_the_project_each_once_and_lazily():
    read: list[str] = []

    def source() -> Iterator[Past]:
        for text in ("two", "old", "older"):
            read.append(text)
            yield Past(text)

    recall = Recall()
    recall.source = source
    for text in ("one", "two", "two"):
        recall.add(text)
    assert recall.own == ["one", "two"]
    walked = [recall.older("draft")]
    assert read == []
    walked += [recall.older("two"), recall.older("one")]
    assert read == ["two", "old"]
    assert [item.text for item in walked if item] == ["two", "one", "old"]
    assert recall.older("old") is not None
    assert recall.older("older") is None
    assert recall.walking


def test_changes_on_the_way_are_kept_and_the_draft_is_below():
    recall = Recall()
    recall.add("one")
    recall.add("two")
    assert recall.newer("draft") is None
    walked = [
        recall.older("draft"),
        recall.older("two changed"),
        recall.newer("one"),
        recall.newer("two changed"),
    ]
    assert [item.text for item in walked if item] == ["two", "one", "two changed", "draft"]
    assert not recall.walking
    # a new walk begins with what was really sent
    again = recall.older("draft")
    assert again is not None and again.text == "two"


# pastes


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("a\r\nb\rc\n", "a\nb\nc\n"),
        ("a\x1b[31mb\x07\x00\x1cc\x85", "abc"),
        ("a\u2028b\tc\ud800", "a\nb\tc\ufffd"),
        (f"{FAMILY}{HEART}", f"{FAMILY}{HEART}"),
    ],
)
def test_a_paste_is_made_harmless(text: str, clean: str):
    assert clean_paste(text) == clean


@given(st.text(alphabet="ab\r\n\x1b[]m\x07\x1c\x9b\u2028é\U0001f468\u200d", max_size=60))
def test_nothing_in_a_paste_reaches_the_terminal(text: str):
    clean = clean_paste(text)
    assert not any(char < " " and char not in "\n\t" for char in clean)
    assert "\x9b" not in clean
    assert clean_paste(clean) == clean


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/tmp/a.png", "/tmp/a.png"),
        ("  '/tmp/my pic.PNG' ", "/tmp/my pic.PNG"),
        ('"/tmp/my pic.webp"', "/tmp/my pic.webp"),
        ("/tmp/my\\ pic\\(1\\).jpg", "/tmp/my pic(1).jpg"),
        ("file:///tmp/my%20pic.gif", "/tmp/my pic.gif"),
    ],
)
def test_the_path_of_a_dropped_image(text: str, path: str):
    assert dropped_path(text) == Path(path)


@pytest.mark.parametrize(
    "text",
    ["", "a.png", "/tmp/a.txt", "see /tmp/a.png", "/tmp/a.png\n/tmp/b.png", "/x" * 3000 + ".png"],
)
def test_what_is_no_dropped_image(text: str):
    assert dropped_path(text) is None


def test_images_are_known_by_what_is_in_them():
    assert image_type(b"\x89PNG\r\n\x1a\n123") == "image/png"
    assert image_type(b"\xff\xd8\xff\xe0") == "image/jpeg"
    assert image_type(b"GIF89a") == "image/gif"
    assert image_type(b"RIFF\0\0\0\0WEBP") == "image/webp"
    assert image_type(b"<html>") == ""


def test_cells_and_rich_agree():
    for cluster in CLUSTERS:
        assert cells(cluster, 4) == cell_len(cluster)
