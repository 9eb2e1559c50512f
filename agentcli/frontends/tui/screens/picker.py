"""One list for every choice: type to filter, arrows to move, Enter to take, Esc changes nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.style import Style
from textual import events

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.screens.history_match import end_of
from agentcli.frontends.tui.screens.sheet import Sheet, SheetParts, key_rows, title_rule
from agentcli.frontends.tui.transcript.rows import Row, Run, fit, make_row

_STEPS = {
    f"select:{step}": step for step in ("previous", "next", "pageUp", "pageDown", "first", "last")
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One row: ``value`` is handed back, ``label`` and ``about`` are shown; all of them, and
    ``words`` that are not, can be searched for."""

    value: str
    label: str
    about: str = ""
    words: str = ""


class PickerScreen(Sheet[str | None]):
    """Answers with the value of a choice, or None. ``on_move`` hears of every row stepped on."""

    contexts = ("Select",)

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice],
        look: Look,
        current: str = "",
        on_move: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(look)
        self._title = title
        self._choices = list(choices)
        self._query = ""
        self._current = current
        self._on_move = on_move
        values = [choice.value for choice in choices]
        self._index = values.index(current) if current in values else 0

    @property
    def matches(self) -> list[Choice]:
        """The choices that hold every word of the query."""
        words = self._query.lower().split()
        return [
            choice
            for choice in self._choices
            if all(
                word in f"{choice.label} {choice.about} {choice.words}".lower() for word in words
            )
        ]

    def restyle(self, look: Look) -> None:
        """Draw in another theme: for its preview."""
        self.look = self.view.look = look
        self.redraw()

    def draw(self, width: int) -> SheetParts:
        look = self.look
        cursor: Run = ("▏", look.accent)
        query: list[Run] = [
            ("› ", look.accent_strong),
            (end_of(self._query, width - 4), look.text),
            cursor,
        ]
        if not self._query:
            query.append(("type to filter", look.dim))
        head = [title_rule(self._title, width, look), make_row(query)]
        matches = self.matches
        names = max((cell_len(choice.label) for choice in matches), default=0)
        body = [self._row(choice, index, names, width) for index, choice in enumerate(matches)]
        if not body:
            body = [make_row([("  nothing matches", look.dim)])]
        take, back = self.key_of("select:accept"), self.key_of("select:cancel") or "ctrl+c"
        keys = [(take, "take"), ("↑↓", "move"), (back, "back")]
        return SheetParts(head, body, key_rows(keys, width, look))

    def _row(self, choice: Choice, index: int, names: int, width: int) -> Row:
        look = self.look
        picked = index == self._index
        now = " ✓" if choice.value == self._current else "  "
        label = choice.label + " " * (names - cell_len(choice.label))
        runs: list[Run] = [("› " if picked else "  ", look.accent)]
        runs += self._matched(label, look.accent_strong if picked else look.text)
        runs += [(now, look.ok), ("  " + fit(choice.about, max(1, width - names - 7)), look.dim)]
        return make_row(runs)

    def _matched(self, label: str, base: Style) -> list[Run]:
        """The label with the first match of the query in the accent colour."""
        word = self._query.lower().split()[0] if self._query.split() else ""
        at = label.lower().find(word) if word else -1
        if at < 0:
            return [(label, base)]
        end = at + len(word)
        return [(label[:at], base), (label[at:end], self.look.accent), (label[end:], base)]

    # keys

    def take_action(self, name: str) -> bool:
        match name:
            case "select:cancel":
                self.dismiss(None)
            case "select:accept":
                if matches := self.matches:
                    self.dismiss(matches[self._index].value)
            case _ if name in _STEPS:
                self._move(_STEPS[name])
            case _:
                return False
        return True

    def take_key(self, event: events.Key) -> None:
        match event.key:
            case "ctrl+c":
                self.dismiss(None)
            case "backspace":
                self._filter(self._query[:-1])
            case "ctrl+u":
                self._filter("")
            case _:
                if event.is_printable and event.character:
                    self._filter(self._query + event.character)

    def _filter(self, query: str) -> None:
        self._query = query
        self._index = 0
        self._step_to(0)

    def _move(self, step: str) -> None:
        page = max(1, self.view.room - 1)
        last = len(self.matches) - 1
        steps = {"previous": -1, "next": 1, "pageUp": -page, "pageDown": page}
        target = {"first": 0, "last": last}.get(step, self._index + steps.get(step, 0))
        self._step_to(max(0, min(target, last)))

    def _step_to(self, index: int) -> None:
        self._index = index
        matches = self.matches
        if self._on_move is not None and matches:
            self._on_move(matches[index].value)
        self.redraw()
        self.view.reveal_row(index)
        self.view.refresh()
