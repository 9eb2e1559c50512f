"""Images in prompts: checked before anything is logged, sent as they are, given back whole."""

import asyncio
import base64
import json
from typing import Any

import pytest

from agentcli.demo.reply import Reply, text
from agentcli.engine.images import image_block
from agentcli.protocol.blocks import Block
from agentcli.protocol.errors import UsageError
from agentcli.protocol.events import PromptAdded, RunStarted, StateChanged
from agentcli.protocol.prompts import Queued
from tests.engine.conftest import Bench, settled
from tests.engine.pictures import png
from tests.engine.test_run import steps

GIF = b"GIF89a\x02\0\x03\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x02\0\x03\0\0\x02\x02D\x01\0;"
SEE: Block = {"type": "text", "text": "see"}


def image(media_type: str, data: str) -> Block:
    source = {"type": "base64", "media_type": media_type, "data": data}
    return {"type": "image", "source": source}


async def test_text_and_image_go_as_they_are_and_come_back_after_a_resume(bench: Bench) -> None:
    server = await bench.serve(steps(Reply([text("a pixel")])))
    engine = bench.engine(server)
    content = [{"type": "text", "text": "what is it?"}, image_block(png(2, 1)), image_block(GIF)]
    await engine.prompt(content)
    await settled(bench)
    sent = server.requests[0].body["messages"][-1]["content"]
    assert [strip(block) for block in sent[-3:]] == content
    assert sent[-2]["source"]["media_type"] == "image/png"
    assert bench.of(PromptAdded)[0].content == content
    (again,) = [event for event in engine.replay() if isinstance(event, PromptAdded)]
    assert again.content == content


def strip(block: Block) -> Block:
    return {key: value for key, value in block.items() if key != "cache_control"}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"plain text", "no PNG, JPEG, GIF or WebP"),
        (b"BM" + bytes(100), "no PNG"),
        (png(2, 1)[:-3], "damaged or cut short"),
        (png(0, 1), "no pixels"),
        (png(8001, 1), "8001 by 1"),
        (png(9, 9, bytes(4 << 20)), "too large"),
        (b"\x89PNG\r\n\x1a\n", "damaged"),
        (b"GIF89a", "damaged"),
        (b"\xff\xd8\xff", "damaged"),
        (b"RIFF\0\0\0\0WEBP", "damaged"),
    ],
)
def test_what_cannot_be_sent_is_refused_in_a_line(data: bytes, words: str) -> None:
    with pytest.raises(UsageError, match=words) as refused:
        image_block(data)
    assert "\n" not in refused.value.message


@pytest.mark.parametrize(
    "content",
    [
        [],
        [{"type": "text", "text": " "}],
        [SEE, image("image/jpeg", base64.b64encode(png(1, 1)).decode())],
        [SEE, image("image/png", "not base64!")],
        [SEE, image("image/png", base64.b64encode(b"no image").decode())],
        [SEE, {"type": "image", "source": {"type": "url", "url": "http://127.0.0.1/x.png"}}],
        [SEE, {"type": "tool_result", "tool_use_id": "x", "content": "x"}],
    ],
)
async def test_a_bad_prompt_is_neither_logged_nor_queued(bench: Bench, content: Any) -> None:
    server = await bench.serve(steps(), pace=1)
    engine = bench.engine(server)
    with pytest.raises(UsageError):
        await engine.prompt(content)
    assert not engine.running and not list(bench.home.glob("projects/*/*"))
    run = asyncio.ensure_future(engine.prompt("go"))
    await asyncio.sleep(0)
    with pytest.raises(UsageError):
        await engine.prompt(content)
    assert engine.queued() == ()
    await run
    await settled(bench)
    assert len(bench.of(RunStarted)) == 1


async def test_the_queue_carries_images_and_gives_them_back(bench: Bench) -> None:
    server = await bench.serve(steps(), pace=1)
    engine = bench.engine(server)
    run = asyncio.ensure_future(engine.prompt("go"))
    await asyncio.sleep(0)
    first = [SEE, image_block(png(1, 1))]
    second = [image_block(png(1, 2)), image_block(png(1, 3))]
    await engine.prompt(first)
    await engine.prompt(second)
    await settled(bench)
    labels = [e.value for e in bench.of(StateChanged) if e.what == "queue"]
    assert labels[-1] == ("see [image]", "[2 images]")
    assert engine.take_back() == Queued(second)
    await run
    body = json.dumps(server.requests[-1].body)
    assert base64.b64encode(png(1, 1)).decode() in body
    assert base64.b64encode(png(1, 2)).decode() not in body


def test_words_and_label_of_what_waits() -> None:
    assert (Queued("a").text, Queued("ls", shell=True).text) == ("a", "!ls")
    mixed = Queued([SEE, image_block(png(1, 1))])
    assert (mixed.text, mixed.label) == ("see", "see [image]")
