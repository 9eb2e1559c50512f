"""Pasted texts and images that stand in the draft as a short label, and what they stand for."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from agentcli.protocol.blocks import Block, text_block

_LABEL = re.compile(r"\[(?:Pasted text #(\d{1,9})(?: \+\d+ lines)?|Image #(\d{1,9}))\]")

_LONG = 80
"""Something shorter may stand in a text by chance."""


class Image(NamedTuple):
    """An image; ``data`` is base64."""

    media_type: str
    data: str

    def block(self) -> Block:
        """As the model gets it. Pure."""
        source = {"type": "base64", "media_type": self.media_type, "data": self.data}
        return {"type": "image", "source": source}


Content = str | Image | None
"""What a chip stands for; None: it was not kept."""


class Chip(NamedTuple):
    """``label`` is the text in the draft, ``content`` what is sent for it."""

    number: int
    label: str
    content: Content


class Span(NamedTuple):
    """A chip at ``start`` to ``end`` of a text."""

    start: int
    end: int
    chip: Chip


class Chips:
    """All chips of one window. A number is given once, so a label never changes its meaning."""

    def __init__(self) -> None:
        self._known: dict[int, Chip] = {}

    def add_text(self, text: str, draft: str = "") -> Chip:
        """A chip for *text*. The numbers that stand in *draft* as plain text are not used."""
        lines = text.rstrip("\n").count("\n")
        more = f" +{lines} lines" if lines else ""
        return self._add(lambda number: f"[Pasted text #{number}{more}]", text, draft)

    def add_image(self, image: Image, draft: str = "") -> Chip:
        """A chip for *image*; the one it had before, unless that stands in *draft* already."""
        for chip in self._known.values():
            if chip.content == image and chip.label not in draft:
                return chip
        return self._add(lambda number: f"[Image #{number}]", image, draft)

    def spans(self, text: str) -> list[Span]:
        """The chips in *text*, from left to right."""
        if not self._known or "#" not in text:
            return []
        return [Span(match.start(), match.end(), chip) for match, chip in self._matches(text)]

    def expand(self, text: str) -> str:
        """*text* with everything that was pasted; what was not kept is left out, images stay."""

        def put_in(match: re.Match[str]) -> str:
            chip = self._of(match)
            if chip is None or isinstance(chip.content, Image):
                return match.group()
            return chip.content or ""

        return _LABEL.sub(put_in, text) if self._known else text

    def collapse(self, text: str) -> str:
        """Put labels where all that was pasted stands in *text*, just once."""
        for chip in self._known.values():
            whole = chip.content
            if isinstance(whole, str) and len(whole) >= _LONG and text.count(whole) == 1:
                text = text.replace(whole, chip.label)
        return text

    def content(self, text: str) -> str | list[Block]:
        """What is sent for *text*: a text, or blocks in their order where there are images."""
        spans = self.spans(text)
        images = [span for span in spans if isinstance(span.chip.content, Image)]
        if not images:
            return self.expand(text)
        blocks: list[Block] = []
        at = 0
        for span in images:
            self._add_text_block(blocks, text[at : span.start])
            if isinstance(span.chip.content, Image):
                blocks.append(span.chip.content.block())
            at = span.end
        self._add_text_block(blocks, text[at:])
        return blocks

    def contents(self, text: str) -> dict[int, Content]:
        """What the chips in *text* stand for, by number; what was not kept is left out."""
        chips = (span.chip for span in self.spans(text))
        return {chip.number: chip.content for chip in chips if chip.content is not None}

    def restore(self, text: str, contents: Mapping[int, Content]) -> str:
        """Take up a text of another time. Chips get a new number where theirs has another meaning
        by now; a chip whose content was not kept is known as lost."""
        renamed: dict[str, str] = {}

        def take(match: re.Match[str]) -> str:
            label = match.group()
            if label not in renamed:
                content = contents.get(_number(match))
                if isinstance(content, Image) != (match[2] is not None):
                    content = None
                renamed[label] = self._take_up(match, content, text).label
            return renamed[label]

        return _LABEL.sub(take, text)

    def _take_up(self, match: re.Match[str], content: Content, text: str) -> Chip:
        number, label = _number(match), match.group()
        known = self._known.get(number)
        if known is None:
            self._known[number] = Chip(number, label, content)
            return self._known[number]
        if known.label == label and known.content == content:
            return known
        digits = f"#{number}"
        return self._add(lambda new: label.replace(digits, f"#{new}", 1), content, text)

    def _add(self, label: Callable[[int], str], content: Content, draft: str) -> Chip:
        taken = {_number(match) for match in _LABEL.finditer(draft)}
        number = max([0, *taken, *self._known]) + 1
        chip = Chip(number, label(number), content)
        self._known[number] = chip
        return chip

    def _of(self, match: re.Match[str]) -> Chip | None:
        chip = self._known.get(_number(match))
        return chip if chip is not None and chip.label == match.group() else None

    def _matches(self, text: str) -> Iterator[tuple[re.Match[str], Chip]]:
        for match in _LABEL.finditer(text):
            if (chip := self._of(match)) is not None:
                yield match, chip

    def _add_text_block(self, blocks: list[Block], text: str) -> None:
        # the service refuses blank text
        if (full := self.expand(text)).strip():
            blocks.append(text_block(full))


def _number(match: re.Match[str]) -> int:
    return int(match[1] or match[2])
