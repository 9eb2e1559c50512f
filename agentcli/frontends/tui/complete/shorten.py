"""Long names cut in their middle, so that beginning and end are seen."""

from rich.cells import cell_len


def shorten_middle(label: str, marks: tuple[int, ...], width: int) -> tuple[str, frozenset[int]]:
    """*label* in at most *width* cells, its middle replaced by ``…``; *marks* moved along. Pure.

    The last part of a path is kept whole where there is room for it.
    """
    if cell_len(label) <= width:
        return label, frozenset(marks)
    tail_at = label.rstrip("/").rfind("/")
    tail = label[tail_at:] if tail_at > 0 else ""
    if not tail or cell_len(tail) > width - 2:
        tail = _end_within(label, (width - 1) * 2 // 3)
    head = _start_within(label, width - 1 - cell_len(tail))
    shift = len(label) - len(tail) - len(head) - 1
    tail_start = len(label) - len(tail)
    moved = {at for at in marks if at < len(head)}
    moved |= {at - shift for at in marks if at >= tail_start}
    return f"{head}…{tail}", frozenset(moved)


def _start_within(text: str, width: int) -> str:
    used = 0
    for at, char in enumerate(text):
        used += cell_len(char)
        if used > width:
            return text[:at]
    return text


def _end_within(text: str, width: int) -> str:
    used = 0
    for at in range(len(text) - 1, -1, -1):
        used += cell_len(text[at])
        if used > width:
            return text[at + 1 :]
    return text
