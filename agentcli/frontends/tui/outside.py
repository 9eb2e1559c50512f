"""What the window does through other programs: the editor and the clipboard."""

import asyncio
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentcli.frontends.tui.app import AgentApp

_NEW_BINDINGS = '{\n  "bindings": [\n    { "context": "Chat", "bindings": {} }\n  ]\n}\n'


class Outside:
    """The methods that take time are awaited by a worker of the app."""

    def __init__(self, app: "AgentApp") -> None:
        self._app = app

    async def copy(self, text: str) -> None:
        """Copy *text* and say what is known about it."""
        from agentcli.frontends.tui.terminal.clipboard import copy

        copied = await copy(self._app, text, os.environ)
        self._app.status.hint(copied.message, 3.0)

    async def paste_image(self) -> None:
        """Attach the picture in the clipboard to the prompt; text that is there is pasted."""
        from agentcli.frontends.tui.terminal.clipboard import Image, read_image, read_text

        found = await asyncio.to_thread(read_image, os.environ)
        if isinstance(found, Image):
            self._app.composer.attach_image(found.media_type, found.data)
            return
        text = await asyncio.to_thread(read_text, os.environ)
        if isinstance(text, str) and text:
            self._app.composer.paste(text)
        else:
            self._app.status.hint(found.text, 3.0)

    async def edit_keybindings(self) -> None:
        """Open keybindings.json in $EDITOR, made first where there is none."""
        from agentcli.frontends.tui.composer.editor import edit_file
        from agentcli.frontends.tui.composer.leaving import run_outside

        file = self._app.options.home / "keybindings.json"
        try:
            with file.open("x") as stream:
                stream.write(_NEW_BINDINGS)
        except FileExistsError:
            pass
        except OSError as error:
            self._app.say("error", f"cannot write {file}: {error.strerror}")
            return
        problem = await run_outside(self._app, lambda: edit_file(file, os.environ))
        if problem is not None:
            self._app.say("error", problem.text)
