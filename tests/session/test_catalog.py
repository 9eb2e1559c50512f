"""Sessions are found from the ends of their files, whatever stands in between or around."""

import json
import os
import resource
import subprocess
from pathlib import Path
from typing import Any

import pytest

from agentcli.protocol.errors import SessionAmbiguous, SessionBusy, SessionNotFound
from agentcli.protocol.events import BlockFinished, PromptAdded
from agentcli.protocol.ids import new_uuid
from agentcli.session.catalog import Catalog
from agentcli.session.entries import user_draft
from agentcli.session.listing import read_info
from agentcli.session.log import Place, SessionLog
from agentcli.session.reading import read_session
from agentcli.session.retention import sweep
from agentcli.session.store import project_folder, session_file

NOW = 1_800_000_000
DAY = 86_400


class World:
    """A home and a folder; sessions are written by hand."""

    def __init__(self, root: Path) -> None:
        self.home, self.cwd = root / "home", root / "shop"
        self.cwd.mkdir()
        self.catalog = Catalog(self.home, self.cwd)

    def write(
        self, *lines: dict[str, Any] | bytes, cwd: Path | None = None, age: float = 0.0
    ) -> str:
        """A session whose first line is the prompt "hello"; *lines* follow."""
        session_id, cwd = new_uuid(), cwd or self.cwd
        base = {"sessionId": session_id, "cwd": str(cwd), "gitBranch": "main", "version": "2.1.0"}
        first = prompt("hello")
        if lines and isinstance(lines[0], dict) and lines[0].get("type") == "user":
            first, lines = lines[0], lines[1:]
        path = session_file(self.home, cwd, session_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            for line in ({**base, **first}, *lines):
                data = line if isinstance(line, bytes) else json.dumps({**base, **line}).encode()
                file.write(data + b"\n")
        os.utime(path, (NOW - age, NOW - age))
        return session_id

    def path(self, session_id: str) -> Path:
        return next(self.home.glob(f"projects/*/{session_id}.jsonl"))

    def ids(self, everywhere: bool = False) -> list[str]:
        return [info.id for info in self.catalog.list(everywhere)]


def prompt(text: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": "user",
        "uuid": new_uuid(),
        "parentUuid": None,
        "timestamp": "2026-11-30T12:00:00.000Z",
        "message": {"role": "user", "content": text},
        **more,
    }


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_newest_first_and_only_of_exactly_this_folder(world: World, tmp_path: Path) -> None:
    other = tmp_path / "sh-op"
    clash = tmp_path / "sh_op"
    older, newer = world.write(age=20), world.write(age=10)
    world.write(cwd=other)
    assert world.ids() == [newer, older]
    assert len(world.ids(everywhere=True)) == 3
    there = Catalog(world.home, clash)
    assert list(there.list()) == []
    with pytest.raises(SessionNotFound, match="without --continue"):
        there.newest(interactive=True)


@pytest.mark.parametrize("begun_in", ["shop", "shop/sub", "elsewhere"])
def test_a_session_that_began_elsewhere_but_lies_here_is_listed(
    world: World, tmp_path: Path, begun_in: str
) -> None:
    session = world.write(prompt("copied", cwd=str(tmp_path / begun_in)))
    assert world.ids() == [session]
    assert world.catalog.newest(interactive=True).id == session


def test_a_slug_that_two_folders_share_does_not_mix_their_sessions(tmp_path: Path) -> None:
    worlds = [tmp_path / "a_b", tmp_path / "a-b"]
    for folder in worlds:
        folder.mkdir()
    root = World(tmp_path)
    first = root.write(cwd=worlds[0])
    below = root.write(prompt("x", cwd=str(worlds[1] / "sub")), cwd=worlds[1])
    assert root.path(first).parent == root.path(below).parent
    for folder, mine in zip(worlds, (first, below), strict=True):
        catalog = Catalog(root.home, folder)
        assert [info.id for info in catalog.list()] == [mine]
        assert catalog.newest(interactive=True).id == mine


def test_what_is_no_session_is_not_listed(world: World) -> None:
    good = world.write()
    folder = project_folder(world.home, world.cwd)
    (folder / f"{new_uuid()}.jsonl").touch()
    (folder / f"{new_uuid()}.jsonl").mkdir()
    (folder / f"{new_uuid()}.jsonl").symlink_to(world.path(good))
    os.mkfifo(folder / f"{new_uuid()}.jsonl")
    (folder / "agent-1.jsonl").write_bytes(world.path(good).read_bytes())
    world.write(prompt("a side chain", isSidechain=True))
    assert world.ids() == [good]


def test_the_title_is_the_newest_that_a_person_gave(world: World) -> None:
    named = world.write(
        {"type": "ai-title", "aiTitle": "generated"},
        {"type": "custom-title", "customTitle": "first"},
        prompt('say {"type":"custom-title","customTitle":"fooled"}'),
        {"type": "custom-title", "customTitle": "second"},
        {"type": "tag", "tag": "shop"},
    )
    generated = world.write({"type": "ai-title", "aiTitle": "generated"}, age=1)
    plain = world.write(prompt("fix\n the   cart"), age=2)
    first, second, third = world.catalog.list()
    assert (first.id, first.title, first.named, first.tag) == (named, "second", True, "shop")
    assert (second.id, second.title, second.named) == (generated, "generated", False)
    assert (third.id, third.title, third.first_prompt) == (plain, "fix the cart", "fix the cart")


def test_titles_in_the_head_and_in_the_tail_of_a_long_file_are_found(world: World) -> None:
    filler = [prompt("x" * 9000) for _ in range(40)]
    title = {"type": "custom-title", "customTitle": "near the end"}
    end = {"type": "last-prompt", "lastPrompt": "the last one"}
    late = world.catalog.find(world.write(*filler, title, end, {**prompt("b"), "gitBranch": "dev"}))
    assert (late.title, late.last_prompt, late.branch) == ("near the end", "b", "dev")
    early = world.write({"type": "custom-title", "customTitle": "in the head"}, *filler)
    assert world.catalog.find(early).title == "in the head"


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("é" * 60_000, "é" * 400),
        ([{"type": "text", "text": "look at this"}], "look at this"),
        ([{"type": "text", "text": "\\u00e9" * 40_000}], None),
        ("<bash-input>ls</bash-input>", "!ls"),
    ],
    ids=["long", "blocks", "long block", "command"],
)
def test_odd_first_prompts_are_shown(world: World, content: Any, shown: str | None) -> None:
    info = world.catalog.find(world.write(prompt(content)))
    assert info.first_prompt == shown if shown else info.first_prompt.startswith("\\u00e9")


