"""Images of a prompt, checked before anything is logged: one bad image would make every later
request of the session fail."""

import base64
import binascii

from agentcli.base.values import as_dict
from agentcli.context.shapes import sendable
from agentcli.protocol.blocks import Block
from agentcli.protocol.errors import UsageError
from agentcli.protocol.prompts import Prompt
from agentcli.tools.media import image_problem, image_type


def image_block(data: bytes) -> Block:
    """The block for an image file's bytes. Raises UsageError for what a model cannot be sent.
    Pure."""
    media_type = _checked_type(data)
    encoded = base64.b64encode(data).decode("ascii")
    source = {"type": "base64", "media_type": media_type, "data": encoded}
    return {"type": "image", "source": source}


def check_prompt(prompt: Prompt) -> None:
    """Raise UsageError for a prompt that must not be logged: nothing in it, a bad image. Pure."""
    if isinstance(prompt, str):
        return
    if not any(sendable(block) is not None for block in prompt):
        raise UsageError("There is nothing in this prompt.")
    for block in prompt:
        if block.get("type") == "image":
            _check_image(as_dict(block.get("source")))
        elif block.get("type") != "text":
            raise UsageError(f"A prompt holds text and images, no {block.get('type')} block.")


def _check_image(source: dict[str, object]) -> None:
    if source.get("type") != "base64":
        raise UsageError("An image must be given as base64 data.")
    try:
        data = base64.b64decode(str(source.get("data", "")), validate=True)
    except (binascii.Error, ValueError):
        raise UsageError("The image's base64 data is broken.") from None
    named, found = source.get("media_type"), _checked_type(data)
    if named != found:
        raise UsageError(f"The image is {found}, not {named}.")


def _checked_type(data: bytes) -> str:
    media_type = image_type(data)
    if media_type is None:
        what = "The image is empty." if not data else "This is no PNG, JPEG, GIF or WebP image."
        raise UsageError(what)
    problem = image_problem(data, media_type)
    if problem:
        raise UsageError(f"The image cannot be sent: {problem}.")
    return media_type
