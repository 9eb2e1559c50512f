"""Files and folders that a prompt mentions: logged as ``attachment`` entries before the prompt."""

import re
from pathlib import PurePath
from typing import Any

from agentcli.base.path_text import show_path
from agentcli.base.values import as_dict, as_list
from agentcli.context.shapes import sendable
from agentcli.protocol.blocks import Block, text_block
from agentcli.session.entries import (
    FOLDER_KIND,
    MENTION_KINDS,
    EntryDraft,
    attachment_draft,
)

_SENT = ("text", "image", "document")
_CLOSING = re.compile(r"</(?=mentioned-(?:file|folder)>)")
_SECRET_NAME = re.compile(
    r"\.env(rc|\..+)?|.+\.(env|pem|key|p12|pfx|jks|keystore|kdbx|ppk)|id_(rsa|dsa|ecdsa|ed25519)(_sk)?"
    r"|\.(netrc|npmrc|pypirc|pgpass|htpasswd|git-credentials|vault-token)|_netrc"
    r"|credentials(\.(json|ya?ml|toml|ini))?|secrets?\.(json|ya?ml|toml|ini|env)"
    r"|service[-_]account.*\.json|terraform\.tfstate(\.backup)?|.+\.tfvars"
)
_EXAMPLE = re.compile(r".*[._-](example|sample|template|dist|defaults?)(\.[a-z]+)?")
_SECRET_FOLDERS = {".ssh", ".gnupg", ".aws", ".azure", ".kube"}


def mention_draft(
    kind: str, path: str, shown: str, content: str | list[Block], lines: str = ""
) -> EntryDraft:
    """The entry for file or folder *path*; *shown* is its name for the person. Pure.

    *content* is what Read gave, or the listing of a folder; *lines* the range that was asked for.
    """
    tag = "mentioned-folder" if kind == FOLDER_KIND else "mentioned-file"
    name = show_path(path).replace('"', "&quot;")
    chosen = f' lines="{lines}"' if lines else ""
    opening = f'<{tag} path="{name}"{chosen}'
    if isinstance(content, str):
        # What a file says must not end the place where it is quoted.
        quoted = _CLOSING.sub("<\\/", content)
        blocks = [text_block(f"{opening}>\n{quoted}\n</{tag}>")]
    else:
        blocks = [text_block(f"{opening}>"), *content, text_block(f"</{tag}>")]
    return attachment_draft(kind, filename=path, displayPath=shown, content=blocks)


def mention_blocks(attachment: object) -> list[Block]:
    """What an entry of ``mention_draft`` adds to the request, or a prompt that was typed while the
    model worked, as others log it; nothing for other kinds. Pure."""
    given = as_dict(attachment)
    if given.get("type") not in MENTION_KINDS:
        return _queued(given)
    blocks = [as_dict(block) for block in as_list(given.get("content"))]
    return [block for block in blocks if block.get("type") in _SENT and sendable(block) is block]


def _queued(given: dict[str, Any]) -> list[Block]:
    prompt: Any = given.get("prompt")
    if given.get("type") != "queued_command" or not prompt:
        return []
    blocks = [text_block(prompt)] if isinstance(prompt, str) else map(as_dict, as_list(prompt))
    return [block for block in blocks if block.get("type") in _SENT and sendable(block) is block]


def looks_secret(path: str) -> bool:
    """True where the names of *path* say that it holds keys or passwords. Pure."""
    parts = PurePath(path.casefold()).parts
    if not parts:
        return False
    if _SECRET_FOLDERS.intersection(parts[:-1]):
        return True
    name = parts[-1]
    return _SECRET_NAME.fullmatch(name) is not None and _EXAMPLE.fullmatch(name) is None


def shown_lines(first: int, last: int) -> str:
    """``10-20``, ``10``, or nothing for no range. Pure."""
    if not first:
        return ""
    return f"{first}-{last}" if last > first else str(first)
