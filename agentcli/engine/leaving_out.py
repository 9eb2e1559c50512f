"""One bad image must not end a session: what the API refuses is left out, and asked again."""

import re
from collections.abc import Sequence

from agentcli.base.values import as_dict, as_list
from agentcli.context.marks import left_out_draft, read_marks
from agentcli.context.shapes import has_media
from agentcli.protocol.blocks import Block
from agentcli.protocol.errors import RequestRefused
from agentcli.protocol.payload import Payload
from agentcli.session.entries import Entry
from agentcli.session.log import SessionLog

_ABOUT_MEDIA = re.compile(r"image|document|pdf|media", re.IGNORECASE)
_PLACE = re.compile(r"messages\.(\d+)\.content\.(\d+)")


def leave_out(log: SessionLog, error: RequestRefused, payload: Payload) -> int:
    """Note in the log that what *error* complains of is not sent any more: the block that it
    names, or every image and document. How many entries are concerned; 0: it is about nothing of
    the kind, and asking again is no use."""
    if error.status not in (400, 413) or not _ABOUT_MEDIA.search(error.message):
        return 0
    path = log.path()
    known = read_marks(path).left_out
    holders = [entry for entry in path if entry.uuid not in known and _holds_media(entry)]
    named = _named(holders, error.message, payload)
    if named or holders:
        log.append(left_out_draft(named or holders))
    return len(named or holders)


def _named(holders: Sequence[Entry], message: str, payload: Payload) -> list[Entry]:
    place = _PLACE.search(message)
    if place is None:
        return []
    try:
        block = payload.messages[int(place[1])]["content"][int(place[2])]
    except (IndexError, KeyError, TypeError):
        return []
    plain = {key: value for key, value in block.items() if key != "cache_control"}
    return [entry for entry in holders if plain in _blocks(entry)]


def _holds_media(entry: Entry) -> bool:
    return any(has_media(block) for block in _blocks(entry))


def _blocks(entry: Entry) -> Sequence[Block]:
    """What is sent of it: a message's blocks, or a mentioned file's."""
    attached = as_list(as_dict(entry.data.get("attachment")).get("content"))
    return [as_dict(block) for block in attached] or entry.blocks
