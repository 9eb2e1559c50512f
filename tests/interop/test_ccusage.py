"""Tokens as ``ccusage`` counts them are those of the final usage of each response, copies once."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.interop.home import Sessions, total_usage

pytestmark = pytest.mark.slow
_NAMES = {
    "inputTokens": "input_tokens",
    "outputTokens": "output_tokens",
    "cacheCreationTokens": "cache_creation_input_tokens",
    "cacheReadTokens": "cache_read_input_tokens",
}


def report(program: str, command: str, home: Path) -> dict[str, Any]:
    env = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home / "none")}
    env["CLAUDE_CONFIG_DIR"] = str(home)
    done = subprocess.run(
        [program, command, "--json", "--offline", "--timezone", "UTC"],
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0 and not done.stderr.strip(), done.stderr
    return json.loads(done.stdout)


def counted(row: dict[str, Any]) -> dict[str, int]:
    return {ours: row[theirs] for theirs, ours in _NAMES.items()}


@pytest.mark.parametrize("command", ["session", "daily"])
def test_the_sums_agree(ccusage: str, sessions: Sessions, command: str) -> None:
    wanted = total_usage(list(sessions.files.values()))
    assert all(wanted.values())
    assert counted(report(ccusage, command, sessions.home)["totals"]) == wanted


def test_each_session_alone_has_its_own_sum(ccusage: str, sessions: Sessions) -> None:
    rows = report(ccusage, "session", sessions.home)["session"]
    found = {row["period"]: counted(row) for row in rows}
    for name in ("rewound", "torn", "long", "compacted"):
        assert found[sessions.id(name)] == total_usage([sessions.files[name]]), name


def test_a_fork_and_a_branch_add_only_what_was_said_in_them(
    ccusage: str, sessions: Sessions, tmp_path: Path
) -> None:
    for copy, source in (("forked", "stopped"), ("branched", "plain")):
        home = tmp_path / copy
        folder = home / "projects" / sessions.files[copy].parent.name
        folder.mkdir(parents=True)
        pair = [sessions.files[copy], sessions.files[source]]
        for file in pair:
            shutil.copy(file, folder)
        both = counted(report(ccusage, "daily", home)["totals"])
        assert both == total_usage(pair)
        alone = [total_usage([file])["output_tokens"] for file in pair]
        assert max(alone) <= both["output_tokens"] < sum(alone)
