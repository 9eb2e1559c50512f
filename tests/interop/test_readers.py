"""``claude-code-log`` and ``claude-code-transcripts`` read all that the product writes."""

import contextlib
import html
import io
import logging
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.interop.home import Sessions, lines_of, total_usage

pytestmark = pytest.mark.slow
_READ_AS_ENTRIES = ("user", "assistant", "system", "attachment", "queue-operation")


def load(converter: ModuleType, folder: Path) -> tuple[list[Any], list[str]]:
    """All entries of a folder, and what was printed about them."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        messages, _ = converter.load_directory_transcripts(folder)
    said = [line for line in out.getvalue().splitlines() if not line.startswith("Processing ")]
    return messages, said


def first_usage(files: list[Path]) -> int:
    """Output figures of the first line of each response."""
    first: dict[str, int] = {}
    for file in files:
        for data in lines_of(file):
            if data["type"] == "assistant" and "requestId" in data:
                first.setdefault(data["requestId"], data["message"]["usage"]["output_tokens"])
    return sum(first.values())


def test_claude_code_log_takes_every_line_and_warns_of_nothing(
    converter: ModuleType, sessions: Sessions, caplog: pytest.LogCaptureFixture
) -> None:
    files = list(sessions.files.values())
    with caplog.at_level(logging.WARNING):
        messages, said = load(converter, files[0].parent)
    # the line that was cut by a kill, and no other
    assert len(said) == 1 and sessions.id("torn") in said[0] and "JSON decode error" in said[0]
    assert not caplog.records, caplog.text
    lines = [data for file in files for data in lines_of(file)]
    known = [data for data in lines if data["type"] in _READ_AS_ENTRIES]
    ours = {data["uuid"] for data in known if "uuid" in data}
    assert {message.uuid for message in messages if getattr(message, "uuid", None)} == ours
    assert len(messages) == len(ours) + sum("uuid" not in data for data in known)


def test_claude_code_log_counts_the_same_tokens(converter: ModuleType, sessions: Sessions) -> None:
    files = list(sessions.files.values())
    messages, _ = load(converter, files[0].parent)
    found = converter.compute_project_aggregates(messages)
    wanted = total_usage(files)
    for name in ("input", "cache_creation", "cache_read"):
        key = f"{name}_tokens" if name == "input" else f"{name}_input_tokens"
        assert found[f"total_{name}_tokens"] == wanted[key] > 0, name
    # It takes the first line of a response, which is on disk before the final figure is known.
    assert found["total_output_tokens"] == first_usage(files)


@pytest.mark.parametrize("form", ["html", "md"])
def test_claude_code_log_renders_every_session(
    converter: ModuleType, sessions: Sessions, tmp_path: Path, form: str
) -> None:
    folder = sessions.files["plain"].parent
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        made = converter.convert_jsonl_to(
            form, folder, tmp_path / f"all.{form}", use_cache=False, silent=True
        )
    text = "".join(file.read_text() for file in Path(made).parent.rglob(f"*.{form}"))
    for name, prompts in sessions.prompts.items():
        for prompt in prompts:
            if not prompt.startswith(("!", "odd")):
                assert prompt in text, (name, prompt)


def test_claude_code_transcripts_shows_every_prompt(
    transcripts: ModuleType, sessions: Sessions, tmp_path: Path
) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        done = transcripts.generate_batch_html(sessions.home / "projects", tmp_path / "out")
    assert done["failed_sessions"] == []
    assert done["total_sessions"] == len(sessions.files)
    for name, prompts in sessions.prompts.items():
        pages = sorted((tmp_path / "out").rglob(f"{sessions.id(name)}/page-*.html"))
        shown = html.unescape("".join(page.read_text() for page in pages))
        for prompt in prompts:
            assert html.unescape(prompt.lstrip("!")).split("\u2028")[0].strip() in shown, prompt
    found = transcripts.find_local_sessions(sessions.home / "projects", limit=100)
    first = {path.stem: summary for path, summary in found}
    for name, file in sessions.files.items():
        prompt = next(data for data in lines_of(file) if data["type"] == "user")
        assert first[file.stem] == prompt["message"]["content"], name
