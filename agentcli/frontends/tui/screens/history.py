"""Search through earlier prompts: newest first, the whole of the chosen one beside the list."""

import asyncio
import time
from collections.abc import Sequence

from rich.style import Style
from textual import events
from textual.worker import Worker

from agentcli.base.text import reveal
from agentcli.frontends.shared.prompt_history import PastPrompt, PromptHistory, Scope
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.screens.history_match import Matcher, age, end_of, excerpt, spots
from agentcli.frontends.tui.screens.marked import beside, marked_runs
from agentcli.frontends.tui.screens.sheet import Sheet, SheetParts, key_rows, title_rule
from agentcli.frontends.tui.transcript.rows import Row, Run, fit, make_row, wrap_runs

_SCOPES: tuple[Scope, ...] = ("session", "project", "all")
_SCOPE_NAMES = {"session": "this session", "project": "this project", "all": "all projects"}
_FIRST = 200
_MOST = 20_000
_SLICE = 0.004
_TALLEST = 14
_PREVIEW_FROM = 100
_AGE = 5


class HistoryScreen(Sheet[PastPrompt | None]):
    """Answers with the prompt that was taken, or None: then nothing changed."""

    def __init__(
        self, look: Look, history: PromptHistory, query: str = "", scope: Scope = "project"
    ) -> None:
        super().__init__(look)
        self._history = history
        self._query = query
        self._scope: Scope = scope
        self._loaded: list[PastPrompt] = []
        self._complete = False
        self._matches: list[PastPrompt] = []
        self._index = 0
        self._top = 0
        self._going_on: Worker[None] | None = None
        self._now = time.time()

    @property
    def matches(self) -> Sequence[PastPrompt]:
        """The prompts that fit, newest first."""
        return self._matches

    @property
    def chosen(self) -> PastPrompt | None:
        """The prompt under the cursor."""
        return self._matches[self._index] if self._matches else None

    def on_mount(self) -> None:
        super().on_mount()
        self.run_worker(self._load(), group="load", exclusive=True)

    # finding

    async def _load(self) -> None:
        """Read the history in a thread: the newest first, so that something stands at once."""
        scope = self._scope
        self._complete = False
        for count in (_FIRST, _MOST):
            loaded = await asyncio.to_thread(self._history.older, count, scope)
            self._complete = len(loaded) < count or count == _MOST
            self._loaded = loaded
            self._find()
            if self._complete:
                return

    def _find(self) -> None:
        """Match at once what a key may wait for, the rest in slices: what is shown always fits."""
        chosen = self.chosen
        if self._going_on is not None:
            self._going_on.cancel()
        matcher = Matcher(self._loaded, self._query)
        if not self._show(matcher, matcher.step(_SLICE), chosen):
            self._going_on = self.run_worker(self._go_on(matcher, chosen), group="filter")

    async def _go_on(self, matcher: Matcher, chosen: PastPrompt | None) -> None:
        done = False
        while not done:
            await asyncio.sleep(0)
            done = matcher.step(_SLICE)
        self._show(matcher, True, self.chosen if self._index else chosen)

    def _show(self, matcher: Matcher, done: bool, chosen: PastPrompt | None) -> bool:
        self._matches = matcher.found()
        self._index = self._matches.index(chosen) if chosen in self._matches else 0
        self.redraw()
        return done

    # drawing

    def draw(self, width: int) -> SheetParts:
        look = self.look
        rows = self._rows
        self._top = max(min(self._top, self._index), self._index - rows + 1)
        self._top = max(0, min(self._top, len(self._matches) - rows))
        query: list[Run] = [
            ("› ", look.accent_strong),
            (end_of(self._query, width - 4), look.text),
            ("▏", look.accent),
        ]
        if not self._query:
            query.append(("type to search", look.dim))
        title = f"history · {_SCOPE_NAMES[self._scope]} · {self._count()}"
        list_width = width * 9 // 20 if width >= _PREVIEW_FROM else width
        body = self._list(list_width, rows)
        if width >= _PREVIEW_FROM:
            preview = self._preview(width - list_width - 3, rows)
            body = beside(body, preview, list_width, look)
        keys = [
            ("enter", "take"),
            ("↑↓", "move"),
            ("ctrl+s", "session · project · all"),
            ("esc", "back"),
        ]
        return SheetParts(
            [title_rule(title, width, look), make_row(query)], body, key_rows(keys, width, look)
        )

    @property
    def _rows(self) -> int:
        """Rows of the list: the same whatever is found, so that nothing jumps while typing."""
        return max(1, min(_TALLEST, self.size.height - 9))

    def _count(self) -> str:
        total = f"{len(self._loaded):,}" + ("" if self._complete else "+")
        return f"{len(self._matches):,} of {total}" if self._query else total

    def _list(self, width: int, rows: int) -> list[Row]:
        look = self.look
        shown = self._matches[self._top : self._top + rows]
        drawn = [self._row(past, self._top + at, width) for at, past in enumerate(shown)]
        if not drawn:
            text = "nothing matches" if self._query else "no earlier prompts"
            drawn = [make_row([("  " + (text if self._complete else "reading …"), look.dim)])]
        return drawn + [make_row([])] * (rows - len(drawn))

    def _row(self, past: PastPrompt, index: int, width: int) -> Row:
        look = self.look
        picked = index == self._index
        base = look.accent_strong if picked else look.text
        told = age(past.timestamp / 1_000, self._now).rjust(_AGE)
        runs: list[Run] = [("› " if picked else "  ", look.accent), (told + "  ", look.dim)]
        room = max(1, width - _AGE - 5)
        text = fit(excerpt(reveal(past.display), self._query, room), room)
        marked = base + Style(underline=True) if picked else look.accent
        return make_row([*runs, *marked_runs(text, spots(text, self._query), base, marked)])

    def _preview(self, width: int, rows: int) -> list[Row]:
        look, past = self.look, self.chosen
        if past is None:
            return [make_row([])] * rows
        text = reveal(past.display[:8_000]).replace("\t", "    ")
        runs = marked_runs(text, spots(text, self._query), look.text, look.accent)
        drawn = wrap_runs(runs, width, [], [])
        if len(drawn) > rows:
            more = len(drawn) - rows + 1
            drawn = [*drawn[: rows - 1], make_row([(f"↓ {more} more lines", look.dim)])]
        return drawn + [make_row([])] * (rows - len(drawn))

    # keys

    def on_key(self, event: events.Key) -> None:
        event.stop()
        match event.key:
            case "escape" | "ctrl+c" | "ctrl+g":
                self.dismiss(None)
            case "enter" | "tab":
                if self.chosen is not None:
                    self.dismiss(self.chosen)
            case "ctrl+r":
                self._move("down")
            case "ctrl+s":
                self._next_scope()
            case "up" | "ctrl+p" | "down" | "ctrl+n" | "pageup" | "pagedown" | "home" | "end":
                self._move(event.key)
            case "backspace" | "ctrl+h":
                self._ask(self._query[:-1])
            case "ctrl+w":
                self._ask(self._query.rstrip().rpartition(" ")[0])
            case "ctrl+u":
                self._ask("")
            case _:
                if event.is_printable and event.character:
                    self._ask(self._query + event.character)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self._ask(self._query + " ".join(event.text.split()))

    def _ask(self, query: str) -> None:
        self._query = query
        self._matches, self._index, self._top = [], 0, 0
        self._find()

    def _next_scope(self) -> None:
        self._scope = _SCOPES[(_SCOPES.index(self._scope) + 1) % len(_SCOPES)]
        self._index = self._top = 0
        self._loaded, self._matches = [], []
        self._complete = False
        self.redraw()
        self.run_worker(self._load(), group="load", exclusive=True)

    def _move(self, key: str) -> None:
        page = max(1, self._rows - 1)
        last = len(self._matches) - 1
        step = {"up": -1, "ctrl+p": -1, "down": 1, "ctrl+n": 1, "pageup": -page, "pagedown": page}
        target = {"home": 0, "end": last}.get(key, self._index + step.get(key, 0))
        self._index = max(0, min(target, last))
        self.redraw()
