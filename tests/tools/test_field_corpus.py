"""The tools meet every awkward input that users of such agents have reported."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from agentcli.protocol.blocks import content_text
from agentcli.protocol.calls import ToolResult
from agentcli.protocol.errors import ToolError
from tests.corpora.field.judge import load_manifest, problems, unpack
from tests.tools.helpers import Bench

# Cases of tools that do not exist here, by id, with the reason.
NOT_YET = {"F043-ipynb-roundtrip": "needs the NotebookEdit tool"}

CASES = [case for case in load_manifest() if case["kind"] == "tool"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("field")
    unpack(folder)
    return folder


def test_left_out_cases_exist() -> None:
    ids = {case["id"] for case in CASES}
    assert set(NOT_YET) <= ids
    assert len(ids) == len(CASES) == 70


@pytest.mark.parametrize(
    "case", [c for c in CASES if c["id"] not in NOT_YET], ids=lambda c: c["id"]
)
async def test_case(case: dict[str, Any], corpus: Path) -> None:
    folder = corpus / case["id"]
    folder.mkdir(exist_ok=True)
    bench = Bench(folder)
    result = ToolResult("")
    started = time.monotonic()
    for step in case["steps"]:
        started = time.monotonic()
        if "do" in step:
            _act(step, folder)
        else:
            result = await _call(bench, step, folder)
    seconds = time.monotonic() - started
    blocks = result.content if isinstance(result.content, list) else []
    found = problems(
        case,
        folder,
        is_error=result.is_error,
        text=content_text(result.content),
        seconds=seconds,
        has_image=any(block["type"] == "image" for block in blocks),
    )
    assert not found, content_text(result.content)[:2000]


async def _call(bench: Bench, step: dict[str, Any], folder: Path) -> ToolResult:
    fixed = {
        key: value.replace("{D}", str(folder)) if isinstance(value, str) else value
        for key, value in step["input"].items()
    }
    try:
        return await bench.run(step["tool"], **fixed)
    except ToolError as error:
        return ToolResult(error.message, is_error=True)


def _act(step: dict[str, Any], folder: Path) -> None:
    path = Path(step["path"].replace("{D}", str(folder)))
    if step["do"] == "touch":
        os.utime(path, (1, 1))
        return
    with path.open("ab" if step["do"] == "append" else "wb") as file:
        file.write(bytes.fromhex(step["hex"]))
