"""The draft as a whole: shell mode, put away and brought back, earlier prompts walked through."""

from base64 import b64decode
from collections.abc import Mapping, Sequence

from textual.reactive import var

from agentcli.base.values import as_dict
from agentcli.frontends.tui.composer.chips import Content
from agentcli.frontends.tui.composer.draft import Draft
from agentcli.frontends.tui.composer.pastes import PasteArea
from agentcli.frontends.tui.composer.recall import Recall, Recalled
from agentcli.protocol.prompts import Queued


class DraftArea(PasteArea):
    """Text with a mode, and what lies before and beside it."""

    shell_mode = var(False)
    """Is it a command of the shell that is typed? The ``!`` is no part of the text then."""

    def __init__(self, text: str = "") -> None:
        self.recall = Recall()
        self._stashed: Draft | None = None
        super().__init__(text)

    @property
    def history_prompts(self) -> list[str]:
        """The prompts of this conversation, oldest first."""
        return self.recall.own

    @property
    def shows_recalled(self) -> bool:
        """Is it an earlier prompt that is shown, unchanged?"""
        return self.recall.shows(self._raw())

    @property
    def full_text(self) -> str:
        """The text with everything that was pasted."""
        return self.chips.expand(self.text)

    def put(self, text: str) -> None:
        """Replace the text, the cursor at its end; can be undone. What was pasted earlier is a chip
        again, and so is a text that is too long to be laid out."""
        self._replace_all(self.shorten(self.chips.collapse(text)))

    def _replace_all(self, text: str) -> None:
        self.replace(text, self.document.start, self.document.end)
        self.move_cursor(self.document.end)

    def _raw(self) -> str:
        return f"!{self.text}" if self.shell_mode else self.text

    # shell mode

    def enter_shell(self) -> None:
        self.shell_mode = True

    def action_delete_left(self) -> None:
        if not self.leave_shell():
            super().action_delete_left()

    def kill_to_start(self) -> None:
        if not self.leave_shell():
            super().kill_to_start()

    def leave_shell(self) -> bool:
        """Leave shell mode if there is nothing in it. False: there was nothing to leave."""
        leaves = self.shell_mode and not self.text
        if leaves:
            self.shell_mode = False
        return leaves

    # put away

    def draft(self) -> Draft:
        """All that would be lost with the window."""
        contents = self.chips.contents(self.text)
        return Draft(self.text, self.cursor_index, self.shell_mode, contents, self._stashed)

    def restore(self, draft: Draft) -> None:
        """Show *draft*, which may be of another window."""
        self._replace_all(self.chips.restore(draft.text, draft.contents))
        self.set_cursor(draft.cursor)
        self.shell_mode = draft.shell
        stashed = draft.stashed
        if stashed is not None:
            text = self.chips.restore(stashed.text, stashed.contents)
            self._stashed = Draft(text, stashed.cursor, stashed.shell, self.chips.contents(text))

    def take_up(self, draft: Draft) -> bool:
        """Show a draft that was left behind. False: something was typed meanwhile, so the draft is
        the newest of the earlier prompts instead."""
        if self.text or self.shell_mode:
            text = self.chips.restore(draft.text, draft.contents)
            self.recall.add(f"!{text}" if draft.shell else text)
            return False
        self.restore(draft)
        return True

    def clear_to_history(self) -> None:
        """Empty the composer; Up and undo bring the text back."""
        self.recall.add(self._raw())
        self.recall.reset()
        self.put("")
        self.shell_mode = False

    def stash(self) -> None:
        """Put the draft away until the next prompt was sent; when empty, bring it back."""
        if not self.text.strip():
            self.unstash()
            return
        if (before := self._stashed) is not None:
            self.recall.add(f"!{before.text}" if before.shell else before.text)
            self._stashed = None
        self._stashed = self.draft()
        self.start_anew()
        self.hint("stashed; the same key brings it back")

    def unstash(self) -> None:
        """Bring back what was put away, if there is something."""
        stashed, self._stashed = self._stashed, None
        if stashed is not None:
            self.restore(stashed)

    def start_anew(self) -> None:
        """Empty, with nothing to be undone."""
        self.recall.reset()
        self.load_text("")
        self.shell_mode = False

    # earlier prompts

    def recall_older(self) -> None:
        """Show the prompt before, the caret in its first row: one more Up goes on, and Down comes
        by the rows below first."""
        if (item := self.recall.older(self._raw())) is not None:
            self._show(item)
            _, _, end = self.wrapping.row(0) or (0, 0, 0)
            line = self.line_at(0)
            self.move_cursor((0, end if end == len(line.text) else line.before(end)))

    def fold_past(self, typed: Sequence[tuple[str, Mapping[int, Content]]]) -> None:
        """Earlier prompts of this conversation are known in full only; *typed* says how some of
        them looked, and what was pasted into them: those have their chips again."""
        own = self.recall.own
        for display, pasted in typed:
            text = self.chips.restore(display, pasted)
            full = self.chips.expand(text)
            own[:] = [text if known == full else known for known in own]

    def recall_newer(self) -> None:
        """Show the prompt behind, at last the draft."""
        if (item := self.recall.newer(self._raw())) is not None:
            self._show(item)

    def take_past(self, display: str, pasted: Mapping[int, Content] | None) -> None:
        """Show a prompt of the history in place of the draft, which becomes an earlier prompt."""
        self.recall.add(self._raw())
        self.recall.reset()
        self._show(Recalled(display, pasted or {}))

    def take_queued(self, item: Queued) -> None:
        """Show something that was sent already, its pictures as chips again."""
        self.put("")
        self.shell_mode = item.shell
        if isinstance(item.content, str):
            self.put(item.content)
            return
        for block in item.content:
            if block.get("type") == "image":
                source = as_dict(block.get("source"))
                data = b64decode(str(source.get("data", "")))
                self.attach_image(str(source.get("media_type", "")), data)
            else:
                self.insert(str(block.get("text", "")))

    def _show(self, item: Recalled) -> None:
        text = item.text
        if item.contents is not None:
            text = self.chips.restore(text, item.contents)
        self.shell_mode = text.startswith("!")
        self._replace_all(text[1:] if self.shell_mode else text)
