"""May this call run? The whole command or the whole diff, and what an "always" would save."""

import re
from collections.abc import Callable
from dataclasses import replace
from time import monotonic

from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.widgets import Input

from agentcli.base.text import one_line, reveal, strip_controls
from agentcli.frontends.shared.tool_title import tool_title
from agentcli.frontends.shared.tool_view import plus_minus, tool_body
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.paths import short_path
from agentcli.frontends.tui.screens.sheet import Sheet, SheetParts, key_rows, title_rule
from agentcli.frontends.tui.transcript.code import diff_rows, plain_rows
from agentcli.frontends.tui.transcript.rows import Row, Run, fit, make_row, wrap_runs
from agentcli.protocol.asks import Allow, AskReply, Deny, PermissionAsk
from agentcli.protocol.rules import Destination, RuleUpdate

GRACE = 0.4
"""Seconds without a key before one counts: what was typed for the composer decides nothing."""

_NARROW = 60
_DIGITS = frozenset("123456789")
_HARMLESS = {
    "confirm:previous": "scroll:lineUp",
    "confirm:next": "scroll:lineDown",
    **{f"scroll:{how}": f"scroll:{how}" for how in ("lineUp", "lineDown", "pageUp", "pageDown")},
    **{f"scroll:{how}": f"scroll:{how}" for how in ("top", "bottom")},
}
"""Actions that decide nothing, and what they do."""

_SCOPES: list[tuple[Destination, str]] = [
    ("session", "this session"),
    ("localSettings", "this project, only me"),
    ("userSettings", "everywhere"),
]
_MODE_WORDS = {
    "acceptEdits": "accept edits",
    "plan": "plan",
    "default": "ask",
    "dontAsk": "don't ask",
    "bypassPermissions": "bypass permissions",
}


class CommentInput(Input):
    """One line to type; of a paste, all lines."""

    def on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self.replace(" ".join(strip_controls(event.text).split()), *self.selection)


