"""Read shows what is there, or says plainly why not."""

import base64
import json
import os
import struct
import time
import zlib
from pathlib import Path
from typing import Any

import pytest

from agentcli.protocol.blocks import content_text
from agentcli.tools import read_lines
from agentcli.tools.media import pdf_page_count
from tests.tools.helpers import Bench


def png(width: int = 3, height: int = 2) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"\0" * (width + 1) * min(height, 100))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )


JPEG = (
    b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0"
    b"\xff\xc0\0\x0b\x08\0\x05\0\x07\x01\x01\x11\0" + b"\xff\xda\0\x02\x11\x22\xff\xd9"
)
GIF = b"GIF89a\x07\0\x05\0\0\0\0,\0;"
WEBP = (
    b"RIFF"
    + struct.pack("<I", 30)
    + b"WEBPVP8X\x0a\0\0\0\0\0\0\0\x06\0\0\x04\0\0"
    + b"VP8 \0\0\0\0"
)


def pdf(pages: int) -> bytes:
    return b"%PDF-1.4\n/Type /Pages\n" + b"<< /Type /Page >>\n" * pages + b"%%EOF\n"


async def test_numbers_text_and_details(bench: Bench) -> None:
    path = bench.root / "f"
    path.write_bytes(b"\tone\r\ntwo  \n\nx\x0cy\xe2\x80\xa8z")
    result = await bench.run("Read", file_path="f")
    assert result.content == "1\t\tone\n2\ttwo  \n3\t\n4\tx\x0cy\u2028z"
    assert result.details == {
        "type": "text",
        "file": {"filePath": str(path), "numLines": 4, "startLine": 1, "totalLines": 4},
    }


@pytest.mark.parametrize(
    ("offset", "limit", "lines"),
    [
        (3, 2, "[Lines 3-4 of 5]\n3\tc\n4\td"),
        (4, None, "4\td\n5\te"),
        (0, 1, "[Lines 1-1 of 5]\n1\ta"),
    ],
)
async def test_ranges(bench: Bench, offset: int, limit: int | None, lines: str) -> None:
    (bench.root / "f").write_text("a\nb\nc\nd\ne\n")
    assert await bench.text("Read", file_path="f", offset=offset, limit=limit) == lines


async def test_empty_and_past_the_end(bench: Bench) -> None:
    (bench.root / "empty").touch()
    (bench.root / "f").write_text("a\nb\n")
    assert "is empty" in await bench.text("Read", file_path="empty")
    assert "only 2 lines" in await bench.text("Read", file_path="f", offset=9)
    assert "limit" in await bench.fails("Read", file_path="f", limit=0)
    assert "offset" in await bench.fails("Read", file_path="f", offset=-1)


async def test_long_file_is_shown_in_part(bench: Bench) -> None:
    (bench.root / "f").write_text("x\n" * 2_500)
    text = await bench.text("Read", file_path="f")
    assert text.startswith("[PARTIAL view: lines 1-2000 of 2500")
    assert text.count("\n") == 2_000
    assert (await bench.text("Read", file_path="f", offset=2_001)).count("\n") == 499


async def test_token_limit(bench: Bench) -> None:
    bench.ctx.env = {"CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS": "100"}
    (bench.root / "f").write_text("0123456789\n" * 50)
    text = await bench.text("Read", file_path="f")
    assert "PARTIAL view: lines 1-23 of 50" in text and len(text) < 700
    message = await bench.fails("Read", file_path="f", offset=1, limit=50)
    assert "smaller limit" in message
    (bench.root / "long").write_text("y" * 5_000 + "\nz\n")
    text = await bench.text("Read", file_path="long")
    assert "line 1 alone has 5000 characters" in text and text.endswith("\ty" + "y" * 399)
    assert "Line 1 is longer" in await bench.fails("Read", file_path="long", offset=1, limit=2)
    assert await bench.text("Read", file_path="long", offset=2) == "2\tz"


