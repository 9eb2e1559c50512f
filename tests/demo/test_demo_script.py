"""The demo walked to its ends: real files, real test runs, and every scene by its word."""

import asyncio
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentcli.demo.script import demo_script
from agentcli.demo.server import ScriptedServer
from agentcli.demo.workspace import make_workspace
from tests.demo.test_workspace import run_tests
from tests.demo.wire import TOOLS, ask, assistant, post, request_body, result, user, words

DENIED = "The user did not allow this call. Stop and wait for what the user says."
Answer = tuple[str, bool]
Override = Callable[[dict[str, Any]], Answer | None]


def execute(block: dict[str, Any], cwd: Path) -> Answer:
    """Small stand-ins for the tools, with their names and inputs."""
    given = block["input"]
    try:
        match block["name"]:
            case "Read":
                lines = Path(given["file_path"]).read_text().splitlines()
                return "\n".join(f"{n}\t{line}" for n, line in enumerate(lines, 1)), False
            case "Grep":
                hits = [
                    f"{path}:{n}:{line}"
                    for path in sorted(Path(given["path"]).rglob("*.py"))
                    for n, line in enumerate(path.read_text().splitlines(), 1)
                    if re.search(given["pattern"], line)
                ]
                return "\n".join(hits), False
            case "Edit":
                path = Path(given["file_path"])
                old = path.read_text()
                if old.count(given["old_string"]) != 1:
                    return "old_string was not found exactly once", True
                path.write_text(old.replace(given["old_string"], given["new_string"]))
                return "The file was changed.", False
            case "Write":
                Path(given["file_path"]).write_text(given["content"])
                return "The file was written.", False
            case _:
                run = subprocess.run(
                    given["command"], shell=True, cwd=cwd, capture_output=True, text=True
                )
                code = f"Exit code {run.returncode}\n" if run.returncode else ""
                return code + run.stdout + run.stderr, run.returncode != 0
    except OSError as error:
        return str(error), True


class Talk:
    """A conversation with the demo, its calls executed or overridden."""

    def __init__(self, server: ScriptedServer, cwd: Path, python: str = sys.executable) -> None:
        facts = f"Facts:\nWorking directory: {cwd}\nPython: {python}"
        reminder = words(f"<system-reminder>\n{facts}\n</system-reminder>")
        self.server, self.cwd = server, cwd
        self.messages: list[Any] = [user(reminder)]
        self.steps: list[list[str]] = []

    async def prompt(self, text: str, override: Override = lambda block: None) -> str:
        """The final text; ``steps`` gets the names of the calls of each message."""
        self.steps = []
        self.messages.append(user(words(text)))
        thinking = {"type": "adaptive"}
        while True:
            message = await ask(self.server, self.messages, tools=TOOLS, thinking=thinking)
            self.messages.append(assistant(*message["content"]))
            calls = [block for block in message["content"] if block["type"] == "tool_use"]
            if not calls:
                return "".join(b["text"] for b in message["content"] if b["type"] == "text")
            self.steps.append([block["name"] for block in calls])
            results = []
            for block in calls:
                output, failed = override(block) or execute(block, self.cwd)
                results.append(
                    result(block["id"], output, **({"is_error": True} if failed else {}))
                )
            self.messages.append(user(*results))


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    spaced = tmp_path / "with space"
    spaced.mkdir()
    return make_workspace(spaced)


@pytest.fixture
async def server() -> Any:
    async with ScriptedServer(demo_script, pace=0) as running:
        yield running


def on(name: str, answer: Answer) -> Override:
    return lambda block: answer if block["name"] == name else None


