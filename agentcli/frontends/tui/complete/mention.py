"""From paths that were found to rows of the menu, for a mention that is being typed."""

from collections.abc import Iterable

from agentcli.context.mentions import mention_text
from agentcli.frontends.tui.complete.candidate import Candidate, Kind
from agentcli.frontends.tui.complete.fuzzy import marks
from agentcli.frontends.tui.complete.token import Token


def path_rows(
    paths: Iterable[str], token: Token, ignored: frozenset[str] | None = None
) -> list[Candidate]:
    """A row for each of *paths* (a folder ends with ``/``); those in *ignored* say so. Pure."""
    rows: list[Candidate] = []
    for path in paths:
        folder = path.endswith("/")
        hidden = ignored is not None and path in ignored
        kind: Kind = "ignored" if hidden else "folder" if folder else "file"
        about = "ignored by git" if hidden else ""
        spots = marks(token.query, path)
        value = _value(path, token)
        rows.append(
            Candidate(value, path, about, spots, kind, token.start, token.end, stays=folder)
        )
    return rows


def whole_folder(token: Token) -> Candidate:
    """The row that takes the folder itself, typed with its ``/``. Pure."""
    return Candidate(
        value=_value(token.query, token),
        label=token.query,
        about="the whole folder",
        marks=tuple(range(len(token.query))),
        kind="folder",
        start=token.start,
        end=token.end,
    )


def _value(path: str, token: Token) -> str:
    if token.kind == "mention":
        return mention_text(path)
    return path
