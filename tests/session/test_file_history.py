"""The timeline that the log's lines are folded to, whoever wrote them."""

import json
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcli.session.codec import decode_line, encode_line
from agentcli.session.entries import Entry
from agentcli.session.file_history import (
    DELETED,
    GROUPS_KEPT,
    Image,
    Timeline,
    group_line,
    image_line,
    with_written,
)

AT = "2026-11-01T10:00:00.000Z"


def entry(line: dict[str, Any]) -> Entry:
    return Entry(decode_line(encode_line(line)).objects[0])


def snapshot(group: str, files: Any, update: bool = False) -> Entry:
    return Entry(
        {
            "type": "file-history-snapshot",
            "messageId": group,
            "snapshot": {"messageId": group, "trackedFileBackups": files, "timestamp": AT},
            "isSnapshotUpdate": update,
        }
    )


def delta(group: str, path: str, **backup: Any) -> Entry:
    data = {"type": "file-history-delta", "messageId": group, "trackingPath": path}
    return Entry({**data, "backup": backup, "timestamp": AT})


def test_lines_have_the_fields_that_readers_know() -> None:
    image = Image("/p/a.py", "ab12@v3", 3, 0o755, "d1", "", "d2")
    assert group_line("g", AT) == {
        "type": "file-history-snapshot",
        "messageId": "g",
        "snapshot": {"messageId": "g", "trackedFileBackups": {}, "timestamp": AT},
        "isSnapshotUpdate": False,
    }
    line = image_line("g", image, AT)
    assert line["isSnapshotUpdate"] is True
    assert line["snapshot"]["trackedFileBackups"] == {
        "/p/a.py": {
            "backupFileName": "ab12@v3",
            "version": 3,
            "backupTime": AT,
            "realParentDir": "/p",
            "mode": 0o755,
            "digest": "d1",
            "written": "d2",
        }
    }


@pytest.mark.parametrize("field", [{}, {"mode": 0o100644}])
def test_a_mode_is_only_the_permissions(field: dict[str, int]) -> None:
    record = {"backupFileName": "a@v1", "version": 1, **field}
    mode = Timeline([snapshot("g", {"/a": record})]).images_since("g")["/a"].mode
    assert mode == (0o644 if field else None)


def test_the_group_may_stand_in_the_snapshot_only() -> None:
    line = snapshot("g", {"/a": {"backupFileName": "a@v1"}})
    assert Timeline([Entry({**line.data, "messageId": None})]).files("g") == ("/a",)


def test_odd_paths_are_text_that_json_holds() -> None:
    record = {"backupFileName": "a@v1", "version": 1}
    timeline = Timeline([snapshot("g", {"/\ud800": record, "/b": {**record, "pathHex": "zz"}})])
    assert timeline.files("g") == ("/\ufffd", "/b")
    for image in timeline.images_since("g").values():
        encode_line(image_line("g", image, AT)).decode()


def test_a_file_that_did_not_exist_has_a_null_name() -> None:
    line = image_line("g", Image("/p/a.py", None, 0, written="d2"), AT)
    record = line["snapshot"]["trackedFileBackups"]["/p/a.py"]
    assert record["backupFileName"] is None
    assert "mode" not in record and "digest" not in record


@pytest.mark.parametrize(
    "image",
    [
        Image("/p/a.py", "ab12@v3", 3, 0o755, "d1", "", "d2"),
        Image("/p/a.py", None, 0),
        Image("/p/a.py", None, 2, written=DELETED),
        Image("/p/big", "ab12@v1", 1, None, "", "it was not kept", "d"),
        Image(os.fsdecode(b"/p/caf\xe9/\xff.txt"), "ab@v1", 1, 0o600, "d", "", "e"),
        Image("/p/\u2028\x7f 한.txt", "ab@v1", 1, 0o600, "d", "", "e"),
        Image("/p/file:61", "ab@v1", 1, 0o600, "d", "", "e"),
    ],
)
def test_an_image_comes_back_from_the_line_as_it_was(image: Image) -> None:
    timeline = Timeline([entry(image_line("g", image, AT))])
    assert timeline.image("g", image.path) == image


def test_two_names_that_look_alike_stay_two_files() -> None:
    images = [Image(os.fsdecode(b"/p/" + name), "ab@v1", 1) for name in (b"\xff", b"\xfe")]
    timeline = Timeline(entry(image_line("g", image, AT)) for image in images)
    assert list(timeline.images_since("g").values()) == images


def test_the_first_image_of_a_group_and_the_last_write_count() -> None:
    first = Image("/f", "a@v1", 1, digest="d1", written="w1")
    again = with_written(Image("/f", "a@v2", 2, digest="w1"), "w2")
    timeline = Timeline(entry(image_line("g", image, AT)) for image in (first, again))
    assert timeline.image("g", "/f") == first
    assert timeline.written("/f") == "w2"
    assert timeline.version("/f") == 2


