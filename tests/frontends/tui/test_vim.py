"""What keys make of a text: each case is what vim itself (9.0, plain settings) made of it."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.frontends.tui.vim_typing import Typist

_FILE = Path(__file__).parents[2] / "corpora" / "vim" / "cases.json"
CASES: dict[str, list[tuple[str, str, int]]] = {}
"""Text → keys typed in NORMAL at its begin, the text then, and the cursor."""
for _text, _keys, _then, _cursor in json.loads(_FILE.read_text("utf-8")):
    CASES.setdefault(_text, []).append((_keys, _then, _cursor))


def play(text: str, keys: str) -> tuple[str, int]:
    typist = Typist(text).type(keys)
    if typist.vim.mode == "INSERT":
        typist.type("<Esc>")
    return typist.text, typist.cursor


@pytest.mark.parametrize("text", CASES)
def test_keys(text: str):
    for keys, then, cursor in CASES[text]:
        assert (keys, *play(text, keys)) == (keys, then, cursor)


KEYS = st.lists(
    st.sampled_from(
        [*'hjklwebWEB0$^gGfFtT;,xXdDcCsSyYpPrJu.~><vVoOiIaA("[{ 23ab', "<Esc>", "<CR>"]
    ),
    max_size=25,
).map("".join)
TEXTS = st.text(alphabet='ab .,("é漢👍\u0301\n', max_size=30)


@given(TEXTS, KEYS)
def test_no_keys_break_it(text: str, keys: str):
    typist = Typist(text)
    for key in keys:
        typist.type(key)
        assert 0 <= typist.cursor <= len(typist.text)
    typist.type("<Esc><Esc>")
    assert typist.vim.mode == "NORMAL"
    typist.type("u" * 60)
    assert typist.text == text


def real_vim(folder: Path, text: str, keys: str) -> tuple[str, int]:
    """What vim makes of it."""
    for name, code in {"<Esc>": "\x1b", "<CR>": "\r", "<BS>": "\x08"}.items():
        keys = keys.replace(name, code)
    quoted = keys.replace("\\", "\\\\").replace('"', '\\"')
    (folder / "in.txt").write_text(text + "\n", "utf-8")
    (folder / "s.vim").write_text(
        "set nocp encoding=utf-8 noai nosi sw=4 ts=8 et sol nojs\ncall cursor(1,1)\n"
        f'exe "normal! {quoted}"\nlet p=[line("."),charcol(".")]\n'
        'call writefile(getline(1,"$")+[p[0].",".p[1]],"out.txt")\nqa!\n',
        "utf-8",
    )
    command = ["vim", *"-Nu NONE -n -i NONE -X -es -c".split(), "e in.txt", "-S", "s.vim"]
    subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        timeout=20,
        check=False,
    )
    *lines, place = (folder / "out.txt").read_text("utf-8").split("\n")[:-1]
    line, column = map(int, place.split(","))
    return "\n".join(lines), sum(len(row) + 1 for row in lines[: line - 1]) + column - 1


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("vim") is None, reason="vim is not installed here")
@pytest.mark.parametrize("text", CASES)
def test_vim_itself_agrees(tmp_path: Path, text: str):
    for keys, then, cursor in CASES[text]:
        assert (keys, *real_vim(tmp_path, text, keys)) == (keys, then, cursor)
