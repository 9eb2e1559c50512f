"""Where an exported conversation goes: the clipboard, or a file that never replaces another one
unasked."""

import asyncio
import re
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from agentcli.base.text import one_line
from agentcli.base.writing import atomic_write
from agentcli.frontends.tui.paths import short_path
from agentcli.frontends.tui.screens.key_choice import KeyChoice
from agentcli.frontends.tui.screens.session_list import tell_size
from agentcli.protocol.errors import AgentCliError, UsageError

if TYPE_CHECKING:
    from agentcli.frontends.tui.app import AgentApp
    from agentcli.frontends.tui.port import EnginePort
    from agentcli.session.entries import Entry

Kind = Literal["markdown", "json"]
_ENDINGS: dict[Kind, str] = {"markdown": ".md", "json": ".json"}
_NAME_CHARS = 40


async def export(app: "AgentApp", engine: "EnginePort", file: str) -> None:
    """Write the conversation to *file*, or ask where it should go. Raises AgentCliError."""
    if not engine.history.entries():
        raise UsageError("there is no conversation to export yet")
    if file:
        await _write(app, engine, _path_of(engine.project_dir, file, app.user_home))
        return
    from agentcli.frontends.tui.screens.picker import Choice, PickerScreen

    title = engine.history.title or next(iter(app.conversation.prompts), "")
    files = {
        kind: await asyncio.to_thread(free_name, engine.project_dir, title, ending)
        for kind, ending in _ENDINGS.items()
    }
    choices = [
        Choice("copy", "copy to the clipboard", "as Markdown"),
        Choice("markdown", "Markdown file", files["markdown"].name),
        Choice("json", "JSON file", files["json"].name),
    ]
    match await app.deck.ask(PickerScreen("export", choices, app.look)):
        case "copy":
            app.copy(await _text(engine, "markdown"))
        case "markdown":
            await _write(app, engine, files["markdown"])
        case "json":
            await _write(app, engine, files["json"])
        case _:
            pass


async def _text(engine: "EnginePort", kind: Kind) -> str:
    from agentcli.frontends.shared.export import to_json, to_markdown

    make = to_json if kind == "json" else to_markdown
    path, title, file = list(engine.history.entries()), engine.history.title, engine.transcript_path
    return await asyncio.to_thread(lambda: make(_whole(path, file), title=title))


def _whole(path: "list[Entry]", file: Path) -> "list[Entry]":
    """*path* with what its compactions stand for, where *file* still has it. Blocks."""
    from agentcli.frontends.shared.whole import is_shortened, whole_conversation

    if not is_shortened(path):
        return path
    from agentcli.session.reading import read_session

    try:
        return whole_conversation(read_session(file).entries, path)
    except (AgentCliError, OSError):
        return path


async def _write(app: "AgentApp", engine: "EnginePort", file: Path) -> None:
    kind: Kind = "json" if file.suffix.lower() == ".json" else "markdown"
    data = (await _text(engine, kind)).encode()
    shown = one_line(short_path(str(file), app.user_home), 400)
    try:
        if not await asyncio.to_thread(_write_new, file, data):
            text = f"{shown} is there already"
            ask = KeyChoice(app.look, "export", text, [("o", "write over it")])
            if await app.deck.ask(ask) != "o":
                return
            await asyncio.to_thread(atomic_write, file, data)
    except OSError as error:
        raise UsageError(f"cannot write {shown}: {error.strerror or error}") from error
    app.say("info", f"exported to {shown} · {tell_size(len(data))}")


def _write_new(file: Path, data: bytes) -> bool:
    """Write a file that is not there yet; False: it is. What is not written whole goes away."""
    try:
        with file.open("xb") as stream:
            try:
                stream.write(data)
                stream.flush()
            except OSError:
                file.unlink(missing_ok=True)
                raise
    except FileExistsError:
        return False
    return True


def _path_of(folder: Path, file: str, home: str) -> Path:
    """The path that was typed; Markdown where it does not say what it is."""
    typed = Path(home, file[2:]) if file.startswith("~/") else Path(file)
    path = folder / typed
    return path if path.suffix else path.with_name(path.name + ".md")


def free_name(folder: Path, title: str, ending: str) -> Path:
    """A name that says what is in it, and that nothing in *folder* has yet."""
    words = re.sub(r"[^\w]+", "-", title.lower())[:_NAME_CHARS].strip("-_")
    stem = "-".join(part for part in ("session", words, date.today().isoformat()) if part)
    path, number = folder / f"{stem}{ending}", 2
    while path.exists() or path.is_symlink():
        path = folder / f"{stem}-{number}{ending}"
        number += 1
    return path