async def test_default_limit_is_about_25k_tokens(bench: Bench) -> None:
    (bench.root / "f").write_text(("x" * 190 + "\n") * 1_900)
    text = await bench.text("Read", file_path="f")
    assert "PARTIAL" in text and 95_000 < len(text) < 101_000


async def test_huge_file_is_not_loaded(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    path = bench.root / "f"
    with path.open("wb") as file:
        file.write(b"first\nsecond\n")
        file.truncate(3 << 30)
    started = time.monotonic()
    text = await bench.text("Read", file_path="f", offset=2, limit=1)
    assert "2\tsecond" in text and str(3 << 30) in text
    assert "binary" in await bench.fails("Read", file_path="f", offset=3, limit=1)
    assert time.monotonic() - started < 2
    assert "cannot be edited" in await bench.fails(
        "Edit", file_path="f", old_string="first", new_string="x"
    )


def test_big_page_is_like_the_small_one(tmp_path: Path) -> None:
    text = "".join(f"line {n}\r\n" for n in range(1, 100)) + "last"
    path = tmp_path / "f"
    path.write_text(text, newline="")
    for offset, limit in ((None, None), (5, 3), (99, 10), (100, 1)):
        big = read_lines.read_big_page(path, offset, limit, 10_000, True)
        small = read_lines.take_page(text.replace("\r\n", "\n"), offset, limit, 10_000, True, "f")
        assert (big.text, big.first, big.lines) == (small.text, small.first, small.lines)


@pytest.mark.parametrize(
    ("data", "note"),
    [
        (b"caf\xe9\n", "[Encoding: not UTF-8, taken as windows-1252. Edits keep it.]\n1\tcafé"),
        ("ü\n".encode("utf-16"), "[Encoding: UTF-16LE with BOM. Edits keep it.]\n1\tü"),
        ("\ufeffü\n".encode(), "[Encoding: UTF-8 with BOM. Edits keep it.]\n1\tü"),
    ],
)
async def test_encoding_is_stated(bench: Bench, data: bytes, note: str) -> None:
    (bench.root / "f").write_bytes(data)
    assert await bench.text("Read", file_path="f") == note


async def test_what_cannot_be_read(bench: Bench) -> None:
    os.mkfifo(bench.root / "fifo")
    (bench.root / "prog").write_bytes(b"\x7fELF\0\1\2")
    (bench.root / "zip").write_bytes(b"PK\x03\x04\0\0")
    started = time.monotonic()
    assert "FIFO" in await bench.fails("Read", file_path="fifo")
    assert "FIFO, socket or device" in await bench.fails("Read", file_path="/dev/zero")
    assert time.monotonic() - started < 1
    assert "Glob" in await bench.fails("Read", file_path=".")
    assert "binary file (7 bytes, ELF program)" in await bench.fails("Read", file_path="prog")
    assert "ZIP archive" in await bench.fails("Read", file_path="zip")
    assert "does not exist" in await bench.fails("Read", file_path="none")
    assert "does not exist" in await bench.fails("Read", file_path="prog/x")


@pytest.mark.parametrize(
    ("name", "data", "media_type"),
    [
        ("a.png", png(), "image/png"),
        ("a.jpg", JPEG, "image/jpeg"),
        ("a.gif", GIF, "image/gif"),
        ("a.webp", WEBP, "image/webp"),
        ("wrong-name.txt", png(), "image/png"),
    ],
)
async def test_images(bench: Bench, name: str, data: bytes, media_type: str) -> None:
    (bench.root / name).write_bytes(data)
    result = await bench.run("Read", file_path=name)
    assert result.content == [
        {
            "type": "image",
            "source": {
                "type": "base64",
                "media_type": media_type,
                "data": base64.b64encode(data).decode(),
            },
        }
    ]
    size = result.details["file"]["dimensions"]
    assert size == (
        {"originalWidth": 3, "originalHeight": 2}
        if media_type == "image/png"
        else {"originalWidth": 7, "originalHeight": 5}
    )


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (png()[:-14], "cut short"),
        (png().replace(b"IDAT", b"IDAX"), "damaged"),
        (png(0, 5), "no pixels"),
        (png(9_000, 1), "9000 by 1"),
        (JPEG[:-2], "cut short"),
        (b"\xff\xd8\xff\xe0" + b"\xff\xd9", "header is damaged"),
        (GIF[:-1], "cut short"),
        (WEBP[:-6], "cut short"),
        (b"", "empty"),
        (b"<html>", "no PNG"),
    ],
)
async def test_broken_images_are_never_sent(bench: Bench, data: bytes, reason: str) -> None:
    (bench.root / "a.png").write_bytes(data)
    assert reason in await bench.fails("Read", file_path="a.png")


