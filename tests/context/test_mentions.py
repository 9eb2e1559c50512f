"""What counts as a mention of a file, and where exactly it stands."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcli.context.mentions import Mention, find_mentions, mention_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("look at @src/a.py please", [("@src/a.py", "src/a.py", 0, 0)]),
        ('@"a b.txt" now', [('@"a b.txt"', "a b.txt", 0, 0)]),
        ("@src/a.py#L10-20.", [("@src/a.py#L10-20", "src/a.py", 10, 20)]),
        ("@a.py#L7", [("@a.py#L7", "a.py", 7, 7)]),
        ("@a.py#20-10", [("@a.py#20-10", "a.py", 20, 20)]),
        ('@"a b.txt"#L3-4', [('@"a b.txt"#L3-4', "a b.txt", 3, 4)]),
        ("@dir/ and", [("@dir/", "dir/", 0, 0)]),
        ("\u89c1@\u6587.md\u3002", [("@\u6587.md", "\u6587.md", 0, 0)]),
        ("me@host.example and a_@b", []),
        ("an @ alone", []),
        ("", []),
    ],
)
def test_spans_and_ranges(text: str, expected: list[tuple[str, str, int, int]]) -> None:
    found = [(text[m.start : m.end], m.path, m.first, m.last) for m in find_mentions(text)]
    assert found == expected


def test_punctuation_and_brackets_are_not_part_of_a_name() -> None:
    assert [m.path for m in find_mentions("@a.py, then (@b.py). And @c.py!")] == [
        "a.py",
        "b.py",
        "c.py",
    ]
    assert find_mentions("@app/[id]/page.tsx")[0].path == "app/[id]/page.tsx"


def test_an_anchor_is_kept_apart() -> None:
    assert find_mentions("@README.md#install") == [Mention(0, 18, "README.md", anchor="install")]
    assert find_mentions("@README.md#install")[0].full == "README.md#install"


def test_what_is_too_long_for_a_path_is_passed_over_at_once() -> None:
    began = time.process_time()
    assert [m.path for m in find_mentions(f"@{')' * 1_000_000} @a.py")] == ["a.py"]
    assert time.process_time() - began < 2


@given(st.text(alphabet='@"#L0-9a/. \n()', max_size=40))
def test_any_text_gives_spans_in_order(text: str) -> None:
    end = 0
    for mention in find_mentions(text):
        assert end <= mention.start < mention.end <= len(text)
        assert mention.path and mention.first <= mention.last
        end = mention.end


@given(st.text(alphabet="ab #L1-./()", min_size=1, max_size=20))
def test_what_is_written_is_found_again(path: str) -> None:
    found = find_mentions(f"see {mention_text(path)} there")
    assert [m.path for m in found] == [path]
