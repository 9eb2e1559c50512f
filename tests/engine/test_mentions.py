"""Files and folders that a prompt mentions: read, logged, sent; or left out with one line."""

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentcli.demo.reply import Reply, text, tool_use
from agentcli.engine.engine import Engine
from agentcli.permissions.rules import parse_rules
from agentcli.protocol.events import Notice, PromptAdded
from tests.engine.conftest import Bench, settled
from tests.engine.pictures import png
from tests.engine.test_run import results, steps


def sent(body: dict[str, Any]) -> list[Any]:
    """Texts of the last message without our note on the surroundings; other blocks by type."""
    blocks = body["messages"][-1]["content"]
    found = [b["text"] if b["type"] == "text" else b["type"] for b in blocks]
    return [item for item in found if not item.startswith("<system-reminder>")]


def lines_of(bench: Bench, engine: Engine) -> list[dict[str, Any]]:
    return [json.loads(line) for line in bench.session_path(engine).read_text().splitlines()]


async def test_a_mentioned_file_goes_before_the_prompt_and_counts_as_read(bench: Bench) -> None:
    path = bench.project / "a.txt"
    path.write_text("alpha\nbeta\n")
    edit = tool_use(
        "Edit", {"file_path": str(path), "old_string": "beta", "new_string": "gamma"}, "t0"
    )
    server = await bench.serve(steps(Reply([edit])))
    engine = bench.engine(server, "acceptEdits")
    await engine.prompt("change beta in @a.txt, please")
    await settled(bench)
    name = str(path)
    assert sent(server.requests[0].body) == [
        f'<mentioned-file path="{name}">\n1\talpha\n2\tbeta\n</mentioned-file>',
        "change beta in @a.txt, please",
    ]
    assert not results(server.requests[1].body)["t0"][1] and path.read_text() == "alpha\ngamma\n"
    kinds = [(x["type"], x.get("attachment", {}).get("type")) for x in lines_of(bench, engine)]
    assert kinds[2:4] == [("attachment", "file"), ("user", None)]
    (prompt,) = bench.of(PromptAdded)
    assert prompt.attached == ("a.txt",) and prompt.content == "change beta in @a.txt, please"
    assert bench.of(Notice) == []
    (again,) = [event for event in engine.replay() if isinstance(event, PromptAdded)]
    assert again == prompt


async def test_ranges_folders_spaces_and_images(bench: Bench) -> None:
    (bench.project / "src").mkdir()
    (bench.project / "src" / "one.py").write_text("x\n")
    (bench.project / "src" / "lib").mkdir()
    (bench.project / "a b.txt").write_text("".join(f"line {n}\n" for n in range(1, 31)))
    (bench.project / "pic.png").write_bytes(png(4, 5))
    server = await bench.serve(steps())
    engine = bench.engine(server)
    await engine.prompt('see @"a b.txt"#L10-11 and @src/ and @pic.png, again @src/')
    await settled(bench)
    lines, folder, opening, image, closing, words = sent(server.requests[0].body)
    assert 'lines="10-11">' in lines and "line 10\n" in lines and "line 11\n" in lines
    assert "line 9\n" not in lines and "line 12" not in lines
    place = bench.project / "src"
    assert folder == f'<mentioned-folder path="{place}">\nlib/\none.py\n</mentioned-folder>'
    assert (image, closing) == ("image", "</mentioned-file>") and "pic.png" in opening
    assert words.startswith("see @")
    assert bench.of(PromptAdded)[0].attached == ("a b.txt:10-11", "src/", "pic.png")


