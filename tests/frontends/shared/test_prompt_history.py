"""The history file: what is written, how it is read back, and two windows at once."""

import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentcli.frontends.shared import line_file, paste_cache, prompt_history
from agentcli.frontends.shared.line_file import append_line, lines_backwards, trim_lines
from agentcli.frontends.shared.prompt_history import PromptHistory, project_of


@pytest.fixture
def history(tmp_path: Path) -> PromptHistory:
    return PromptHistory(tmp_path / "home", "/code/shop", "s1")


def records(history: PromptHistory) -> list[dict[str, object]]:
    return [json.loads(line) for line in history.path.read_bytes().splitlines()]


def shown(history: PromptHistory, count: int = 100, **kwargs: object) -> list[str]:
    return [past.display for past in history.older(count, **kwargs)]  # pyright: ignore[reportArgumentType]


def test_a_prompt_is_one_private_line_of_the_documented_shape(history: PromptHistory):
    assert history.add("fix it\nnow\u2028ä", {1: "pasted"}) is None
    (record,) = records(history)
    assert list(record) == ["display", "pastedContents", "timestamp", "project", "sessionId"]
    assert record["display"] == "fix it\nnow\u2028ä"
    assert record["pastedContents"] == {"1": {"id": 1, "type": "text", "content": "pasted"}}
    assert isinstance(record["timestamp"], int) and record["timestamp"] > 1_700_000_000_000
    assert (record["project"], record["sessionId"]) == ("/code/shop", "s1")
    assert stat.S_IMODE(history.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(history.path.parent.stat().st_mode) == 0o700
    assert b"\xe2\x80\xa8" not in history.path.read_bytes()


def test_newest_first_for_this_project_without_repeats(history: PromptHistory, tmp_path: Path):
    other = PromptHistory(tmp_path / "home", "/code/other", "s2")
    for prompt in ["a", "b", "b", "a"]:
        history.add(prompt)
        other.add("not here")
    later = PromptHistory(tmp_path / "home", "/code/shop", "s3")
    later.add("c")
    assert shown(history) == ["c", "a", "b", "a"]
    assert shown(history, 2) == ["c", "a"]
    assert shown(history, scope="session") == ["a", "b", "a"]
    assert shown(other, scope="all")[:3] == ["c", "not here", "a"]


@pytest.mark.parametrize("prompt", ["", "  \n", " export TOKEN=secret"])
def test_blank_prompts_and_those_after_a_space_are_not_recorded(
    history: PromptHistory, prompt: str
):
    history.add(prompt)
    assert not history.path.exists()
    assert shown(history) == []


def test_nothing_is_written_where_history_is_off(tmp_path: Path):
    history = PromptHistory(tmp_path / "home", "/p", "s", keep=False)
    history.add("only here")
    assert shown(history) == ["only here"]
    assert not (tmp_path / "home").exists()


def test_pasted_text_comes_back_big_or_small(history: PromptHistory, tmp_path: Path):
    big = "ü" * 10_000
    history.add("see [Pasted text #1 +9 lines] and #2", {1: big, 2: "small"})
    (past,) = history.older(1)
    assert past.pasted is not None
    assert dict(past.pasted) == {1: big, 2: "small"}
    assert history.path.stat().st_size < 1_000
    (file,) = (tmp_path / "home" / "paste-cache").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_text("something else")
    assert past.pasted[1] is None
    file.unlink()
    assert past.pasted[1] is None


def test_a_paste_beyond_all_measure_is_not_kept(history: PromptHistory):
    history.add("see #1", {1: "x" * (paste_cache.MAX_TEXT + 1)})
    (past,) = history.older(1)
    assert past.pasted is not None and dict(past.pasted) == {1: None}


def test_a_prompt_of_enormous_size_is_kept_as_a_paste(history: PromptHistory):
    text = "line\n" * 30_000
    history.add(text)
    (past,) = history.older(1)
    assert past.display == "[Pasted text #1 +30000 lines]"
    assert past.pasted is not None and past.pasted[1] == text


def test_bad_lines_are_passed_over(history: PromptHistory):
    history.add("first")
    bad = [b"{", b"[]", b'"x"', b"\xff\xfe", b'{"display":5}', b'{"display":"x","project":7}', b""]
    bad += [b'{"display":"y","project":"/code/shop","timestamp":"soon","pastedContents":[1]}']
    with history.path.open("ab") as file:
        file.write(b"\n".join(bad) + b"\n" + b'{"display":"torn","proj')
    history.add("last")
    assert shown(history) == ["last", "y", "first"]


def test_search_by_words_in_a_scope(history: PromptHistory, tmp_path: Path):
    other = PromptHistory(tmp_path / "home", "/code/other", "s2")
    for prompt in ["Fix the cart", "fix it", "cart again, fix", "Fix the cart"]:
        history.add(prompt)
    other.add("cart to fix elsewhere")
    found = [past.display for past in history.search("CART fix")]
    assert found == ["Fix the cart", "cart again, fix"]
    assert len(history.search("cart", "all")) == 3
    assert history.search("cart", "session", count=1)[0].display == "Fix the cart"
    assert history.search("nowhere") == []


def test_shell_lines_of_the_project(history: PromptHistory):
    for prompt in ["!ls", "hello", "!git status", "!ls"]:
        history.add(prompt)
    assert history.shell_lines() == ["ls", "git status"]


def test_of_what_was_pasted_only_texts_are_kept(history: PromptHistory):
    history.add("see #1 #2", {1: object(), 2: "text"})
    (past,) = history.older(1)
    assert past.pasted is not None and dict(past.pasted) == {1: None, 2: "text"}


def test_trouble_with_the_disk_is_told_once_and_the_prompt_is_still_there(tmp_path: Path):
    home = tmp_path / "home"
    home.write_text("a file in the folder's place")
    history = PromptHistory(home, "/p", "s")
    problem = history.add("one")
    assert problem is not None and "history is not saved" in problem and str(home) in problem
    assert history.add("two") is None
    assert shown(history) == ["two", "one"]
    assert history.tidy() is None


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path):
    code = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from agentcli.frontends.shared.line_file import append_line\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))\n"
        "path = Path(sys.argv[1])\n"
        "append_line(path, b'0123456789\\n')\n"
        "try:\n    append_line(path, b'abcdefghijk\\n')\n"
        "except OSError as error:\n    print(error.errno)\n"
    )
    path = tmp_path / "lines"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip()
    assert path.read_bytes() == b"0123456789\n"


