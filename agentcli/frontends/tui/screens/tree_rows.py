"""How the lines of a session's tree and what belongs to one of them are drawn. Pure."""

from collections.abc import Sequence
from datetime import datetime

from rich.cells import cell_len
from rich.style import Style

from agentcli.base.text import one_line, reveal
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.screens.history_match import spots
from agentcli.frontends.tui.screens.marked import marked_runs
from agentcli.frontends.tui.screens.rewind_plan import place
from agentcli.frontends.tui.screens.tree_walk import TreeWalk
from agentcli.frontends.tui.transcript.rows import Row, Run, fit, make_row, wrap_runs
from agentcli.protocol.history import TreeNode

_MOST = 400
"""Characters of a prompt that a line may show."""
_GLYPHS = {"prompt": "", "compact": "◇ ", "fork": "◆ "}


def tree_row(
    walk: TreeWalk, at: int, picked: bool, query: str, width: int, now: float, look: Look
) -> Row:
    """One line: when, the glyphs of the tree, the prompt's words, where it stands."""
    node, prefix = walk.node(at), walk.lines[at].prefix
    when = told_time(node.at, now).rjust(_time_width(width))
    glyph = _GLYPHS[node.kind]
    note, style = _note(walk, at, look)
    prefix = _tail(prefix, max(6, width // 3))
    lead: list[Run] = [
        ("› " if picked else "  ", look.accent),
        (when + "  ", look.dim),
        (prefix, look.dim),
        (glyph, look.accent if node.on_path else look.dim),
    ]
    room = max(1, width - 1 - sum(cell_len(text) for text, _ in lead))
    if note and room - cell_len(note) < 14:
        note = note if node.here and room > 16 else ""
    room -= cell_len(note) + 2 if note else 0
    base = look.accent_strong if picked else look.text if node.on_path else look.dim
    text = fit(one_line(node.text, _MOST), room)
    marked = base + Style(underline=True) if picked else look.accent
    words = marked_runs(text, spots(text, query), base, marked)
    if not note:
        return make_row([*lead, *words])
    return make_row([*lead, *words, (" " * (room - cell_len(text) + 2), look.text), (note, style)])


def _note(walk: TreeWalk, at: int, look: Look) -> tuple[str, Style]:
    if walk.node(at).here:
        return "← here", look.accent
    if not walk.begins_branch(at):
        return "", look.dim
    count = walk.prompts_in(at)
    return (f"(branch, {count:,} prompts)" if count > 1 else "(branch)"), look.dim


def told_time(at: float, now: float) -> str:
    """``12:02`` today, else ``30 Nov``; "" where it is not known. In the local time zone."""
    if at <= 0:
        return ""
    then, today = datetime.fromtimestamp(at), datetime.fromtimestamp(now)
    if then.date() == today.date():
        return f"{then:%H:%M}"
    return f"{then.day} {then:%b}" if then.year == today.year else f"{then:%Y}"


def _time_width(width: int) -> int:
    return 6 if width >= 60 else 5


def _tail(prefix: str, width: int) -> str:
    """The inner end of a prefix that is too deep for the screen."""
    return prefix if len(prefix) <= width else "…" + prefix[len(prefix) - width + 1 :]


def node_rows(
    node: TreeNode, where: tuple[str, str], width: int, longest: int, look: Look
) -> list[Row]:
    """Prompt, answer and files of one node; at most *longest* characters of its texts. *where*: the
    working folder and the home, for short paths."""
    # not before the first preview: Markdown takes its time to be imported
    from agentcli.frontends.tui.transcript.markdown import markdown_rows

    rows = [make_row([(_stamp(node), look.dim)]), make_row([])]
    text = reveal(node.text[:longest]).replace("\t", "    ")
    mark = _GLYPHS[node.kind] or "› "
    rows += wrap_runs([(text, look.strong)], width - 3, [(mark, look.accent)], [("  ", look.text)])
    if len(node.text) > longest:
        rows.append(make_row([("  …", look.dim)]))
    if node.files:
        rows += [make_row([]), *file_rows(node, where, width, look)]
    if node.answer.strip():
        rows += [make_row([]), *markdown_rows(node.answer[:longest].strip(), width, look)]
        if len(node.answer) > longest:
            rows.append(make_row([("  …", look.dim)]))
    return rows


def file_rows(node: TreeNode, where: tuple[str, str], width: int, look: Look) -> list[Row]:
    """The files that the turn of *node* wrote."""
    count = "1 file" if len(node.files) == 1 else f"{len(node.files):,} files"
    names = (fit(reveal(place(path, *where)), width - 4) for path in node.files)
    return [
        make_row([(f"  {count} written", look.dim)]),
        *(make_row([("  ", look.text), ("~ ", look.accent), (name, look.text)]) for name in names),
    ]


def cut(rows: Sequence[Row], height: int, look: Look) -> list[Row]:
    """*rows* made just *height* tall, what is left out counted."""
    if len(rows) > height:
        more = len(rows) - height + 1
        return [*rows[: height - 1], make_row([(f"  ↓ {more} more lines", look.dim)])]
    return [*rows, *([make_row([])] * (height - len(rows)))]


def _stamp(node: TreeNode) -> str:
    if node.at <= 0:
        return "  time not known"
    return f"  {datetime.fromtimestamp(node.at):%Y-%m-%d %H:%M}"
