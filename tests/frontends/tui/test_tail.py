"""The block splitter: any chunking gives the same blocks, and nothing is lost."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcli.frontends.tui.transcript.tail import BlockSplitter

PIECES = st.sampled_from(
    [
        "word ", "\n", "\n\n", "# Head\n", "- item\n", "  - nested\n", "1. one\n", "2) two\n",
        "```py\n", "```\n", "~~~\n", "````\n", "    code\n", "> quote\n", "| a | b |\n",
        "|---|---|\n", "---\n", "\t", "  ", "`x`", "```inline```", "\r\n", "é漢", "*", "-", "#",
    ]
)  # fmt: skip


def split(text: str, cuts: list[int] | None = None) -> list[str]:
    splitter = BlockSplitter()
    blocks: list[str] = []
    edges = [0, *sorted({min(cut, len(text)) for cut in cuts or []}), len(text)]
    for start, end in pairwise(edges):
        blocks += splitter.feed(text[start:end])
    return blocks + splitter.finish()


@given(st.lists(PIECES, max_size=40).map("".join), st.lists(st.integers(0, 200), max_size=30))
def test_chunking_does_not_matter_and_nothing_is_lost(text: str, cuts: list[int]):
    blocks = split(text, cuts)
    assert "".join(blocks) == text
    assert blocks == split(text)
    assert all(blocks)


@given(st.text(max_size=200))
def test_any_text_comes_back(text: str):
    assert "".join(split(text, list(range(0, len(text), 3)))) == text


@given(st.lists(PIECES, max_size=30).map("".join))
def test_a_finished_block_never_changes(text: str):
    splitter = BlockSplitter()
    seen: list[str] = []
    for char in text:
        seen += splitter.feed(char)
        assert (
            "".join(seen) + "".join(splitter.open_lines) + splitter.partial
            == text[
                : len("".join(seen)) + len("".join(splitter.open_lines)) + len(splitter.partial)
            ]
        )
    assert (seen + splitter.finish())[: len(seen)] == seen


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("a\nb\n\nc", ["a\nb\n\n", "c"]),
        ("# H\ntext", ["# H\n", "text"]),
        ("```\na\n\nb\n```\nc", ["```\na\n\nb\n```\n", "c"]),
        ("text\n```\nx\n```\n", ["text\n", "```\nx\n```\n"]),
        ("- a\n- b\n", ["- a\n", "- b\n"]),
        ("- a\n  - n\n\n  more\n\nend", ["- a\n  - n\n\n  more\n\n", "end"]),
        ("1. a\n   ```\n\n   y\n   ```\n2. b", ["1. a\n   ```\n\n   y\n   ```\n", "2. b"]),
        ("in\n2024. it was", ["in\n2024. it was"]),
        ("| a |\n|---|\n| 1 |\n", ["| a |\n|---|\n| 1 |\n"]),
        ("````\n```\n````\nx", ["````\n```\n````\n", "x"]),
        ("```a``` b\nc", ["```a``` b\nc"]),
        ("\n\nx", ["\n", "\n", "x"]),
    ],
)  # fmt: skip
def test_blocks(text: str, blocks: list[str]):
    assert split(text) == blocks


def test_an_open_fence_is_known():
    splitter = BlockSplitter()
    splitter.feed("```py\nx = 1\n")
    assert splitter.in_plain_fence
    splitter.feed("```\n")
    assert not splitter.in_plain_fence
