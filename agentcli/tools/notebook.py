"""A Jupyter notebook as text: cells with their ids and outputs, images only named."""

from collections.abc import Iterator
from typing import Any, cast

import msgspec

from agentcli.base.text import strip_controls
from agentcli.protocol.errors import ToolError
from agentcli.tools.limits import head_and_tail

_MAX_OUTPUT = 10_000


def notebook_text(data: bytes, name: str) -> str:
    """All cells of the notebook *data*. Raises ``ToolError`` if it is none. Pure."""
    try:
        notebook = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
        cells = notebook["cells"]
        parts = [_cell(number, cell) for number, cell in enumerate(cells)]
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError, UnicodeDecodeError) as error:
        raise ToolError(f"{name} is not a valid notebook ({error}).") from None
    return "\n".join(parts) or f"{name} has no cells."


def _cell(number: int, cell: dict[str, Any]) -> str:
    cell_id = cell.get("id") or f"cell-{number}"
    kind = cell.get("cell_type", "code")
    lines = [f'<cell id="{cell_id}" type="{kind}">', _joined(cell.get("source", ""))]
    outputs = [text for output in cell.get("outputs", ()) for text in _output(output)]
    if outputs:
        lines += ["<outputs>", *outputs, "</outputs>"]
    return "\n".join([*lines, "</cell>"])


def _output(output: dict[str, Any]) -> Iterator[str]:
    kind = output.get("output_type")
    if kind == "stream":
        yield _short(_joined(output.get("text", "")))
    elif kind == "error":
        trace = "\n".join(cast(list[str], output.get("traceback", [])))
        yield _short(f"{output.get('ename', '')}: {output.get('evalue', '')}\n{trace}")
    else:
        data = cast(dict[str, Any], output.get("data", {}))
        for media_type, value in data.items():
            if media_type.startswith("image/"):
                size = len(_joined(value)) * 3 // 4
                yield f"[{media_type} output, about {max(size // 1024, 1)} KB]"
            elif media_type == "text/plain" or "text/plain" not in data:
                text = _joined(value) if isinstance(value, str | list) else _as_json(value)
                yield _short(text)


def _as_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _joined(value: Any) -> str:
    return "".join(cast(list[str], value)) if isinstance(value, list) else str(value)


def _short(text: str) -> str:
    return head_and_tail(strip_controls(text).rstrip("\n"), _MAX_OUTPUT)
