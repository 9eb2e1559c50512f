"""Restoring files to a checkpoint, with real files: exact, reversible, and never more than ours."""

import os
import shutil
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from agentcli.session.backups import MAX_BACKUP
from agentcli.session.file_history import GROUPS_KEPT
from tests.session.checkpoint_world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_an_edited_file_comes_back_and_a_created_one_goes(world: World) -> None:
    world.path("a").write_bytes(b"old")
    before = world.prompt()
    a, b = world.write("a", b"new"), world.write("sub/b", b"made")
    assert world.changes(before) == [("a", "restore", False, ""), ("sub/b", "delete", False, "")]
    report = world.rewind(before)
    assert a.read_bytes() == b"old" and not b.exists()
    begun = [entry for entry in world.entries() if not entry.data["isSnapshotUpdate"]]
    assert [entry.data["messageId"] for entry in begun] == [before, report.undo]
    assert (report.restored, report.deleted, report.problems) == ((str(a),), (str(b),), ())
    assert report.undo
    assert world.changes(before) == []


def test_each_prompt_has_its_own_state(world: World) -> None:
    prompts: list[str] = []
    for number in range(4):
        prompts.append(world.prompt())
        world.write("f", b"first of %d" % number)
        world.write("f", b"state %d" % number)
    quiet = world.prompt()
    assert world.changes(quiet) == []
    for number in (3, 1, 2):  # forth and back: a restore is a part of the history too
        world.rewind(prompts[number])
        assert world.path("f").read_bytes() == b"state %d" % (number - 1)
    world.rewind(prompts[0])
    assert not world.path("f").exists()


def test_an_undo_can_be_undone(world: World) -> None:
    world.path("a").write_bytes(b"old")
    before = world.prompt()
    world.write("a", b"new")
    world.write("b", b"made")
    world.path("b").chmod(0o640)
    after = world.state()
    first = world.rewind(before)
    rewound = world.state()
    second = world.rewind(first.undo)
    assert world.state() == after
    third = world.rewind(second.undo)
    assert world.state() == rewound
    world.rewind(third.undo)
    assert world.state() == after


def test_nothing_to_do_opens_no_checkpoint(world: World) -> None:
    before = world.prompt()
    lines = world.log.read_bytes()
    report = world.rewind(before)
    assert report.undo == "" and world.log.read_bytes() == lines


def test_an_unknown_checkpoint_gives_an_empty_plan(world: World) -> None:
    world.prompt()
    world.write("a", b"x")
    assert world.changes("no-such-prompt") == []


def test_a_file_that_was_removed_by_other_means_is_made_again(world: World) -> None:
    path = world.path("deep/er/run.sh")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"#!/bin/sh\n")
    path.chmod(0o751)
    before = world.prompt()
    world.write("deep/er/run.sh", b"#!/bin/sh\nexit 1\n")
    path.unlink()
    path.parent.rmdir()
    path.parent.parent.rmdir()
    assert world.changes(before) == [("deep/er/run.sh", "create", False, "")]
    world.rewind(before)
    assert path.read_bytes() == b"#!/bin/sh\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o751