def test_what_programs_write_is_no_first_prompt(world: World) -> None:
    session = world.write(
        prompt("<command-name>/clear</command-name>"),
        prompt("a note", isMeta=True),
        prompt("[Request interrupted by user]"),
        prompt("the real one"),
    )
    assert world.catalog.find(session).first_prompt == "the real one"


@pytest.mark.parametrize("damage", [b"\0" * 300, b"\xff\xfe", b'{"torn', b"42", b"[[[[" * 50])
def test_damage_costs_its_line_only(world: World, damage: bytes) -> None:
    session = world.write(damage, {"type": "custom-title", "customTitle": "here"}, damage)
    info = world.catalog.find(session)
    assert (info.title, info.first_prompt, info.cwd) == ("here", "hello", str(world.cwd))


def test_a_prompt_behind_a_long_attachment_still_names_the_session(world: World) -> None:
    attachment = {"type": "file", "content": "x" * 100_000}
    mention = prompt("", type="attachment", attachment=attachment)
    session = world.write(prompt("", isMeta=True), mention, prompt("read it"))
    info = world.catalog.find(session)
    assert (info.title, info.last_prompt) == ("read it", "read it")


def test_the_last_prompt_is_found_before_a_long_turn(world: World) -> None:
    result = [{"type": "tool_result", "tool_use_id": "t", "content": "x" * 100}]
    turn = [line for _ in range(60) for line in ({"type": "assistant"}, prompt(result))]
    info = world.catalog.find(world.write(prompt("first"), prompt("second"), *turn))
    assert info.last_prompt == "second"


def test_a_session_is_found_by_id_title_words_and_path(world: World, tmp_path: Path) -> None:
    cart = world.write(
        prompt("fix the cart"), {"type": "custom-title", "customTitle": "Cart total"}
    )
    docs = world.write(prompt("write the docs of the cart"))
    far = world.write(prompt("something else"), cwd=tmp_path / "far")
    find = world.catalog.find
    assert find(cart.upper()).id == cart
    assert find(cart[:8]).id == cart
    assert find("cart  TOTAL").id == cart
    assert find("docs write").id == docs
    assert find("something").id == far
    assert find(far).id == far
    assert find(str(world.path(docs))).id == docs
    for wrong in ("nope", "../../etc/passwd", new_uuid()):
        with pytest.raises(SessionNotFound):
            find(wrong)
    with pytest.raises(SessionAmbiguous, match="2 sessions fit 'cart'") as caught:
        find("cart")
    assert {info.id for info in caught.value.matches} == {cart, docs}


def test_two_sessions_of_one_title_are_both_there(world: World) -> None:
    title = {"type": "custom-title", "customTitle": "same"}
    both = {world.write(title, age=1), world.write(title, age=2)}
    assert set(world.ids()) == both
    with pytest.raises(SessionAmbiguous):
        world.catalog.find("same")


