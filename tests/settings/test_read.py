"""Reading files of any kind and content."""

import os
import time

import pytest

from agentcli.protocol.errors import SettingsError
from agentcli.settings.read import MAX_BYTES, owner_problem, parse_object, read_object


def test_missing_is_none(tmp_path):
    assert read_object(tmp_path / "no.json") is None
    (tmp_path / "file").write_text("")
    assert read_object(tmp_path / "file" / "x.json") is None


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": 1, "b": }', ":1:15"),
        ('{\n  "a": tru\n}', ":2:8"),
        ('{\n  "é": 1,\n  // no\n}', ":3:3"),
        ('{"a": 1', ":1:8"),
        ('{"a": NaN}', ":1:7"),
        ("[1]", ": must be a JSON object"),
        ("", ": is empty"),
        ("  \n", ": is empty"),
        ("[" * 100_000, ": nested too deeply"),
    ],
)
def test_errors_name_the_place(text, place, tmp_path):
    path = tmp_path / "s.json"
    path.write_text(text)
    with pytest.raises(SettingsError) as caught:
        read_object(path)
    assert caught.value.message.startswith(f"{path}{place}")


def test_invalid_utf8_names_the_place():
    with pytest.raises(SettingsError, match=r"x:2:3: not valid UTF-8"):
        parse_object(b'{\n"a\xff": 1}', "x")


def test_bom_and_duplicates_are_tolerated():
    assert parse_object(b'\xef\xbb\xbf{"a": 1, "a": 2}', "x") == {"a": 2}


def test_size_limit(tmp_path):
    path = tmp_path / "s.json"
    filler = '{"a": "' + "x" * (MAX_BYTES - 9) + '"}'
    path.write_text(filler)
    assert read_object(path)
    path.write_text(filler + " ")
    with pytest.raises(SettingsError, match="larger than 2 MiB"):
        read_object(path)


@pytest.mark.parametrize("kind", ["fifo", "device", "folder", "loop", "nul"])
def test_what_is_no_file_is_refused_at_once(kind, tmp_path):
    path = tmp_path / "s.json"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    elif kind == "loop":
        path.symlink_to(path)
    else:
        path = tmp_path / "a\0b"
    start = time.monotonic()
    with pytest.raises(SettingsError):
        read_object(path)
    assert time.monotonic() - start < 2


def test_owner_problem(tmp_path):
    path = tmp_path / "s.json"
    assert owner_problem(path) is None
    path.write_text("{}")
    path.chmod(0o644)
    assert owner_problem(path) is None
    path.chmod(0o646)
    assert "everybody may write" in (owner_problem(path) or "")