def test_the_mode_is_that_of_then_and_undo_brings_back_that_of_now(world: World) -> None:
    path = world.path("a")
    path.write_bytes(b"old")
    path.chmod(0o600)
    before = world.prompt()
    world.write("a", b"new")
    path.chmod(0o755)
    report = world.rewind(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    world.rewind(report.undo)
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


def test_a_mode_alone_is_no_change_of_ours(world: World) -> None:
    path = world.path("a")
    path.write_bytes(b"same")
    before = world.prompt()
    world.write("a", b"other")
    world.write("a", b"same")
    path.chmod(0o755)
    assert world.changes(before) == []


@pytest.mark.parametrize(
    "data", [b"", b"\x00\xff\xfe\n" * 999, b"a\r\nb\r\n", "ü한\u2028".encode(), b"no newline"]
)
def test_bytes_are_exact(world: World, data: bytes) -> None:
    path = world.path("a")
    path.write_bytes(data)
    before = world.prompt()
    world.write("a", data + b"!")
    world.rewind(before)
    assert path.read_bytes() == data


def test_names_that_are_not_utf8_are_told_apart_and_come_back_after_a_resume(
    world: World,
) -> None:
    names = (b"caf\xe9", b"caf\xea", "café\u2028".encode())
    for name in names:
        world.path(name).write_bytes(b"old " + name)
    before = world.prompt()
    for name in names:
        world.write(name, b"new")
    world.reopen()
    plan = world.plan(before)
    for change in plan.changes:
        change.path.encode()  # text that a screen can show
    report = world.rewind(before)
    assert len(report.restored) == 3 and not report.problems
    assert [world.path(name).read_bytes() for name in names] == [b"old " + n for n in names]


def test_a_change_by_hand_is_told_and_undo_brings_it_back(world: World) -> None:
    path = world.path("a")
    path.write_bytes(b"old")
    before = world.prompt()
    world.write("a", b"by the session")
    path.write_bytes(b"by hand")
    assert world.changes(before) == [("a", "restore", True, "")]
    report = world.rewind(before)
    assert path.read_bytes() == b"old"
    world.rewind(report.undo)
    assert path.read_bytes() == b"by hand"


def test_a_created_file_that_was_changed_by_hand_is_not_deleted(world: World) -> None:
    before = world.prompt()
    path = world.write("a", b"by the session")
    path.write_bytes(b"by hand")
    ((_, action, foreign, problem),) = world.changes(before)
    assert (action, foreign) == ("delete", True) and "somebody else" in problem
    report = world.rewind(before)
    assert path.read_bytes() == b"by hand"
    assert report.deleted == () and report.undo == ""
    assert report.problems == (f"{path}: {problem}",)


def test_a_change_by_hand_between_plan_and_restore_is_seen(world: World) -> None:
    before = world.prompt()
    made = world.write("made", b"x")
    plan = world.plan(before)
    made.write_bytes(b"by hand")
    report = world.checkpoints.restore(world.entries(), plan)
    assert made.read_bytes() == b"by hand" and len(report.problems) == 1


@pytest.mark.parametrize("data", [b"x", b""])
def test_a_file_that_was_made_in_the_place_of_a_deleted_one_stays(
    world: World, data: bytes
) -> None:
    before = world.prompt()
    path = world.write("a", data)
    report = world.rewind(before)
    path.write_bytes(data)  # the same bytes, but not ours: we deleted ours
    assert world.changes(before)[0][2:] == (
        True,
        "it was changed by somebody else since, so it is not deleted",
    )
    assert world.rewind(report.undo).restored == ()


def test_a_link_in_the_place_of_a_file_is_not_followed(world: World, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"precious")
    world.path("a").write_bytes(b"old")
    before = world.prompt()
    world.write("a", b"new")
    made = world.write("made", b"new")
    for path in (world.path("a"), made):
        path.unlink()
        path.symlink_to(other)
    assert [c[3] for c in world.changes(before)] == ["a link is in its place"] * 2
    world.rewind(before)
    assert other.read_bytes() == b"precious" and made.is_symlink()


def test_a_link_among_the_folders_is_not_followed(world: World, tmp_path: Path) -> None:
    world.path("sub").mkdir()
    world.path("sub/a").write_bytes(b"old")
    before = world.prompt()
    world.write("sub/a", b"new")
    world.write("sub/made", b"new")
    other = tmp_path / "other"
    world.path("sub").rename(other)
    world.path("sub").symlink_to(other)
    assert [c[3] for c in world.changes(before)] == ["a folder above it is a link now"] * 2
    world.rewind(before)
    assert (other / "a").read_bytes() == b"new" and (other / "made").exists()


def test_a_link_among_the_folders_that_comes_after_the_plan(world: World, tmp_path: Path) -> None:
    world.path("sub").mkdir()
    world.path("sub/a").write_bytes(b"old")
    before = world.prompt()
    world.write("sub/a", b"new")
    plan = world.plan(before)
    world.path("sub").rename(tmp_path / "other")
    world.path("sub").symlink_to(tmp_path / "other")
    report = world.checkpoints.restore(world.entries(), plan)
    assert len(report.problems) == 1
    assert (tmp_path / "other" / "a").read_bytes() == b"new"


def test_what_the_plan_left_alone_stays_so_when_it_could_be_done_by_then(world: World) -> None:
    world.path("a").write_bytes(b"old")
    before = world.prompt()
    world.write("a", b"new")
    os.link(world.path("a"), world.path("other"))
    plan = world.plan(before)
    world.path("other").unlink()
    report = world.checkpoints.restore(world.entries(), plan)
    assert len(report.problems) == 1 and world.path("a").read_bytes() == b"new"


def test_what_is_no_file_is_not_noted(world: World, tmp_path: Path) -> None:
    world.prompt()
    lines = world.log.read_bytes()
    world.path("folder").mkdir()
    world.path("link").symlink_to(tmp_path)
    for name in ("folder", "link"):
        world.checkpoints.before_write(world.path(name), b"x")
    assert world.log.read_bytes() == lines and world.kept() == set()


def test_a_path_with_two_slashes_is_the_same_file(world: World) -> None:
    world.path("a").write_bytes(b"old")
    before = world.prompt()
    world.write("a", b"new")
    world.checkpoints.before_write(Path(f"/{world.path('a')}"), b"newer")
    assert world.changes(before) == [("a", "restore", True, "")]


def foreign_line(group: str, path: str, **record: object) -> dict[str, object]:
    files = {path: {"version": 1, **record}}
    return {
        "type": "file-history-snapshot",
        "messageId": group,
        "snapshot": {"messageId": group, "trackedFileBackups": files},
        "isSnapshotUpdate": False,
    }


def test_checkpoints_of_another_program_are_restored_with_a_warning(world: World) -> None:
    world.backups.mkdir(parents=True)
    (world.backups / "0a1b@v1").write_bytes(b"old")
    (world.backups / "0a1c@v1").write_bytes(b"same")
    for name, data in (("a", b"new"), ("same", b"same"), ("made", b"new")):
        world.path(name).write_bytes(data)
    parent = str(world.project)
    world.note(foreign_line("g", "a", backupFileName="0a1b@v1", realParentDir=parent))
    world.note(foreign_line("g", "same", backupFileName="0a1c@v1", realParentDir=parent))
    world.note(foreign_line("g", "made", backupFileName=None, realParentDir=parent))
    world.reopen()
    changes = world.changes("g")
    assert [change[:3] for change in changes] == [("a", "restore", True), ("made", "delete", True)]
    assert changes[0][3] == "" and changes[1][3]
    report = world.rewind("g")
    assert world.path("a").read_bytes() == b"old" and world.path("made").exists()
    world.rewind(report.undo)
    assert world.path("a").read_bytes() == b"new"


def test_lines_that_name_files_elsewhere_do_nothing(world: World, tmp_path: Path) -> None:
    outside = tmp_path / "home" / "secret"
    world.backups.mkdir(parents=True)
    outside.write_bytes(b"secret")
    path = world.write("a", b"x")
    written = world.entries()[-1].data["snapshot"]["trackedFileBackups"][str(path)]["written"]
    name = "../../secret"
    world.note(foreign_line("g", str(path), backupFileName=name, written=written))
    world.note(foreign_line("g", "relative", backupFileName="0a1b@v1"))
    (world.backups / "0a1b@v1").write_bytes(b"x")
    assert [change[1] for change in world.changes("g")] == ["restore", "create"]
    assert world.changes("g")[1][3] == "its recorded path is not absolute"
    assert world.rewind("g").undo == "" and path.read_bytes() == b"x"


def test_a_file_that_is_as_it_was_needs_no_backup(world: World) -> None:
    world.path("a").write_bytes(b"old")
    before = world.prompt()
    world.write("a", b"new")
    world.path("a").write_bytes(b"old")
    for backup in world.backups.iterdir():
        backup.unlink()
    assert world.changes(before) == []


def test_hard_links_are_left_alone(world: World) -> None:
    world.path("a").write_bytes(b"old")
    os.link(world.path("a"), world.path("other"))
    before = world.prompt()
    world.write("a", b"new")
    ((_, action, _, problem),) = world.changes(before)
    assert action == "restore" and "hard links" in problem
    assert world.rewind(before).undo == ""
    assert world.path("a").read_bytes() == b"new"
    world.path("other").unlink()
    world.rewind(before)
    assert world.path("a").read_bytes() == b"old"


@pytest.mark.parametrize("kind", ["folder", "fifo", "socket"])
def test_something_else_in_the_place_of_a_file(
    world: World, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(world.project)  # a socket's path is short
    path = world.path("a")
    path.write_bytes(b"old")
    before = world.prompt()
    world.write("a", b"new")
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("a")
    there = "a folder" if kind == "folder" else "a FIFO, socket or device"
    assert world.changes(before)[0][3] == f"{there} is in its place"
    assert world.rewind(before).restored == ()


def test_a_folder_that_became_a_file(world: World) -> None:
    world.path("sub").mkdir()
    world.path("sub/a").write_bytes(b"old")
    before = world.prompt()
    world.write("sub/a", b"new")
    world.path("sub/a").unlink()
    world.path("sub").rmdir()
    world.path("sub").write_bytes(b"file")
    assert world.changes(before)[0][3] == "a folder above it is a file now"
    world.rewind(before)
    assert world.path("sub").read_bytes() == b"file"


def test_damaged_or_missing_backups_are_told_and_nothing_is_written(world: World) -> None:
    for name in ("a", "b", "c"):
        world.path(name).write_bytes(b"old " + name.encode())
    before = world.prompt()
    for name in ("a", "b", "c"):
        world.write(name, b"new")
    by_content = {path.read_bytes(): path for path in world.backups.iterdir()}
    by_content[b"old a"].write_bytes(b"old x")
    by_content[b"old b"].unlink()
    by_content[b"old c"].unlink()
    by_content[b"old c"].symlink_to(world.path("a"))
    problems = [change[3] for change in world.changes(before)]
    assert problems[:2] == ["its backup is damaged", "its backup is gone"]
    assert problems[2].startswith("its backup cannot be read")
    assert len(world.rewind(before).problems) == 3
    assert world.path("a").read_bytes() == b"new"


def test_a_large_file_is_not_kept_and_the_plan_says_so(world: World) -> None:
    path = world.path("big")
    path.write_bytes(b"x" * (MAX_BACKUP + 1))
    before = world.prompt()
    world.write("big", b"small now")
    assert world.kept() == set() and world.problems == []
    ((_, action, _, problem),) = world.changes(before)
    assert action == "restore" and "larger than 10 MB" in problem
    later = world.prompt()
    world.write("big", b"smaller")
    world.rewind(later)  # the next one is small enough
    assert path.read_bytes() == b"small now"
    record = world.entries()[1].data["snapshot"]["trackedFileBackups"][str(path)]
    assert record["backupFileName"]  # null would say to readers that it did not exist


def test_what_cannot_be_kept_for_an_undo_is_not_overwritten(world: World) -> None:
    path = world.path("a")
    path.write_bytes(b"old")
    before = world.prompt()
    world.write("a", b"new")
    path.write_bytes(b"x" * (MAX_BACKUP + 1))
    assert "larger than" in world.changes(before)[0][3]
    world.rewind(before)
    assert path.stat().st_size == MAX_BACKUP + 1


def test_backups_are_private_from_their_first_byte(world: World) -> None:
    old = os.umask(0)
    try:
        world.path("a").write_bytes(b"secret")
        world.prompt()
        world.write("a", b"new")
    finally:
        os.umask(old)
    (backup,) = world.backups.iterdir()
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    for folder in (world.backups, world.backups.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert backup.name.endswith("@v1")


def test_a_resumed_session_goes_on_with_the_group_and_the_versions(world: World) -> None:
    world.path("a").write_bytes(b"one")
    first = world.prompt()
    world.write("a", b"two")
    world.reopen()
    world.write("a", b"three")  # the same prompt: no second image
    assert len(world.kept()) == 1
    second = world.prompt()
    world.write("a", b"four")
    assert {name.rpartition("@")[2] for name in world.kept()} == {"v1", "v2"}
    world.reopen()
    world.rewind(second)
    assert world.path("a").read_bytes() == b"three"
    world.reopen()
    world.rewind(first)
    assert world.path("a").read_bytes() == b"one"


def test_a_lost_folder_does_not_make_old_names_mean_new_files(world: World) -> None:
    world.path("a").write_bytes(b"one")
    first = world.prompt()
    world.write("a", b"two")
    for path in world.backups.iterdir():
        path.unlink()
    world.reopen()
    world.prompt()
    world.write("a", b"three")
    assert {name.rpartition("@")[2] for name in world.kept()} == {"v2"}
    assert world.changes(first)[0][3] == "its backup is gone"


def test_versions_that_the_log_does_not_know_are_not_overwritten(world: World) -> None:
    world.path("a").write_bytes(b"one")
    world.prompt()
    world.write("a", b"two")
    kept = {path: path.read_bytes() for path in world.backups.iterdir()}
    world.log.write_bytes(b"")
    world.reopen()
    world.prompt()
    world.write("a", b"three")
    assert {path: path.read_bytes() for path in kept} == kept
    assert len(world.kept()) == 2


def test_equal_content_is_kept_once(world: World) -> None:
    world.path("a").write_bytes(b"same")
    prompts: list[str] = []
    for _ in range(3):
        prompts.append(world.prompt())
        world.write("a", b"other")
        world.path("a").write_bytes(b"same")
    assert len(world.kept()) == 1
    world.write("a", b"other")
    world.rewind(prompts[1])
    assert world.path("a").read_bytes() == b"same"


def test_a_damaged_backup_is_not_used_again_for_equal_content(world: World) -> None:
    world.path("a").write_bytes(b"same")
    world.prompt()
    world.write("a", b"other")
    for path in world.backups.iterdir():
        path.write_bytes(b"sane")
    world.path("a").write_bytes(b"same")
    later = world.prompt()
    world.write("a", b"other")
    world.rewind(later)
    assert world.path("a").read_bytes() == b"same"


def test_writes_before_any_prompt_belong_to_a_group_of_their_own(world: World) -> None:
    world.write("a", b"x")
    group = world.entries()[0].data["messageId"]
    assert world.changes(group) == [("a", "delete", False, "")]


def test_a_prompt_that_began_before_stays_where_it_is(world: World) -> None:
    world.path("a").write_bytes(b"0")
    first, second = world.prompt(), world.prompt()
    world.checkpoints.begin(first)
    world.write("a", b"1")
    world.rewind(second)
    assert world.path("a").read_bytes() == b"0"


def test_what_a_command_did_to_a_file_of_the_session_comes_back(world: World) -> None:
    world.prompt()
    world.write("deleted", b"one")
    world.write("changed", b"two")
    before = world.prompt()
    world.path("deleted").unlink()
    world.path("changed").write_bytes(b"by a command")
    world.reopen()
    assert sorted(change[:3] for change in world.changes(before)) == [
        ("changed", "restore", True),
        ("deleted", "create", False),
    ]
    world.rewind(before)
    assert world.path("deleted").read_bytes() == b"one"
    assert world.path("changed").read_bytes() == b"two"


def test_an_unchanged_file_is_not_kept_at_each_prompt(world: World) -> None:
    world.prompt()
    world.write("a", b"one")
    for _ in range(5):
        world.prompt()
    assert len(world.kept()) == 1


def test_a_hundred_checkpoints_are_kept_and_the_first_of_each_file(world: World) -> None:
    world.path("a").write_bytes(b"0")
    prompts: list[str] = []
    for number in range(1, GROUPS_KEPT + 4):
        prompts.append(world.prompt())
        world.write("a", b"%d" % number)
    assert len(world.kept()) == GROUPS_KEPT + 1
    assert world.changes(prompts[1])[0][3] == "its checkpoint is older than the 100 that are kept"
    world.reopen()
    assert world.changes(prompts[2])[0][3] == "its checkpoint is older than the 100 that are kept"
    world.rewind(prompts[3])
    assert world.path("a").read_bytes() == b"3"
    world.rewind(prompts[0])
    assert world.path("a").read_bytes() == b"0"


def test_a_file_in_the_place_of_the_folder_stops_no_edit(world: World) -> None:
    world.backups.parent.parent.mkdir()
    world.backups.parent.write_bytes(b"not a folder")
    for name in ("a", "b"):
        world.path(name).write_bytes(b"old")
    before = world.prompt()
    for name in ("a", "b"):
        world.write(name, b"new")
    world.write("made", b"new")
    assert len(world.problems) == 1 and str(world.path("a")) in world.problems[0]
    problems = {change[0]: change[3] for change in world.changes(before)}
    assert problems["a"].startswith("its backup could not be written")
    assert problems["made"] == ""
    report = world.rewind(before)  # not even a deletion: there is nowhere to keep the undo
    assert len(report.problems) == 3 and world.path("made").exists()
    world.backups.parent.unlink()
    world.prompt()
    world.write("b", b"newer")
    assert len(world.kept()) == 3 and len(world.problems) == 1
    assert world.rewind(before).deleted == (str(world.path("made")),)
    shutil.rmtree(world.backups)
    world.backups.write_bytes(b"not a folder")
    world.prompt()
    world.write("a", b"newer")
    assert len(world.problems) == 2


_FULL_DISK = """
import os, resource, signal, sys
from pathlib import Path
from tests.session.checkpoint_world import World

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
world = World(Path(sys.argv[1]))
world.path("a").write_bytes(b"x" * 9000)
world.path("b").write_bytes(b"small")
before = world.prompt()
unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (6000, unlimited[1]))
world.write("a", b"new")
assert len(world.problems) == 1 and "File too large" in world.problems[0], world.problems
assert world.kept() == set(), world.kept()
world.write("b", b"new")
assert len(world.kept()) == 1
resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
c = world.path("c")
c.write_bytes(b"y" * 9000)
later = world.prompt()
world.write("c", b"changed")
resource.setrlimit(resource.RLIMIT_FSIZE, (6000, unlimited[1]))
report = world.rewind(later)
assert report.undo == "" and len(report.problems) == 1, report
assert c.read_bytes() == b"changed"
assert sorted(os.listdir(world.project)) == ["a", "b", "c"]
resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
assert world.changes(later) == [("c", "restore", False, "")], world.changes(later)
assert world.rewind(later).undo
assert c.read_bytes() == b"y" * 9000
"""


def test_a_full_disk_stops_no_edit_and_damages_nothing(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", _FULL_DISK, str(tmp_path)],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr


def test_two_threads_at_once(world: World) -> None:
    names = [f"f{number}" for number in range(8)]
    for name in names:
        world.path(name).write_bytes(b"old " + name.encode())
    before = world.prompt()
    note, inside, most = world.note, list[str](), list[int]()

    def one_at_a_time(line: dict[str, Any]) -> None:
        inside.append("in")
        time.sleep(0.001)
        most.append(len(inside))
        note(line)
        inside.pop()

    world.note = one_at_a_time
    world.reopen()

    def work(name: str) -> None:
        for turn in range(5):
            world.write(name, b"%d" % turn)

    threads = [threading.Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(world.kept()) == 8 and set(most) == {1} and len(most) == 40
    world.rewind(before)
    assert all(world.path(name).read_bytes() == b"old " + name.encode() for name in names)


def test_git_is_not_needed_and_not_touched(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    index = world.path(".git/index")
    index.parent.mkdir()
    index.write_bytes(b"index")
    facts = index.stat()
    before = world.prompt()
    world.write("a", b"x")
    world.rewind(before)
    assert index.stat() == facts and os.listdir(index.parent) == ["index"]