def test_a_folder_in_the_file_s_place_is_told_when_reading(tmp_path: Path):
    history = PromptHistory(tmp_path, "/p", "s")
    (tmp_path / "history.jsonl").mkdir()
    assert shown(history) == []
    assert "cannot be read" in (history.take_problem() or "")
    assert history.take_problem() is None


def test_a_linked_file_stays_a_link(tmp_path: Path):
    home, real = tmp_path / "home", tmp_path / "dotfiles"
    home.mkdir()
    real.mkdir()
    (home / "history.jsonl").symlink_to(real / "prompts")
    history = PromptHistory(home, "/p", "s")
    history.add("x")
    assert (home / "history.jsonl").is_symlink()
    assert shown(history) == ["x"]


def test_project_is_the_repository_or_the_folder(tmp_path: Path):
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "src").mkdir()
    (tmp_path / "plain").mkdir()
    assert project_of(tmp_path / "repo" / "src") == str((tmp_path / "repo").resolve())
    assert project_of(tmp_path / "plain") == str((tmp_path / "plain").resolve())


# the file of lines


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text("aä漢👨‍👩‍👧 ", max_size=30), max_size=12),
    st.integers(1, 40),
    st.booleans(),
)
def test_no_character_is_cut_at_any_chunk_size(lines: list[str], chunk: int, ended: bool):
    data = "\n".join(lines).encode() + (b"\n" if ended else b"")
    before, line_file._CHUNK = line_file._CHUNK, chunk
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "lines"
            path.write_bytes(data)
            read = [line.decode() for line in lines_backwards(path)]
    finally:
        line_file._CHUNK = before
    assert read == [line for line in reversed(data.decode().split("\n")) if line]


def test_a_line_without_end_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(line_file, "_LONGEST", 1_000)
    monkeypatch.setattr(line_file, "_CHUNK", 64)
    path = tmp_path / "lines"
    path.write_bytes(b"first\n" + b"x" * 5_000 + b"\nlast\n")
    assert list(lines_backwards(path)) == [b"last", b"first"]


def test_reading_stops_when_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(line_file, "_CHUNK", 10)
    path = tmp_path / "lines"
    path.write_bytes(b"".join(b"line %03d\n" % n for n in range(100)))
    read: list[bytes] = []
    for line in lines_backwards(path, lambda: len(read) >= 5):
        read.append(line)
    assert 5 <= len(read) < 10


@given(st.lists(st.integers(1, 30), max_size=40), st.integers(10, 300), st.integers(5, 200))
@settings(max_examples=40, deadline=None)
def test_trimming_keeps_whole_lines_from_the_end(sizes: list[int], limit: int, keep: int):
    lines = [f"{at}".ljust(size, "x").encode() for at, size in enumerate(sizes)]
    data = b"".join(line + b"\n" for line in lines)
    keep = min(keep, limit)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines"
        path.write_bytes(data)
        kept = trim_lines(path, limit, keep)
        left = path.read_bytes()
        assert os.listdir(folder) == ["lines"]
    if len(data) <= limit:
        assert kept is None and left == data
    else:
        assert kept == left.splitlines() == lines[len(lines) - len(kept or []) :]
        assert len(left) <= keep
        longer = lines[len(lines) - len(kept or []) - 1]
        assert len(left) + len(longer) + 1 > keep


