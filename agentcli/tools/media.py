"""Images and PDFs as content blocks: recognised by their bytes, checked before they are sent.

A broken image in the history would make every later request fail, so doubt means an error here.
"""

import base64
import re
import struct
import zlib
from pathlib import Path

from agentcli.protocol.calls import ToolResult
from agentcli.protocol.errors import ToolError
from agentcli.tools.paths import show_path

_MAX_IMAGE = 5 << 20
_MAX_SIDE = 8_000
_MAX_PDF = 20 << 20
_MAX_PDF_PAGES = 10
_IMAGE_SUFFIXES = {".png", ".jpg", ".jpeg", ".gif", ".webp"}


def read_media(data: bytes, path: Path, pages: str | None) -> ToolResult | None:
    """The result for an image or a PDF, None for anything else. Raises ``ToolError``. Pure."""
    media_type = image_type(data)
    if media_type is not None:
        return _image(data, path, media_type)
    if data.startswith(b"%PDF-"):
        return _pdf(data, path, pages)
    if path.suffix.lower() in _IMAGE_SUFFIXES:
        what = f"its {len(data)} bytes are no PNG, JPEG, GIF or WebP" if data else "it is empty"
        raise ToolError(f"{show_path(path)} is named like an image but {what}.")
    return None


def image_type(data: bytes) -> str | None:
    """Media type by magic bytes, of the four that a model can see. Pure."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return None


def image_size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels as the header says, None where it says nothing. Pure."""
    media_type = image_type(data)
    try:
        return _SIZES[media_type](data) if media_type is not None else None
    except (struct.error, IndexError):
        return None


def image_problem(data: bytes, media_type: str) -> str | None:
    """Why the image cannot be sent, or None. Pure."""
    if not _COMPLETE[media_type](data):
        return "the image data is damaged or cut short"
    size = _SIZES[media_type](data)
    if size is None:
        return "the image header is damaged"
    width, height = size
    if not width or not height:
        return "the image has no pixels"
    if max(width, height) > _MAX_SIDE:
        return f"the image is {width} by {height} pixels; at most {_MAX_SIDE} per side can be sent"
    encoded = (len(data) + 2) // 3 * 4
    if encoded > _MAX_IMAGE:
        return (
            f"the image is too large ({len(data)} bytes; at most {_MAX_IMAGE // 4 * 3}). "
            "Make a smaller copy with Bash first"
        )
    return None


def _image(data: bytes, path: Path, media_type: str) -> ToolResult:
    problem = image_problem(data, media_type)
    if problem:
        raise ToolError(f"{show_path(path)}: {problem}.")
    width, height = _SIZES[media_type](data) or (0, 0)
    source = {"type": "base64", "media_type": media_type, "data": _base64(data)}
    return ToolResult(
        [{"type": "image", "source": source}],
        details={
            "type": "image",
            "file": {
                "filePath": str(path),
                "type": media_type,
                "originalSize": len(data),
                "dimensions": {"originalWidth": width, "originalHeight": height},
            },
        },
    )


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _png_complete(data: bytes) -> bool:
    """Every chunk is there, with its right checksum, up to IEND."""
    position = 8
    while position + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, position)
        end = position + 12 + length
        if end > len(data):
            return False
        kind = data[position + 4 : position + 8]
        (checksum,) = struct.unpack_from(">I", data, end - 4)
        if zlib.crc32(memoryview(data)[position + 4 : end - 4]) != checksum:
            return False
        if kind == b"IEND":
            return True
        position = end
    return False


def _png_size(data: bytes) -> tuple[int, int] | None:
    return struct.unpack_from(">II", data, 16) if data[12:16] == b"IHDR" else None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    position = 2
    while position + 9 <= len(data) and data[position] == 0xFF:
        marker = data[position + 1]
        if marker == 0xFF:
            position += 1
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, position + 5)
            return width, height
        position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
    return None


def _gif_size(data: bytes) -> tuple[int, int] | None:
    return struct.unpack_from("<HH", data, 6) if len(data) > 10 else None


def _webp_size(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if len(data) < 30:
        return None
    if kind == b"VP8X":
        return (
            int.from_bytes(data[24:27], "little") + 1,
            int.from_bytes(data[27:30], "little") + 1,
        )
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None


def _jpeg_complete(data: bytes) -> bool:
    return b"\xff\xd9" in data[-4096:]


def _gif_complete(data: bytes) -> bool:
    return data.rstrip(b"\0").endswith(b";")


def _webp_complete(data: bytes) -> bool:
    return int.from_bytes(data[4:8], "little") + 8 <= len(data)


_COMPLETE = {
    "image/png": _png_complete,
    "image/jpeg": _jpeg_complete,
    "image/gif": _gif_complete,
    "image/webp": _webp_complete,
}
_SIZES = {
    "image/png": _png_size,
    "image/jpeg": _jpeg_size,
    "image/gif": _gif_size,
    "image/webp": _webp_size,
}


def _pdf(data: bytes, path: Path, pages: str | None) -> ToolResult:
    name = show_path(path)
    use_bash = "Extract the text with Bash (for example pdftotext)."
    if pages:
        raise ToolError(f"{name}: single pages of a PDF cannot be cut out. {use_bash}")
    if len(data) > _MAX_PDF:
        raise ToolError(
            f"{name} has {len(data)} bytes; at most {_MAX_PDF >> 20} MB can be sent. {use_bash}"
        )
    if b"%%EOF" not in data[-2048:]:
        raise ToolError(f"{name} is damaged or cut short: its end marker is missing.")
    if re.search(rb"/Encrypt\s+\d", data):
        raise ToolError(f"{name} is encrypted. {use_bash}")
    count = pdf_page_count(data)
    if count is None:
        raise ToolError(f"{name}: the number of pages cannot be determined. {use_bash}")
    if count > _MAX_PDF_PAGES:
        raise ToolError(
            f"{name} has {count} pages; at most {_MAX_PDF_PAGES} can be sent whole. {use_bash}"
        )
    source = {"type": "base64", "media_type": "application/pdf", "data": _base64(data)}
    return ToolResult(
        [{"type": "document", "source": source}],
        details={
            "type": "pdf",
            "file": {"filePath": str(path), "originalSize": len(data), "pages": count},
        },
    )


def pdf_page_count(data: bytes) -> int | None:
    """Number of pages, or None if it cannot be told without a PDF library. Pure."""
    pages = len(re.findall(rb"/Type\s*/Page\b(?!s)", data))
    if pages:
        return pages
    inflated = 0
    for match in re.finditer(rb"/ObjStm\b.{0,400}?stream\r?\n", data, re.DOTALL):
        try:
            text = zlib.decompressobj().decompress(data[match.end() :], 4 << 20)
        except zlib.error:
            return None
        inflated += len(text)
        if inflated > 32 << 20:
            return None
        pages += len(re.findall(rb"/Type\s*/Page\b(?!s)", text))
    return pages or None