class ApproveScreen(Sheet[AskReply | None]):
    """Answers with Allow or Deny; None when the question was withdrawn."""

    contexts = ("Confirmation",)
    takes_typed = False

    DEFAULT_CSS = """
    ApproveScreen Input, ApproveScreen Input:focus {
        dock: bottom; height: 1; border: none; padding: 0; background: $surface; display: none;
    }
    """

    def __init__(self, ask: PermissionAsk, look: Look, cwd: str, home: str) -> None:
        super().__init__(look)
        self._ask = ask
        self._cwd, self._home = cwd, home
        self._choosing = False
        self._quiet_since = monotonic()
        self.pass_on: Callable[[events.Key | events.Paste], object] = lambda _: None
        """Gets what was typed or pasted for the composer, so that it is not lost."""
        self._input = CommentInput(
            placeholder="what should be done instead", compact=True, select_on_focus=False
        )

    def compose(self) -> ComposeResult:
        yield self.view
        yield self._input

    def redraw(self) -> None:
        super().redraw()
        # in the first row of the foot, behind its mark
        self._input.styles.margin = (0, 0, len(self.view.parts.foot) - 1, 2)

    def options(self) -> list[tuple[str, RuleUpdate]]:
        """What "always" can mean, in words, with the update that it would save."""
        found: list[tuple[str, RuleUpdate]] = []
        for update in self._ask.suggestions:
            if update.mode is not None:
                word = _MODE_WORDS[update.mode]
                found.append((f"{word}, this session", replace(update, destination="session")))
            elif update.rules:
                rules = ", ".join(reveal(str(rule)) for rule in update.rules)
                found += [
                    (f"{words}: {rules}", replace(update, destination=scope))
                    for scope, words in _SCOPES
                ]
        return found

    # drawing

    def draw(self, width: int) -> SheetParts:
        look, ask = self.look, self._ask
        head = [title_rule("needs your approval", width, look, urgent=True), self._title(width)]
        if ask.reason:
            margin: list[Run] = [("  ", look.text)]
            head += wrap_runs([(reveal(ask.reason), look.dim)], width - 4, margin, margin)[:3]
        return SheetParts(head, self._body(width), self._foot(width))

    def _title(self, width: int) -> Row:
        look, preview = self.look, self._ask.preview
        title = tool_title(self._ask.call, self._cwd)
        if self._ask.call.name == "Bash":
            title = replace(title, object="in " + short_path(self._cwd, self._home))
        numbers = plus_minus(preview.added, preview.removed) if preview else ""
        room = max(8, width - len(title.verb) - len(numbers) - 6)
        object_text = fit(title.object, room)
        runs: list[Run] = [
            ("● ", look.warn),
            (title.verb, look.strong),
            (" " + object_text, look.text),
        ]
        if numbers:
            added, _, removed = numbers.partition(" ")
            runs += [
                ("  ", look.text),
                (added, look.ok if added[0] == "+" else look.bad),
                (" " + removed, look.bad),
            ]
        return make_row(runs)

    def _body(self, width: int) -> list[Row]:
        look, ask = self.look, self._ask
        preview = ask.preview
        if preview is not None and preview.kind == "diff" and preview.hunks:
            return diff_rows(preview.hunks, preview.path, width, look)
        if ask.call.name == "Bash":
            return self._command(width)
        if preview is not None and preview.text:
            return plain_rows(reveal(preview.text), width, look, look.text)
        body = tool_body(ask.call, None)
        if body is not None and body.kind == "diff":
            return diff_rows(body.hunks, body.path, width, look)
        lines = [f"{key}: {value}" for key, value in ask.call.input.items()]
        return plain_rows(reveal("\n".join(lines)), width, look, look.text)

    def _command(self, width: int) -> list[Row]:
        """The whole command; the pieces that need the approval are underlined."""
        look = self.look
        command = str(self._ask.call.input.get("command", ""))
        marks = [False] * len(command)
        for part in self._ask.parts:
            # A part has single blanks between its words; the text may have more, and line ends.
            words = r"(?:\\\n|\s)+".join(map(re.escape, part.split()))
            for found in re.finditer(words, command) if words else ():
                marks[found.start() : found.end()] = [True] * len(found.group())
        under = look.warn + Style(underline=True)
        runs: list[Run] = []
        start = 0
        for index in range(1, len(command) + 1):
            if index == len(command) or marks[index] != marks[start]:
                runs.append(
                    (
                        reveal(command[start:index]).expandtabs(4),
                        under if marks[start] else look.text,
                    )
                )
                start = index
        margin: list[Run] = [("  ", look.text)]
        rows = wrap_runs(runs, width - 4, margin, margin)
        about = one_line(str(self._ask.call.input.get("description", "")), 200)
        if about:
            rows += wrap_runs([(about, look.dim)], width - 4, margin, margin)
        return rows

    def _foot(self, width: int) -> list[Row]:
        look = self.look
        if self._input.display:
            keys = [("enter", "send to the model"), ("esc", "back")]
            return [make_row([("›", look.accent_strong)]), *key_rows(keys, width, look)]
        if self._choosing:
            rows = [make_row([("  always", look.strong), (", what would be saved:", look.dim)])]
            for number, (words, _) in enumerate(self.options(), 1):
                first: list[Run] = [("  ", look.text), (f"{number}", look.accent), (" ", look.text)]
                rows += wrap_runs([(words, look.text)], width - 6, first, [("    ", look.text)])
            last = len(self.options())
            # the last key of a no is Esc, which means a step back rather than `n`
            back = self.key_of("confirm:no", last=True) or "ctrl+c"
            keys = [("1" if last == 1 else f"1–{last}", "save and run"), (back, "back")]
            return rows + key_rows(keys, width, look)
        keys = [(self.key_of("confirm:yes"), "once")]
        if options := self.options():
            rules = [str(rule) for update in self._ask.suggestions for rule in update.rules]
            words = reveal(", ".join(rules)) if rules else options[0][0]
            # on a narrow screen the next step shows it in full
            keys.append(
                (
                    self.key_of("confirm:always"),
                    f"always: {words}" if width >= _NARROW else "always",
                )
            )
        keys += [
            (self.key_of("confirm:no") or "ctrl+c", "no"),
            (
                self.key_of("confirm:comment"),
                "no, with a comment" if width >= _NARROW else "comment",
            ),
        ]
        if self.view.hidden or len(self.view.parts.body) > self.size.height - 9:
            keys.append(("↑↓", "scroll"))
        return key_rows([pair for pair in keys if pair[0]], width, look)

    # keys

    def key_contexts(self) -> tuple[str, ...]:
        return () if self._input.display else self.contexts

    def ready(self, action: str) -> bool:
        """Scrolling always counts; all else, the begin of a chord too, not before it was quiet."""
        if action in _HARMLESS:
            return True
        early = monotonic() - self._quiet_since < GRACE
        if early:
            self._quiet_since = monotonic()
        return not early

    def too_early(self, event: events.Key) -> None:
        if event.is_printable or event.key == "backspace":
            self.pass_on(events.Key(event.key, event.character))

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self.pass_on(events.Paste(event.text))

    def take_action(self, name: str) -> bool:
        if super().take_action(_HARMLESS.get(name, name)):
            return True
        if self._choosing and name != "confirm:no":
            return False
        match name:
            case "confirm:yes":
                self.dismiss(Allow())
            case "confirm:always" if self.options():
                self._choosing = True
                self.redraw()
            case "confirm:no":
                self._refuse()
            case "confirm:comment" | "confirm:nextField":
                self._comment(True)
            case _:
                return False
        return True

    def take_key(self, event: events.Key) -> None:
        key, options = event.key, self.options()
        if self._input.display:
            if key in {"escape", "ctrl+c"}:
                event.stop()
                self._comment(False)
            elif key in {"up", "down", "pageup", "pagedown"}:
                self.scroll_key(key)
            elif event.is_printable and event.character:
                # of the burst that began with the key for a comment
                self._input.insert_text_at_cursor(event.character)
        elif key == "ctrl+c":
            self._refuse()
        elif self._choosing and key in _DIGITS and int(key) <= len(options):
            self.dismiss(Allow(remember=(options[int(key) - 1][1],)))

    def _refuse(self) -> None:
        """A step back from the choice of a rule; else a no."""
        if self._choosing:
            self._choosing = False
            self.redraw()
        else:
            self.dismiss(Deny(stop_run=True))

    def _comment(self, on: bool) -> None:
        self._input.display = on
        self.redraw()
        (self._input if on else self.view).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        comment = event.value.strip()
        self.dismiss(Deny(message=comment) if comment else Deny(stop_run=True))
