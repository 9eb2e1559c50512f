"""Images in prompts and results: always named, and drawn in half blocks where they can be decoded.

Decoding needs Pillow, which comes with the optional extra ``images``. It is done in a thread, once
per image and width; until then, and without Pillow, the name stands alone.
"""

import asyncio
import base64
import binascii
import io
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from rich.color import Color
from rich.style import Style

from agentcli.base.text import one_line
from agentcli.base.values import as_dict
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.rows import GUTTER, Row, Run, make_row, text_width
from agentcli.protocol.blocks import Block

_MAX_ROWS = 20
_MAX_COLUMNS = 80
_HEADER = 64 << 10
"""Bytes in which the size of an image is looked for."""

Pixels = list[list[tuple[int, int, int]]]


class Picture:
    """One image block. ``changed`` is called on the loop when the picture has come."""

    def __init__(self, block: Block, changed: Callable[[], None]) -> None:
        source = as_dict(block.get("source"))
        self._data = str(source.get("data", "")) if source.get("type") == "base64" else ""
        self._changed = changed
        self._columns = 0
        self._pixels: Pixels | None = None
        self._task: asyncio.Task[None] | None = None
        self.name = f"[{_describe(self._data, str(source.get('media_type', '')))}]"
        """What it is, in a few words: ``[image 640×480 png, 12 KB]``."""

    def rows(self, width: int, look: Look) -> list[Row]:
        """The picture; empty while it is not decoded and where it cannot be."""
        columns = max(1, min(text_width(width), _MAX_COLUMNS))
        if columns != self._columns and self._data and can_draw():
            self._columns, self._pixels = columns, None
            self._begin(columns)
        return [_pixel_row(pair, look) for pair in _pairs(self._pixels or [])]

    def _begin(self, columns: int) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            # drawn outside of a window (export): there is nothing that could lag
            self._pixels = _decode(self._data, columns)
            return
        self._task = loop.create_task(self._load(columns))

    async def _load(self, columns: int) -> None:
        pixels = await asyncio.to_thread(_decode, self._data, columns)
        if columns == self._columns:
            self._pixels, self._task = pixels, None
            self._changed()


def pictures(content: str | list[Block], changed: Callable[[], None]) -> list[Picture]:
    """The images in a prompt's or a result's *content*."""
    blocks: Iterable[Block] = () if isinstance(content, str) else content
    return [Picture(block, changed) for block in blocks if block.get("type") == "image"]


@lru_cache(maxsize=1)
def can_draw() -> bool:
    """Is the library there that decodes images?"""
    return find_spec("PIL") is not None


def _describe(data: str, media_type: str) -> str:
    kind = one_line(media_type.removeprefix("image/"), 20)
    if not data:
        return f"image {kind}".strip()
    # imported late: the tools are not needed for the first frame
    from agentcli.tools.media import image_size

    size = image_size(_bytes(data[: _HEADER // 3 * 4]))
    pixels = f"{size[0]}×{size[1]} " if size is not None else ""
    return f"image {pixels}{kind}, {_tell_bytes(len(data) * 3 // 4)}"


def _tell_bytes(count: int) -> str:
    if count < 1024:
        return f"{count} B"
    return f"{count / 1024:.0f} KB" if count < 1 << 20 else f"{count / (1 << 20):.1f} MB"


def _bytes(data: str) -> bytes:
    try:
        return base64.b64decode(data)
    except (binascii.Error, ValueError):
        return b""


def _decode(data: str, columns: int) -> Pixels:
    """The image scaled to half cells, at most `_MAX_ROWS` rows high; empty if it is damaged."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(_bytes(data))) as image:
            box = (columns, 2 * _MAX_ROWS)
            image.draft("RGB", (box[0] * 4, box[1] * 4))
            image.thumbnail(box, Image.Resampling.BOX, reducing_gap=2.0)
            shown: Any = image.convert("RGBA")
            ground = Image.new("RGBA", shown.size, (128, 128, 128, 255))
            flat = bytes(Image.alpha_composite(ground, shown).convert("RGB").tobytes())
            width, height = shown.size
    except Exception:
        # a decoder may raise anything for a damaged file; the image keeps its name
        return []
    points = [(flat[i], flat[i + 1], flat[i + 2]) for i in range(0, len(flat), 3)]
    return [points[y * width : (y + 1) * width] for y in range(height)]


def _pairs(pixels: Pixels) -> list[Pixels]:
    return [pixels[y : y + 2] for y in range(0, len(pixels), 2)]


def _pixel_row(pair: Pixels, look: Look) -> Row:
    runs: list[Run] = [(" " * GUTTER, look.text)]
    for x, upper in enumerate(pair[0]):
        lower = Color.from_rgb(*pair[1][x]) if len(pair) > 1 else look.text.bgcolor
        runs.append(("▀", Style(color=Color.from_rgb(*upper), bgcolor=lower)))
    return make_row(runs)
