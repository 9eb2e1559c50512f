"""Settings that reach the engine."""

import json
import os
import threading
from pathlib import Path
from time import time

import pytest

from agentcli.cli.args import parse_args
from agentcli.cli.startup import open_session
from agentcli.context.compact_rules import CompactRules
from agentcli.protocol.errors import UsageError
from agentcli.protocol.ids import new_uuid
from tests.fakes.asker import ScriptedAsker


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, True),
        ({"respondToBashCommands": True}, True),
        ({"respondToBashCommands": False}, False),
    ],
)
async def test_whether_the_model_answers_shell_commands(
    tmp_path: Path, settings: dict[str, object], expected: bool
) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    (home / "settings.json").write_text(json.dumps(settings))
    env = {"HOME": str(tmp_path), "AGENTCLI_HOME": str(home), "ANTHROPIC_API_KEY": "k"}
    env["ANTHROPIC_BASE_URL"] = "http://127.0.0.1:9"
    with open_session(parse_args([]), project, env, headless=False) as session:
        engine = session.make_engine(ScriptedAsker())
        parts = engine._parts  # pyright: ignore[reportPrivateUsage]  # the spec is not kept
        assert parts.run_deps(parts).answers_shell is expected
        await engine.aclose()


@pytest.mark.parametrize(
    ("settings", "more", "expected"),
    [
        ({}, {}, CompactRules()),
        (
            {"autoCompactEnabled": False, "autoCompactWindow": 300_000},
            {},
            CompactRules(auto=False, window=300_000),
        ),
        ({"env": {"DISABLE_AUTO_COMPACT": "1"}}, {}, CompactRules(auto=False)),
        ({"autoCompactWindow": 5, "autoCompactEnabled": False}, {}, CompactRules(auto=False)),
        ({}, {"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "70"}, CompactRules(percent=70)),
    ],
)
async def test_when_a_conversation_is_compacted(
    tmp_path: Path, settings: dict[str, object], more: dict[str, str], expected: CompactRules
) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    (home / "settings.json").write_text(json.dumps(settings))
    env = {"HOME": str(tmp_path), "AGENTCLI_HOME": str(home), "ANTHROPIC_API_KEY": "k", **more}
    with open_session(parse_args([]), project, env, headless=False) as session:
        engine = session.make_engine(ScriptedAsker())
        parts = engine._parts  # pyright: ignore[reportPrivateUsage]  # the spec is not kept
        assert parts.run_deps(parts).compact.rules == expected
        await engine.aclose()


@pytest.mark.parametrize(
    ("settings", "argv", "left"),
    [
        ({}, [], 1),
        ({"cleanupPeriodDays": 1}, [], 0),
        ({"cleanupPeriodDays": 1}, ["-p", "x", "--no-session-persistence"], 2),
    ],
)
async def test_old_sessions_are_removed_behind_the_start(
    tmp_path: Path, settings: dict[str, object], argv: list[str], left: int
) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    folder = home / "projects" / "-elsewhere"
    folder.mkdir(parents=True)
    project.mkdir()
    (home / "settings.json").write_text(json.dumps(settings))
    for days in (2, 31):
        session = folder / f"{new_uuid()}.jsonl"
        session.write_text("{}\n")
        then = time() - days * 86_400
        os.utime(session, (then, then))
    env = {"HOME": str(tmp_path), "AGENTCLI_HOME": str(home), "ANTHROPIC_API_KEY": "k"}
    with open_session(parse_args(argv), project, env, headless=bool(argv)) as session:
        engine = session.make_engine(ScriptedAsker())
        for thread in threading.enumerate():
            if thread.name == "cleanup":
                thread.join(10)
        assert len(list(folder.iterdir())) == left
        await engine.aclose()


@pytest.mark.parametrize(
    ("settings", "kept"), [({}, True), ({"fileCheckpointingEnabled": False}, False)]
)
async def test_whether_files_are_kept_for_a_rewind(
    tmp_path: Path, settings: dict[str, object], kept: bool
) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    (home / "settings.json").write_text(json.dumps(settings))
    env = {"HOME": str(tmp_path), "AGENTCLI_HOME": str(home), "ANTHROPIC_API_KEY": "k"}
    with open_session(parse_args([]), project, env, headless=False) as session:
        engine = session.make_engine(ScriptedAsker())
        parts = engine._parts  # pyright: ignore[reportPrivateUsage]  # the spec is not kept
        assert (parts.checkpoints is not None) is kept
        await engine.aclose()


def test_a_home_that_cannot_be_written_is_told_with_the_very_place(tmp_path: Path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "projects").write_text("a file in the folder's place")
    env = {"HOME": str(tmp_path), "AGENTCLI_HOME": str(home), "ANTHROPIC_API_KEY": "k"}
    with (
        pytest.raises(UsageError) as caught,
        open_session(parse_args([]), tmp_path, env, headless=False),
    ):
        pass
    assert str(home / "projects") in caught.value.message
    assert "not a folder" in caught.value.message