async def test_what_may_not_be_read_is_left_out_with_one_line(bench: Bench) -> None:
    outside = bench.project.parent / "elsewhere.txt"
    outside.write_text("OUTSIDE")
    for name in (".env", "denied.txt", "asks.txt"):
        (bench.project / name).write_text(f"HIDDEN {name}")
    os.symlink(outside, bench.project / "link.txt")
    os.symlink(bench.project / ".env", bench.project / "plain.txt")
    os.mkfifo(bench.project / "pipe.txt")
    (bench.project / "prog.bin").write_bytes(b"\x7fELF\0\0\0")
    (bench.project / "d").mkdir()
    (bench.project / "d" / "denied.txt").write_text("x")
    server = await bench.serve(steps())
    policy = bench.spec(server).policy
    rules = {
        "deny": tuple(parse_rules(["Read(denied.txt)"], "deny", "flag", policy.cwd).rules),
        "ask": tuple(parse_rules(["Read(asks.txt)"], "ask", "flag", policy.cwd).rules),
    }
    engine = bench.engine(server, policy=replace(policy, **rules))
    words = (
        f"@.env @plain.txt @denied.txt @asks.txt @link.txt @{outside} @../ @no/such.py @pipe.txt "
        "@prog.bin @someone @d/"
    )
    await asyncio.wait_for(engine.prompt(words), 20)
    await settled(bench)
    listing, prompt = sent(server.requests[0].body)
    assert prompt == words and "(empty)" in listing
    body = json.dumps(server.requests[0].body["messages"])
    assert "HIDDEN" not in body and "OUTSIDE" not in body
    (notice,) = bench.of(Notice)
    assert notice.level == "warning" and notice.text.startswith("not attached: @.env (it may hold")
    for name in ("plain.txt", "denied.txt", "asks.txt", "link.txt", "no/such.py", "pipe.txt"):
        assert f"@{name} (" in notice.text
    assert "@someone" not in notice.text
    assert bench.asker.asked == []


async def test_an_allow_rule_that_names_a_secret_file_lets_it_through(bench: Bench) -> None:
    (bench.project / ".env").write_text("PORT=1\n")
    server = await bench.serve(steps())
    policy = bench.spec(server).policy
    allow = tuple(parse_rules(["Read(./.env)"], "allow", "flag", policy.cwd).rules)
    engine = bench.engine(server, policy=replace(policy, allow=allow))
    await engine.prompt("look at @.env")
    assert "PORT=1" in sent(server.requests[0].body)[0]


async def test_too_much_for_one_prompt(bench: Bench) -> None:
    for n in range(25):
        (bench.project / f"f{n}.txt").write_text("x\n")
    for n in range(6):
        (bench.project / f"big{n}.txt").write_text(f"{'y' * 78}\n" * 1100)
    server = await bench.serve(steps())
    engine = bench.engine(server)
    await engine.prompt(" ".join(f"@f{n}.txt" for n in range(25)))
    await engine.prompt(" ".join(f"@big{n}.txt" for n in range(6)))
    await settled(bench)
    first, second = bench.of(PromptAdded)
    assert len(first.attached) == 20 and len(second.attached) == 4
    assert ["at most 20" in n.text for n in bench.of(Notice)] == [True, False]
    assert "@big4.txt (too much" in bench.of(Notice)[1].text


async def test_a_prompt_survives_an_interrupt_while_its_files_are_read(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bench.project / "a.txt").write_text("x\n")
    server = await bench.serve(steps())
    engine = bench.engine(server)
    run = asyncio.ensure_future(engine.prompt("see @a.txt"))
    await asyncio.sleep(0)
    assert engine.interrupt()
    result = await run
    assert result is not None and result.outcome == "interrupted" and not server.requests
    await engine.prompt("go on")
    texts = sent(server.requests[0].body)
    assert texts[0] == "see @a.txt" and texts[-1] == "go on"


async def test_a_resumed_session_sends_the_same_files_again(bench: Bench) -> None:
    (bench.project / "a.txt").write_text("alpha\n")
    server = await bench.serve(steps(Reply([text("one")])))
    engine = bench.engine(server)
    await engine.prompt("see @a.txt")
    await engine.aclose()
    (bench.project / "a.txt").write_text("changed\n")
    again = bench.engine(server, resume=bench.session_path(engine))
    await again.prompt("more")
    first, second = (exchange.body["messages"] for exchange in server.requests)
    assert strip(second[0]) == strip(first[0]) and "alpha" in json.dumps(second[0])
    assert Path(again.cwd) == bench.project


def strip(message: dict[str, Any]) -> list[dict[str, Any]]:
    return [{k: v for k, v in b.items() if k != "cache_control"} for b in message["content"]]