def test_continue_in_a_window_skips_what_scripts_wrote(world: World) -> None:
    typed = world.write(prompt("a", entrypoint="cli"), age=9)
    script = world.write(prompt("b", entrypoint="sdk-cli"))
    assert world.catalog.newest(interactive=True).id == typed
    assert world.catalog.newest(interactive=False).id == script


def test_worktrees_of_one_repository_share_their_sessions(tmp_path: Path) -> None:
    world = World(tmp_path)
    git = ["git", "-c", "user.name=n", "-c", "user.email=e"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run([*git, *command], cwd=world.cwd, check=True)
    tree = tmp_path / "tree"
    subprocess.run([*git, "worktree", "add", "-q", str(tree)], cwd=world.cwd, check=True)
    main, side = world.write(age=1), world.write(cwd=tree, age=2)
    assert world.ids() == [main, side]
    assert [info.id for info in Catalog(world.home, tree).list()] == [main, side]
    assert Catalog(world.home, tree).newest(interactive=True).id == side


def test_a_new_name_is_appended_behind_a_torn_line(world: World) -> None:
    info = world.catalog.find(world.write())
    before = info.file.read_bytes() + b'{"torn'
    info.file.write_bytes(before)
    world.catalog.rename(info, " the\x1b[31m cart\n" + "x" * 300)
    after = info.file.read_bytes()
    assert after.startswith(before + b'\n{"type":"custom-title"')
    (new,) = world.catalog.list()
    assert new.title == "the cart " + "x" * 191


def test_a_session_in_use_can_be_named_but_not_deleted(world: World) -> None:
    log = SessionLog(
        session_file(world.home, world.cwd, sid := new_uuid()),
        sid,
        lambda: Place(str(world.cwd), None),
    )
    log.append(user_draft("mine"))
    info = world.catalog.find(sid)
    world.catalog.rename(info, "other")
    with pytest.raises(SessionBusy):
        world.catalog.delete(info)
    assert info.file.exists()
    log.close()
    kept = world.home / "file-history" / sid
    kept.mkdir(parents=True)
    info.file.with_suffix("").mkdir()
    world.catalog.delete(info)
    assert not any(path.exists() for path in (info.file, kept, info.file.with_suffix("")))


def test_a_preview_shows_the_end_of_a_long_conversation(world: World) -> None:
    log = SessionLog(
        session_file(world.home, world.cwd, sid := new_uuid()),
        sid,
        lambda: Place(str(world.cwd), None),
    )
    for number in range(200):
        log.append(user_draft(f"prompt {number} " + "x" * 3000))
    log.close()
    events = world.catalog.preview(world.catalog.find(sid))
    assert len(events) == 20
    assert all(isinstance(event, PromptAdded | BlockFinished) for event in events)
    assert isinstance(events[-1], PromptAdded)
    assert str(events[-1].content).startswith("prompt 199 ")
    (world.path(sid)).unlink()
    assert world.catalog.list() == []


def test_listing_costs_the_ends_of_the_files_only(world: World) -> None:
    session = world.path(world.write())
    with session.open("r+b") as file:
        file.truncate(10**9)  # a hole: reading it all would take seconds
    before = resource.getrusage(resource.RUSAGE_SELF)
    info = read_info(session)
    after = resource.getrusage(resource.RUSAGE_SELF)
    assert info is not None and info.size == 10**9
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.2


def test_old_sessions_go_and_those_in_use_stay(world: World) -> None:
    old, young = world.write(age=31 * DAY), world.write(age=29 * DAY)
    used = world.write(age=90 * DAY)
    kept = world.home / "file-history" / old
    kept.mkdir(parents=True)
    orphan = world.home / "file-history" / new_uuid()
    orphan.mkdir()
    os.utime(orphan, (NOW - 99 * DAY, NOW - 99 * DAY))
    log = SessionLog.open_existing(world.path(used), lambda: Place("/", None))
    assert sweep(world.home, 30, NOW) == 1
    assert sorted(world.ids()) == sorted([young, used])
    assert not kept.exists() and not orphan.exists()
    log.close()
    assert sweep(world.home, 1, NOW + 100) == 0  # once a day
    assert sweep(world.home, 1, NOW + DAY) == 2
    assert world.ids() == []


def test_a_renamed_session_still_resumes(world: World) -> None:
    session = world.write()
    world.catalog.rename(world.catalog.find(session), "new")
    assert len(read_session(world.path(session)).entries) == 2


def test_the_prompt_of_a_turn_that_was_killed_is_found(world: World) -> None:
    noted = {"type": "last-prompt", "lastPrompt": "the one before"}
    session = world.write(noted, prompt("interrupt me"))
    assert world.catalog.find("interrupt").id == session
    later = world.write(prompt("interrupt you"), {**noted, "lastPrompt": "newer"})
    assert world.catalog.find(later).last_prompt == "newer"