def test_tidy_trims_and_drops_pastes_nobody_names(
    history: PromptHistory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(prompt_history, "MAX_FILE", 2_000)
    monkeypatch.setattr(prompt_history, "_KEPT", 1_000)
    folder = tmp_path / "home" / "paste-cache"
    history.add("old", {1: "o" * 5_000})
    old = next(folder.iterdir())
    for number in range(20):
        history.add(f"prompt {number}", {1: "n" * 5_000} if number == 19 else None)
    for file in folder.iterdir():
        os.utime(file, (1, 1))
    assert history.tidy() is None
    assert history.path.stat().st_size <= 1_000
    assert stat.S_IMODE(history.path.stat().st_mode) == 0o600
    assert shown(history)[0] == "prompt 19"
    assert not old.exists()
    (past,) = history.older(1)
    assert past.pasted is not None and past.pasted[1] == "n" * 5_000


_WRITER = """
import sys
from pathlib import Path
from agentcli.frontends.shared import prompt_history
from agentcli.frontends.shared.prompt_history import PromptHistory
home, name, count, limit, keep = sys.argv[1:]
prompt_history.MAX_FILE, prompt_history._KEPT = int(limit), int(keep)
history = PromptHistory(Path(home), "/p", name)
sys.stdin.readline()
for number in range(int(count)):
    problem = history.add(f"{name} {number} " + "漢" * (number * 37 % 400))
    assert problem is None, problem
    history.tidy()
"""


def run_writers(home: Path, counts: Sequence[int], limit: int, keep: int) -> None:
    """Several processes that add prompts at the same time, and trim."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(home), f"w{at}", f"{count}", f"{limit}", f"{keep}"],
            stdin=subprocess.PIPE,
            text=True,
        )
        for at, count in enumerate(counts)
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [writer.wait(60) for writer in writers] == [0] * len(counts)


@settings(max_examples=3, deadline=None)
@given(st.lists(st.integers(50, 300), min_size=2, max_size=3))
def test_windows_at_once_lose_and_repeat_nothing(counts: list[int]):
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        run_writers(home, counts, 1 << 30, 1 << 30)
        reader = PromptHistory(home, "/p", "reader")
        names = [" ".join(past.display.split()[:2]) for past in reader.older(10_000)]
        assert sorted(names) == sorted(
            f"w{at} {number}" for at, count in enumerate(counts) for number in range(count)
        )
        # each window's own prompts stand in their order
        for _, group in groupby(sorted(names, key=lambda n: n[:2]), key=lambda n: n[:2]):
            numbers = [int(name.split()[1]) for name in group]
            assert numbers == sorted(numbers, reverse=True)


def test_trimming_while_others_write_loses_no_new_line(tmp_path: Path):
    run_writers(tmp_path, [300, 300], 60_000, 30_000)
    reader = PromptHistory(tmp_path, "/p", "reader")
    past = reader.older(10_000)
    assert reader.path.stat().st_size < 62_000
    for writer in ("w0", "w1"):
        numbers = [int(p.display.split()[1]) for p in past if p.display.startswith(writer)]
        # what is kept is the newest, without a hole
        assert numbers == list(range(299, 299 - len(numbers), -1))
    assert len(past) > 20
    assert os.listdir(tmp_path) == ["history.jsonl"]


def test_a_held_lock_delays_a_prompt_only_for_a_moment(history: PromptHistory):
    import fcntl

    history.add("one")
    with history.path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert history.add("two") is None
    assert shown(history) == ["two", "one"]


def test_appending_to_a_pipe_or_nothing_raises(tmp_path: Path):
    with pytest.raises(OSError):
        append_line(tmp_path / "no" / "such", b"x\n")
    assert list(lines_backwards(tmp_path / "missing")) == []


def test_a_line_goes_into_the_file_that_came_in_place_of_a_trimmed_one(tmp_path: Path):
    import fcntl
    import threading
    import time

    path = tmp_path / "lines"
    path.write_bytes(b"old\n")
    writer = threading.Thread(target=append_line, args=(path, b"new\n"))
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        writer.start()
        time.sleep(0.05)
        (tmp_path / "fresh").write_bytes(b"kept\n")
        os.replace(tmp_path / "fresh", path)
    writer.join()
    assert path.read_bytes() == b"kept\nnew\n"


def test_prompts_of_the_session_with_something_pasted(tmp_path: Path):
    other = PromptHistory(tmp_path, "/p", "other")
    other.add("see [Pasted text #1]", {1: "theirs"})
    history = PromptHistory(tmp_path, "/p", "mine")
    history.add("see [Pasted text #1]", {1: "big" * 5_000})
    history.add("nothing pasted")
    assert history.with_pastes() == [("see [Pasted text #1]", {1: "big" * 5_000})]
