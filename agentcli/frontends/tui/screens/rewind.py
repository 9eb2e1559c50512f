"""Going back to an earlier prompt: choose it, see what that would do, choose how."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from textual import events

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.screens.field import Field
from agentcli.frontends.tui.screens.rewind_list import StopList, stepped
from agentcli.frontends.tui.screens.rewind_plan import option_rows, plan_rows, prompt_rows
from agentcli.frontends.tui.screens.rewind_wish import Extra, Option, Stop, Wish, options_for
from agentcli.frontends.tui.screens.sheet import Sheet, SheetParts, key_rows, title_rule
from agentcli.frontends.tui.transcript.rows import Row, Run, make_row, wrap_runs
from agentcli.protocol.errors import AgentCliError
from agentcli.protocol.history import PromptPoint, RestorePlan

if TYPE_CHECKING:
    from agentcli.frontends.tui.app import AgentApp

_LOW = 20
"""Rows of a window below which the second step leaves out what is only air."""
_MOVES = {
    "messageSelector:up": "previous",
    "messageSelector:down": "next",
    "messageSelector:top": "first",
    "messageSelector:bottom": "last",
    **{f"select:{step}": step for step in ("previous", "next", "pageUp", "pageDown")},
    **{f"select:{step}": step for step in ("first", "last")},
}
_TAKING = ("messageSelector:select", "select:accept")


class RewindScreen(Sheet[Wish | None]):
    """Answers with what is wished for, or None: then nothing changes. *ask_plan* tells what
    restoring the files to a prompt would do."""

    contexts = ("MessageSelector", "Select")

    def __init__(
        self,
        look: Look,
        stops: Sequence[Stop],
        ask_plan: Callable[[str], Awaitable[RestorePlan]],
        cwd: str,
        home: str,
    ) -> None:
        super().__init__(look)
        self._ask_plan = ask_plan
        self._cwd, self._home = cwd, home
        self.list = StopList(stops, cwd, home)
        self.point: PromptPoint | None = None
        """The prompt that the second step is about."""
        self.options: tuple[Option, ...] = ()
        """The ways to go back to it; none before they are known."""
        self._plan: RestorePlan | None = None
        self._problem = ""
        self._option = 0
        self._focus = Field()

    # drawing

    def draw(self, width: int) -> SheetParts:
        point = self.point
        return self._draw_list(width) if point is None else self._draw_step(point, width)

    def _draw_list(self, width: int) -> SheetParts:
        look, found = self.look, self.list
        line: list[Run] = [("› ", look.accent_strong)]
        line += found.query.runs(width - 3, look, "type to search")
        head = [title_rule(f"rewind · {found.count}", width, look), make_row(line)]
        body = found.draw(width, self._list_rows, look)
        keys = [(self.key_of(_TAKING[0]), "choose"), ("↑↓", "move"), self._way_back()]
        return SheetParts(head, body, key_rows(keys, width, look))

    @property
    def _list_rows(self) -> int:
        return self.list.height(*self.size)

    def _draw_step(self, point: PromptPoint, width: int) -> SheetParts:
        look = self.look
        low = self.size.height < _LOW
        air = [] if low else [make_row([])]
        head = [title_rule("rewind to before this prompt", width, look)]
        head += prompt_rows(point, width, 1 if low else 3, look)
        foot = key_rows(self._step_keys(), width, look)
        if self.options:
            most = max(1, min(len(self.options), self.size.height - 7 - len(foot) - len(head)))
            rows = option_rows(self.options, self._option, self._focus, width, most, look)
            foot = [*air, *rows, *foot]
        return SheetParts(head, [*air, *self._told_plan(width)], foot)

    def _told_plan(self, width: int) -> list[Row]:
        look = self.look
        if self._problem:
            margin: list[Run] = [("  ", look.text)]
            return wrap_runs([(self._problem, look.warn)], width - 4, margin, margin)
        if self._plan is None:
            return [make_row([("  looking at files …", look.dim)])]
        return plan_rows(self._plan, self._cwd, self._home, width, look)

    def _step_keys(self) -> list[tuple[str, str]]:
        keys: list[tuple[str, str]] = []
        if self.options:
            keys = [(self.key_of("select:accept"), "do it"), ("↑↓", "move")]
            if self.options[self._option].takes_focus:
                keys.append(("type", "what to keep in mind"))
        return [*keys, self._way_back()]

    def _way_back(self) -> tuple[str, str]:
        return self.key_of("select:cancel") or "ctrl+c", "back"

    # the second step

    def _open_step(self, point: PromptPoint | None) -> None:
        self.point, self._plan, self._problem = point, None, ""
        self.options, self._option, self._focus = (), 0, Field()
        self.view.top = 0
        self.redraw()
        if point is not None:
            self.run_worker(self._look_at(point), group="plan", exclusive=True)

    async def _look_at(self, point: PromptPoint) -> None:
        plan: RestorePlan | None = None
        problem = ""
        try:
            plan = await self._ask_plan(point.entry_id)
        except AgentCliError as error:
            problem = f"files cannot be restored: {error.message}"
        if self.point is point:
            self._plan, self._problem = plan, problem
            self.options = options_for(plan)
            self.redraw()

    def _decide(self, index: int) -> None:
        """Answer with the option *index* of the second step."""
        if self.point is None or not 0 <= index < len(self.options):
            return
        option = self.options[index]
        focus = self._focus.text.strip() if option.takes_focus else ""
        kind = option.kind
        self.dismiss(Wish(kind, self.point.entry_id, focus) if kind is not None else None)

    # keys

    def key_contexts(self) -> tuple[str, ...]:
        return self.contexts if self.point is None else ("Select",)

    def take_action(self, name: str) -> bool:
        match name:
            case "select:cancel" if self.point is not None:
                self._open_step(None)
            case "select:cancel":
                self.dismiss(None)
            case _ if name in _TAKING:
                self._take()
            case _ if name in _MOVES:
                self._move(_MOVES[name])
            case _:
                return False
        return True

    def _take(self) -> None:
        stop = self.list.chosen
        if self.point is not None:
            self._decide(self._option)
        elif isinstance(stop, Extra):
            self.dismiss(Wish(stop.kind))
        elif stop is not None:
            self._open_step(stop)

    def _move(self, step: str) -> None:
        if self.point is None:
            self.list.move(step, max(1, self._list_rows - 1))
            self.redraw()
        elif step.startswith("page"):
            self.scroll_key(step.lower())
        elif self.options:
            self._option = stepped(step, self._option, len(self.options), 1)
            self.redraw()

    def on_mouse_scroll_down(self) -> None:
        if self.point is None:
            self._move("next")

    def on_mouse_scroll_up(self) -> None:
        if self.point is None:
            self._move("previous")

    def take_key(self, event: events.Key) -> None:
        if event.key == "ctrl+c":
            self.dismiss(None)
        elif self.point is None:
            self._search(self.list.query.press(event.key, event.character))
        elif self.options:
            # a digit chooses, unless it goes on with what is said about a summary
            saying = self.options[self._option].takes_focus
            if event.key.isdecimal() and not (saying and self._focus.text):
                self._decide(int(event.key) - 1)
            elif saying:
                self._say(self._focus.press(event.key, event.character))

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if self.point is None:
            self._search(self.list.query.insert(event.text))
        elif self.options and self.options[self._option].takes_focus:
            self._say(self._focus.insert(event.text))

    def _search(self, query: Field | None) -> None:
        if query is not None:
            self.list.search(query)
            self.redraw()

    def _say(self, focus: Field | None) -> None:
        if focus is not None:
            self._focus = focus
            self.redraw()


def open_rewind(app: "AgentApp") -> None:
    """Let the person go back; while a turn is on or where nothing was said yet, a line says so."""
    from agentcli.frontends.tui.rewinding import fulfil, stops_of

    engine = app.conversation.engine
    if engine is None:
        app.say("error", app.conversation.failure or "not ready yet; try again in a moment")
        return
    if engine.running:
        app.say("warning", "a turn is on; esc stops it, then rewind")
        return
    try:
        stops = stops_of(engine.history)
    except AgentCliError as error:
        app.say("error", error.message)
        return
    if not stops:
        app.say("info", "there is no prompt to go back to yet")
        return

    def answer(wish: Wish | None) -> None:
        if wish is not None:
            app.run_worker(fulfil(app, engine, wish), group="command")

    plan = engine.history.plan_restore
    sheet = RewindScreen(app.look, stops, plan, app.conversation.cwd, app.user_home)
    app.deck.open(sheet, answer)