@pytest.mark.parametrize("words", ["fix the failing test", "A test fails here, why?", "Bug!"])
async def test_the_fix_is_real(server: ScriptedServer, cwd: Path, words: str) -> None:
    talk = Talk(server, cwd)
    final = await talk.prompt(words)
    assert talk.steps == [["Grep", "Read"], ["Read"], ["Edit"], ["Bash"]]
    assert final.startswith("Fixed: ")
    assert "All 6 tests pass." in final
    assert run_tests(cwd).returncode == 0
    kinds = [block["type"] for block in talk.messages[2]["content"]]
    assert kinds == ["thinking", "text", "tool_use", "tool_use"]
    # Asked again, it finds nothing to change and says so.
    final = await talk.prompt(words)
    assert talk.steps == [["Grep", "Read"], ["Read"], ["Bash"]]
    assert final.startswith("I changed nothing") and "All 6 tests pass." in final


async def test_a_python_with_a_space_in_its_path(server: ScriptedServer, cwd: Path) -> None:
    link = cwd.parent / "my python"
    link.symlink_to(sys.executable)
    assert "All 6 tests pass." in await Talk(server, cwd, str(link)).prompt("fix it")


async def test_a_denied_edit_is_taken_as_said(server: ScriptedServer, cwd: Path) -> None:
    before = (cwd / "shop/cart.py").read_text()
    talk = Talk(server, cwd)
    final = await talk.prompt("fix the failing test", on("Edit", (DENIED, True)))
    assert talk.steps[-1] == ["Edit"]
    assert "not allowed" in final and "I leave shop/cart.py as it is" in final
    assert "+        return round(subtotal * (1 - discount), 2)" in final
    assert (cwd / "shop/cart.py").read_text() == before


@pytest.mark.parametrize(
    ("name", "answer", "said"),
    [
        ("Edit", ("old_string was not found", True), "The edit of shop/cart.py failed"),
        ("Read", ("No such file: x", True), "can only fix the sample project"),
        ("Read", (DENIED, True), "I was not allowed to read shop/cart.py"),
        ("Bash", (DENIED, True), "The tests were not run, so I cannot say that they pass"),
        ("Bash", ("Not run: the user interrupted.", True), "The tests were not run"),
        ("Bash", ("Exit code 127\npython: not found", True), "python: not found"),
        ("Bash", ("Exit code 1\nRan 6 tests in 0.1s\n\nFAILED (errors=1)", True), "not all pass"),
    ],
)
async def test_it_reports_what_really_happened(
    server: ScriptedServer, cwd: Path, name: str, answer: Answer, said: str
) -> None:
    final = await Talk(server, cwd).prompt("fix the failing test", on(name, answer))
    assert said in final
    assert "tests pass." not in final


async def test_without_facts_paths_are_relative_and_python_is_python() -> None:
    async with ScriptedServer(demo_script, pace=0) as server:
        message = await ask(server, "fix the failing test", tools=TOOLS)
        assert message["content"][2]["input"] == {
            "pattern": "discount",
            "path": ".",
            "output_mode": "content",
        }
        assert message["content"][3]["input"] == {"file_path": "shop/cart.py"}
        message = await ask(server, "fix the failing test")
        assert "not offered here: Bash, Edit, Grep, Read" in message["content"][0]["text"].replace(
            "Grep, Read, Edit, Bash", "Bash, Edit, Grep, Read"
        )


async def test_facts_in_the_system_prompt_count_too() -> None:
    system = "You are an agent.\n- Working directory: /somewhere else/\n"
    async with ScriptedServer(demo_script, pace=0) as server:
        message = await ask(server, "write", tools=TOOLS, system=system)
    assert message["content"][1]["input"]["file_path"] == "/somewhere else/NOTES.md"


async def test_thinking(server: ScriptedServer, cwd: Path) -> None:
    talk = Talk(server, cwd)
    await talk.prompt("thinking")
    block = talk.messages[-1]["content"][0]
    assert block["type"] == "thinking" and len(block["thinking"]) > 1500