async def test_image_over_the_limit(bench: Bench) -> None:
    body = os.urandom(4 << 20)
    data = png()
    chunk = b"IDAT" + body
    big = (
        data[:33]
        + struct.pack(">I", len(body))
        + chunk
        + struct.pack(">I", zlib.crc32(chunk))
        + data[-12:]
    )
    (bench.root / "a.png").write_bytes(big)
    assert "too large" in await bench.fails("Read", file_path="a.png")


async def test_pdf(bench: Bench) -> None:
    path = bench.root / "a.pdf"
    path.write_bytes(pdf(10))
    result = await bench.run("Read", file_path="a.pdf")
    block: Any = result.content[0]
    assert block["type"] == "document" and block["source"]["media_type"] == "application/pdf"
    assert base64.b64decode(block["source"]["data"]) == pdf(10)
    path.write_bytes(pdf(11))
    assert "11 pages" in await bench.fails("Read", file_path="a.pdf")
    path.write_bytes(pdf(2)[:-6])
    assert "cut short" in await bench.fails("Read", file_path="a.pdf")
    path.write_bytes(pdf(0))
    assert "cannot be determined" in await bench.fails("Read", file_path="a.pdf")
    path.write_bytes(pdf(2))
    assert "pdftotext" in await bench.fails("Read", file_path="a.pdf", pages="1-2")
    path.write_bytes(pdf(1) + b" " * (20 << 20) + b"%%EOF")
    assert "20 MB" in await bench.fails("Read", file_path="a.pdf")


def test_pages_in_compressed_objects_are_counted() -> None:
    stream = zlib.compress(b"<< /Type /Page >> << /Type /Pages >> << /Type/Page >>")
    assert pdf_page_count(b"<< /Type /ObjStm /N 3 >> stream\r\n" + stream + b"endstream") == 2
    assert pdf_page_count(b"<< /Type /ObjStm >> stream\nnot compressed") is None


async def test_notebook(bench: Bench) -> None:
    cells = [
        {"cell_type": "markdown", "id": "c1", "source": ["# T\n", "x"]},
        {
            "cell_type": "code",
            "source": "print(1)",
            "outputs": [
                {"output_type": "stream", "text": ["1\n"]},
                {"output_type": "display_data", "data": {"image/png": "QUJD" * 2_000}},
                {"output_type": "execute_result", "data": {"text/plain": "2", "text/html": "<b>"}},
                {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[31mt"]},
                {"output_type": "stream", "text": "y" * 50_000},
            ],
        },
    ]
    path = bench.root / "n.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}))
    text = await bench.text("Read", file_path="n.ipynb")
    assert '<cell id="c1" type="markdown">\n# T\nx\n</cell>' in text
    assert '<cell id="cell-1" type="code">\nprint(1)\n<outputs>\n1\n' in text
    assert "[image/png output, about 5 KB]" in text and "QUJD" not in text
    assert "\n2\n" in text and "<b>" not in text and "E: v\nt" in text
    assert len(text) < 12_000
    for bad in ("{", "[]", '{"cells": [1]}', '{"cells": null}'):
        path.write_text(bad)
        assert "not a valid notebook" in await bench.fails("Read", file_path="n.ipynb")


async def test_reading_makes_a_file_known(bench: Bench) -> None:
    (bench.root / "f").write_text("a")
    result = await bench.run("Read", file_path="f")
    assert content_text(result.content) == "1\ta"
    seen = bench.ctx.files.get(bench.root / "f")
    assert seen is not None and not seen.partial
