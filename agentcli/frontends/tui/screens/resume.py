"""The sessions that can be gone on with: found by typing, looked into, renamed, deleted."""

import asyncio
from dataclasses import replace

from textual import events

from agentcli.base.text import one_line
from agentcli.frontends.tui.screens.field import Field, field_of
from agentcli.frontends.tui.screens.resume_view import Place, ResumeView, words_of
from agentcli.frontends.tui.screens.session_list import Listed, prepare
from agentcli.protocol.errors import AgentCliError
from agentcli.protocol.history import SessionInfo

__all__ = ["Place", "ResumeScreen"]

_STEPS = {
    f"select:{step}": step for step in ("previous", "next", "pageUp", "pageDown", "first", "last")
}
_WHEEL = 3
_FIELD_KEYS = {"select:first": "home", "select:last": "end"}


class ResumeScreen(ResumeView):
    """Answers with the session to go on with, or None: then nothing is another one."""

    contexts = ("Select",)

    # keys

    def take_action(self, name: str) -> bool:
        if self._name is not None:
            return self._rename_action(name)
        if self._doomed is not None:
            self._doomed = None
            self.redraw()
            return name in {"select:cancel", "select:accept"} or self.take_action(name)
        self._told = ""
        match name:
            case "select:cancel":
                if self._peeking:
                    self._show_peek(False)
                else:
                    self.dismiss(None)
            case "select:accept":
                if self.chosen is not None:
                    self.dismiss(self.chosen)
            case _ if name in _STEPS:
                self._step(_STEPS[name])
            case _:
                return False
        return True

    def take_key(self, event: events.Key) -> None:
        key = event.key
        if key == "ctrl+c":
            self.dismiss(None)
        elif self._name is not None:
            self._name = self._name.press(key, event.character) or self._name
            self.redraw()
        elif key == "ctrl+d":
            self._delete()
        elif self._doomed is not None:
            self._doomed = None
            self.redraw()
        elif self._peeking:
            if key in {"space", "tab"}:
                self._show_peek(False)
        elif not self._command(key):
            self._ask(self._query.press(key, event.character))

    def _command(self, key: str) -> bool:
        self._told = ""
        match key:
            case "tab":
                self._show_peek(True)
            case "space" if not self._query.text:
                self._show_peek(True)
            case "ctrl+r":
                self._begin_rename()
            case "ctrl+a":
                self._everywhere = not self._everywhere
                self._load()
            case "ctrl+b" if self._place.branch:
                self._one_branch = not self._one_branch
                self._find()
            case "ctrl+b":
                self._told = "this folder is in no git repository"
                self.redraw()
            case _:
                return False
        return True

    def on_mouse_scroll_down(self) -> None:
        self._roll(_WHEEL)

    def on_mouse_scroll_up(self) -> None:
        self._roll(-_WHEEL)

    def _roll(self, rows: int) -> None:
        if not self._peeking and self._name is None and self._doomed is None:
            self._go(self._index + rows)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if self._name is not None:
            self._name = self._name.insert(event.text)
            self.redraw()
        elif not self._peeking:
            self._ask(self._query.insert(event.text))

    def _ask(self, query: Field | None) -> None:
        if query is None:
            return
        changed = query.text != self._query.text
        self._query = query
        if changed:
            self._matches, self._index, self._top = [], 0, 0
            self._find()
        self.redraw()

    def _step(self, step: str) -> None:
        page = max(1, self.view.room - 1)
        steps = {"previous": -1, "next": 1, "pageUp": -page, "pageDown": page}
        if self._peeking:
            whole = len(self.view.parts.body)
            self.view.scroll_body({"first": -whole, "last": whole, **steps}[step])
            return
        ends = {"first": 0, "last": len(self._matches) - 1}
        self._go(ends.get(step, self._index + steps.get(step, 0)))

    def _show_peek(self, on: bool) -> None:
        if on and self.chosen is None:
            return
        self._peeking = on
        self.view.top = 0
        self._look_into()
        self._seen()

    # renaming and deleting

    def _begin_rename(self) -> None:
        if (info := self.chosen) is not None:
            self._name = field_of(one_line(info.title, 200))
            self.redraw()

    def _rename_action(self, name: str) -> bool:
        field, info = self._name, self.chosen
        if name in _FIELD_KEYS and field is not None:
            self._name = field.press(_FIELD_KEYS[name], None)
        elif name == "select:cancel":
            self._name = None
        elif name == "select:accept" and field is not None and info is not None:
            self._name = None
            title = field.text.strip()
            if title and title != info.title:
                self.run_worker(self._rename(info, title), group="change")
        self.redraw()
        return True

    async def _rename(self, info: SessionInfo, title: str) -> None:
        try:
            if info.id == self._place.session_id:
                self._place.rename(title)
            else:
                await asyncio.to_thread(self._catalog.rename, info, title)
        except (AgentCliError, OSError) as error:
            self._told = words_of(error)
        else:
            self._put(info, replace(info, title=title, named=True))
        self.redraw()

    def _delete(self) -> None:
        info, doomed = self.chosen, self._doomed
        self._doomed, self._told = None, ""
        if doomed is not None:
            self.run_worker(self._delete_now(doomed), group="change")
        elif info is not None and info.id == self._place.session_id:
            self._told = "this is the session that you are in; it cannot be deleted"
        elif not self._peeking:
            self._doomed = info
        self.redraw()

    async def _delete_now(self, info: SessionInfo) -> None:
        try:
            await asyncio.to_thread(self._catalog.delete, info)
        except (AgentCliError, OSError) as error:
            self._told = words_of(error)
            self.redraw()
        else:
            self._put(info, None)

    def _put(self, info: SessionInfo, changed: SessionInfo | None) -> None:
        """The list with *changed* in the place of *info*, or without it; the cursor stays."""
        index, fresh = self._index, prepare([changed] if changed is not None else [])
        kept: list[Listed] = []
        for one in self._listed or ():
            kept += fresh if one.info.file == info.file else [one]
        self._listed = kept
        self._find()
        if changed is None:
            self._go(index)