async def test_parallel(server: ScriptedServer, cwd: Path) -> None:
    talk = Talk(server, cwd)
    final = await talk.prompt("parallel")
    assert talk.steps == [["Read", "Read", "Read", "Grep", "Grep"]]
    lines = len((cwd / "shop/cart.py").read_text().splitlines())
    assert f"Read `cart.py`: {lines} lines came back" in final
    final = await talk.prompt("parallel", on("Grep", (DENIED, True)))
    assert "Grep `discount`: not done (The user did not allow this call." in final


async def test_denied(server: ScriptedServer, cwd: Path) -> None:
    talk = Talk(server, cwd)
    assert "`build` stays as it is" in await talk.prompt("denied", on("Bash", (DENIED, True)))
    assert (cwd / "build/report.txt").exists()
    assert "`build` is gone" in await talk.prompt("denied")
    assert not (cwd / "build").exists()
    assert "failed:\n\n```text\nno rm" in await talk.prompt("denied", on("Bash", ("no rm", True)))


async def test_markdown(server: ScriptedServer, cwd: Path) -> None:
    answer = await Talk(server, cwd).prompt("show me some markdown")
    assert len(answer) >= 6000
    for piece in ("```python", "```typescript", "```bash", "\n| ", "\n> ", "\n  - ", "日本", "🛒"):
        assert piece in answer
    assert re.search(r"\[[^]]+\]\(https://", answer)
    assert answer.count("```") % 2 == 0


@pytest.mark.parametrize(("prompt", "status"), [("error", 529), ("rate limit", 429)])
async def test_errors_pass_at_the_second_attempt(
    server: ScriptedServer, prompt: str, status: int
) -> None:
    body = request_body(prompt, stream=True)
    first = await post(server, body)
    assert first.status_code == status
    assert float(first.headers["retry-after"]) in {1.0, 2.0}
    second = await ask(server, prompt)
    assert f"({status}); attempt 2 got through" in second["content"][0]["text"]
    # Another conversation has its own count.
    other = await post(server, request_body([user("hi"), assistant("yes"), user(prompt)]))
    assert other.status_code == status


async def test_interrupt_is_slow_enough_to_be_stopped() -> None:
    async with ScriptedServer(demo_script) as server:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.7):
                await ask(server, "interrupt")
    async with ScriptedServer(demo_script, pace=0) as server:
        assert len((await ask(server, "interrupt"))["content"][0]["text"]) > 2500


async def test_write(server: ScriptedServer, cwd: Path) -> None:
    talk = Talk(server, cwd)
    assert "would have written" in await talk.prompt("write", on("Write", (DENIED, True)))
    assert not (cwd / "NOTES.md").exists()
    assert "NOTES.md is written, 5 lines." in await talk.prompt("write")
    assert len((cwd / "NOTES.md").read_text().splitlines()) == 5
    assert "could not be written" in await talk.prompt("write", on("Write", ("disk full", True)))


async def test_anything_else_lists_what_there_is(server: ScriptedServer, cwd: Path) -> None:
    answer = await Talk(server, cwd).prompt("hello there")
    assert "I am a scripted model" in answer
    listed = re.findall(r"^- \*\*(.+?)\*\*", answer, re.MULTILINE)
    assert len(listed) == 9
    for word in listed:
        other = await post(server, request_body(word, tools=TOOLS))
        assert "I understand only a few words" not in other.text


async def test_long_prompts_start_no_scene(server: ScriptedServer, cwd: Path) -> None:
    talk = Talk(server, cwd)
    await talk.prompt("fix the failing test")
    answer = await talk.prompt("Please summarise errors and tests of this conversation. " * 20)
    assert talk.steps == []
    assert "- fix the failing test" in answer and "- Edit " in answer
    assert "I am a scripted model" in await talk.prompt("fix this test " * 40)


async def test_it_looks_alive_at_pace_one() -> None:
    async with ScriptedServer(demo_script) as server:
        begun = time.monotonic()
        message = await ask(server, "hello")
        expected = len(message["content"][0]["text"]) / 12 * 0.02
        assert expected * 0.9 <= time.monotonic() - begun < expected + 1
