"""Settings that reach the engine."""

import json
from pathlib import Path

import pytest

from agentcli.cli.args import parse_args
from agentcli.cli.startup import open_session
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
