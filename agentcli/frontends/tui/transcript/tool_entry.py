"""One tool call in the transcript: a single line while folded, below it the result."""

from dataclasses import replace
from typing import Literal

from rich.cells import cell_len

from agentcli.base.text import strip_controls
from agentcli.frontends.shared.tool_title import ToolTitle, tool_title
from agentcli.frontends.shared.tool_view import tool_body, tool_duration, tool_error, tool_summary
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.code import diff_rows, plain_rows
from agentcli.frontends.tui.transcript.entries import Entry, Source
from agentcli.frontends.tui.transcript.images import Picture, pictures
from agentcli.frontends.tui.transcript.links import linked
from agentcli.frontends.tui.transcript.rows import GUTTER, Row, Run, clip_rows, fit, make_row
from agentcli.protocol.asks import Hunk
from agentcli.protocol.calls import ToolCall, ToolResult
from agentcli.protocol.prompts import SHELL_CALL

_BODY_LIMIT = 2_000
_OWN_LINES = 40
_LIVE_OUTPUT = 10_000
"""Characters of output that a running call shows at least."""

ToolState = Literal["writing", "waiting", "asking", "running", "done", "failed"]

_GLYPHS: dict[ToolState, str] = {
    "writing": "●",
    "waiting": "●",
    "asking": "●",
    "running": "◐",
    "done": "✓",
    "failed": "✗",
}


class ToolEntry(Entry):
    """Folded by default; an error shows its first line even so."""

    is_work = True

    def __init__(self, name: str, call: ToolCall | None = None, cwd: str = "") -> None:
        super().__init__()
        self.call = call
        self.cwd = cwd
        self.state: ToolState = "writing" if call is None else "waiting"
        self.result: ToolResult | None = None
        self.duration_ms = 0
        self.progress = ""
        self._name = name
        self._images: list[Picture] | None = None
        # who runs a command by hand wants to see what it says
        self.folded = name != SHELL_CALL

    @property
    def foldable(self) -> bool:
        return self.call is not None

    @property
    def title(self) -> ToolTitle:
        """Verb and object of the call, as far as they are known."""
        call = self.call or ToolCall("", self._name, {})
        return tool_title(call, self.cwd)

    def source_text(self) -> Source:
        head = f"{self.title.verb} {self.title.object}".strip()
        return Source(f"{head}\n{self._plain_body()}", len(head))

    def _plain_body(self) -> str:
        body = tool_body(self.call, self.result) if self.call is not None else None
        if body is not None and body.kind == "diff":
            # without the column of + and −, which is no text on the screen either
            return "\n".join(line[1:] for hunk in body.hunks for line in hunk.lines)
        text = body.text if body is not None else ""
        live = strip_controls(self.progress) if self.result is None else ""
        return "\n".join(part for part in (text, live) if part)

    def finish(self, result: ToolResult, duration_ms: int) -> None:
        """The call is over. Output of the person's own command folds where it is long."""
        self.state = "failed" if result.is_error else "done"
        self.result, self.duration_ms = result, duration_ms
        if self._name == SHELL_CALL and not self.folded:
            self.folded = self._plain_body().count("\n") >= _OWN_LINES

    def take_progress(self, text: str) -> None:
        """Keep the next piece of output; of very much, the newest lines."""
        self.progress += text
        if len(self.progress) > 2 * _LIVE_OUTPUT:
            newest = self.progress[-_LIVE_OUTPUT:]
            self.progress = "…\n" + newest[newest.find("\n") + 1 :]

    def rows(self, width: int, look: Look) -> list[Row]:
        rows = [self._head(width, look)]
        error = tool_error(self.result) if self.result is not None else ""
        if not self.folded:
            rows += self._body(width, look)
        elif error:
            margin: list[Run] = [("  ", look.text)]
            rows.append(make_row([*margin, (fit(error, max(1, width - 3)), look.bad)]))
        return clip_rows(rows, width)

    def estimate(self, width: int) -> int:
        failed = self.result is not None and self.result.is_error
        return 1 + (failed if self.folded else 20)

    def _head(self, width: int, look: Look) -> Row:
        glyph_style = {
            "writing": look.dim,
            "waiting": look.dim,
            "asking": look.warn,
            "running": look.accent,
            "done": look.ok,
            "failed": look.bad,
        }[self.state]
        title = self.title
        facts = self._facts()
        room = width - GUTTER - len(title.verb) - 1
        if facts:
            room -= cell_len(facts) + 2
        object_text = fit(title.object, max(room, min(12, width // 3)))
        runs: list[Run] = [(_GLYPHS[self.state] + " ", glyph_style), (title.verb, look.strong)]
        if object_text:
            runs += [(" ", look.text), (object_text, linked(look.text, title.object))]
        if facts:
            runs += [("  ", look.text), *_fact_runs(facts, look)]
        return make_row(runs)

    def _facts(self) -> str:
        if self.call is None or self.result is None:
            return ""
        images = self._pictures()
        told = images[0].name.strip("[]") if images else tool_summary(self.call, self.result)
        parts = [told, tool_duration(self.duration_ms)]
        return " · ".join(part for part in parts if part)

    def _pictures(self) -> list[Picture]:
        if self._images is None and self.result is not None:
            self._images = pictures(self.result.content, lambda: self.redraw())
        return self._images or []

    def _body(self, width: int, look: Look) -> list[Row]:
        body = tool_body(self.call, self.result) if self.call is not None else None
        if body is not None and body.kind == "diff":
            hunks, hidden = _cut_hunks(body.hunks, _BODY_LIMIT)
            return diff_rows(hunks, body.path, width, look) + _more_rows(hidden, look)
        if images := self._pictures():
            return [row for image in images for row in image.rows(width, look)]
        text = body.text if body is not None else ""
        if self.result is None and self.progress:
            text = "\n".join([text, strip_controls(self.progress)]).strip("\n")
        if not text:
            return [make_row([("  no output", look.dim)])]
        lines = text.split("\n")
        failed = self.result is not None and self.result.is_error
        style = look.bad if failed and len(lines) == 1 else look.dim
        rows = plain_rows("\n".join(lines[:_BODY_LIMIT]), width, look, style)
        return rows + _more_rows(len(lines) - _BODY_LIMIT, look)


def _cut_hunks(hunks: tuple[Hunk, ...], limit: int) -> tuple[list[Hunk], int]:
    """At most *limit* lines of *hunks*, and how many were left out."""
    kept: list[Hunk] = []
    free = limit
    for hunk in hunks:
        if free > 0:
            kept.append(replace(hunk, lines=hunk.lines[:free]))
        free -= len(hunk.lines)
    return kept, max(0, -free)


def _more_rows(hidden: int, look: Look) -> list[Row]:
    return [make_row([(f"  … {hidden:,} more lines", look.dim)])] if hidden > 0 else []


def _fact_runs(facts: str, look: Look) -> list[Run]:
    """Numbers are dim; what was added and removed keeps its colours."""
    runs: list[Run] = []
    for index, word in enumerate(facts.split(" ")):
        style = look.dim
        if word[1:].isdigit():
            style = look.ok if word[0] == "+" else look.bad if word[0] == "−" else look.dim
        runs.append(((" " if index else "") + word, style))
    return runs