def test_the_state_at_a_prompt_is_the_earliest_image_from_there_on() -> None:
    lines = [
        group_line("p1", AT),
        image_line("p1", Image("/a", None, 0), AT),
        group_line("p2", AT),
        group_line("p3", AT),
        image_line("p3", Image("/a", "a@v1", 1), AT),
        image_line("p3", Image("/b", "b@v1", 1), AT),
        group_line("p4", AT),
        image_line("p4", Image("/a", "a@v2", 2), AT),
    ]
    timeline = Timeline(map(entry, lines))

    def names(group: str) -> dict[str, str | None]:
        return {path: image.name for path, image in timeline.images_since(group).items()}

    assert names("p1") == {"/a": None, "/b": "b@v1"}
    assert names("p2") == names("p3") == {"/a": "a@v1", "/b": "b@v1"}
    assert names("p4") == {"/a": "a@v2"}
    assert names("p5") == {}
    assert timeline.current == "p4"
    assert timeline.files("p3") == ("/a", "/b")


def test_the_highest_version_is_known_whatever_the_order() -> None:
    lines = [image_line(f"g{n}", Image("/a", f"a@v{n}", n), AT) for n in (2, 9, 4)]
    assert Timeline(map(entry, lines)).version("/a") == 9


def test_a_group_keeps_its_place_when_an_update_comes_late() -> None:
    timeline = Timeline(
        [
            snapshot("p1", {}),
            snapshot("p2", {"/a": {"backupFileName": "a@v2", "version": 2}}),
            delta("p1", "/a", backupFileName="a@v1", version=1),
        ]
    )
    assert timeline.images_since("p1")["/a"].name == "a@v1"
    assert timeline.images_since("p2")["/a"].name == "a@v2"
    assert timeline.current == "p2"


def test_lines_of_other_writers_are_understood() -> None:
    record = {"backupFileName": "aa@v1", "version": 1, "realParentDir": "/code/src"}
    timeline = Timeline(
        [
            snapshot("p1", {"src/a.ts": record, "/b.ts": {"backupFileName": None, "version": 1}}),
            delta("p1", "src/c.ts", backupFileName=None, version=1, realParentDir="/code/src"),
        ]
    )
    assert set(timeline.images_since("p1")) == {"/code/src/a.ts", "/b.ts", "/code/src/c.ts"}
    assert timeline.written("/b.ts") is None


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a@v1/..", "", 7, ".x@v1"])
def test_a_name_that_could_leave_the_folder_is_no_backup(name: Any) -> None:
    timeline = Timeline([snapshot("g", {"/a": {"backupFileName": name, "version": 1}})])
    image = timeline.images_since("g")["/a"]
    assert image.name is None and image.lost


def test_a_record_without_a_name_does_not_mean_that_the_file_did_not_exist() -> None:
    timeline = Timeline([snapshot("g", {"/a": {}})])
    assert timeline.images_since("g")["/a"].lost


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
_RECORD = st.fixed_dictionaries(
    {},
    optional={
        name: _JSON
        for name in (
            "backupFileName",
            "version",
            "mode",
            "digest",
            "lost",
            "written",
            "pathHex",
            "realParentDir",
        )
    },
)
_LINE = st.fixed_dictionaries(
    {"type": st.sampled_from(["file-history-snapshot", "file-history-delta", "user"])},
    optional={
        "messageId": _JSON | st.just("g"),
        "snapshot": _JSON
        | st.fixed_dictionaries(
            {"trackedFileBackups": st.dictionaries(st.text(max_size=4), _RECORD | _JSON)}
        ),
        "trackingPath": _JSON,
        "backup": _JSON | _RECORD,
    },
)


@given(st.lists(_LINE, max_size=6))
def test_no_line_whatever_makes_it_fail(lines: list[dict[str, Any]]) -> None:
    timeline = Timeline(Entry(line) for line in lines)
    for image in timeline.images_since("g").values():
        json.dumps(image_line("g", image, AT))
        assert image.name is None or "/" not in image.name
    timeline.superseded()


def test_backups_of_old_groups_are_superseded_but_for_the_first_of_each_file() -> None:
    lines = [
        image_line(f"p{number}", Image("/a", f"a@v{number}", number), AT)
        for number in range(1, GROUPS_KEPT + 4)
    ]
    empty = [group_line(f"q{number}", AT) for number in range(50)]
    timeline = Timeline(map(entry, lines[:GROUPS_KEPT] + empty))
    assert timeline.superseded() == set()
    timeline = Timeline(map(entry, lines + empty))
    assert timeline.superseded() == {"a@v2", "a@v3"}


def test_a_backup_that_a_newer_group_uses_too_is_kept() -> None:
    names = ["a@v1", "a@v2", *(f"a@v{number}" for number in range(3, GROUPS_KEPT + 2)), "a@v2"]
    lines = [
        image_line(f"p{place}", Image("/a", name, place), AT) for place, name in enumerate(names)
    ]
    timeline = Timeline(map(entry, lines))
    assert len(lines) == GROUPS_KEPT + 2
    assert timeline.superseded() == set()
