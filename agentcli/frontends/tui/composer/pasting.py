"""What a paste is: text made harmless, too much to be shown, or the path of a dropped image."""

import base64
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from agentcli.base.files import FileTooLarge, read_limited
from agentcli.base.text import clean_surrogates, strip_controls
from agentcli.frontends.tui.composer.chips import Image

MAX_IMAGE = 5 * 1024 * 1024
_MAX_PATH = 4096
_SUFFIXES = {".png", ".jpg", ".jpeg", ".gif", ".webp"}
_ESCAPED = re.compile(r"\\(.)")
_BREAKS = re.compile("[\u2028\u2029]")

_SIGNATURES: tuple[tuple[Callable[[bytes], bool], str], ...] = (
    (lambda head: head.startswith(b"\x89PNG\r\n\x1a\n"), "image/png"),
    (lambda head: head.startswith(b"\xff\xd8\xff"), "image/jpeg"),
    (lambda head: head[:6] in (b"GIF87a", b"GIF89a"), "image/gif"),
    (lambda head: head[:4] == b"RIFF" and head[8:12] == b"WEBP", "image/webp"),
)


def clean_paste(text: str) -> str:
    """*text* without control characters, every kind of line break as a newline. Pure."""
    # many terminals paste line breaks as carriage returns
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return strip_controls(clean_surrogates(_BREAKS.sub("\n", text)))


def is_long(text: str, chars: int, breaks: int) -> bool:
    """Is *text* longer than *chars* or has it more than *breaks* line breaks inside? Pure."""
    return len(text) > chars or text.rstrip("\n").count("\n") > breaks


def dropped_path(text: str) -> Path | None:
    """The path of an image that *text*, a paste, is nothing but. Whether there is such a file is
    another question. Terminals quote, escape or write a ``file:`` address."""
    word = text.strip()
    if not word or len(word) > _MAX_PATH or "\n" in word:
        return None
    if word[0] in "'\"" and len(word) > 1 and word[-1] == word[0]:
        word = word[1:-1]
    elif word.startswith("file://"):
        word = unquote(urlsplit(word).path)
    else:
        word = _ESCAPED.sub(r"\1", word)
    if "\0" in word or Path(word).suffix.lower() not in _SUFFIXES:
        return None
    path = Path(word)
    if word.startswith("~/"):
        path = Path.home() / word[2:]
    return path if path.is_absolute() else None


def read_image(path: Path) -> Image | str:
    """The image, or in a few words why it is none. Never raises; belongs into a thread."""
    try:
        data = read_limited(path, MAX_IMAGE)
    except FileTooLarge as error:
        return f"{path.name} is {error.size / 1e6:.1f} MB, an image may have 5"
    except OSError as error:
        return error.strerror or "cannot be read"
    media_type = image_type(data)
    return encode_image(media_type, data) if media_type else f"{path.name} is no image"


def encode_image(media_type: str, data: bytes) -> Image:
    """Bytes as they are sent. Pure."""
    return Image(media_type, base64.b64encode(data).decode())


def image_type(data: bytes) -> str:
    """Media type by what is in *data*; "" where it is none that can be sent. Pure."""
    return next((name for fits, name in _SIGNATURES if fits(data[:12])), "")
