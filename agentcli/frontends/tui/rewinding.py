"""Doing what was chosen on the rewind sheet or in the tree, and telling how it went."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, TypeVar

from agentcli.base.text import one_line
from agentcli.frontends.tui.screens.rewind_plan import place
from agentcli.frontends.tui.screens.rewind_wish import Extra, Stop, Wish
from agentcli.protocol.errors import AgentCliError
from agentcli.protocol.events import HistoryChanged
from agentcli.protocol.history import RestoreReport
from agentcli.protocol.prompts import SHELL_CALL, Prompt, Queued

if TYPE_CHECKING:
    from agentcli.frontends.tui.app import AgentApp
    from agentcli.frontends.tui.port import EnginePort, HistoryPort
    from agentcli.frontends.tui.screens.tree import TreeStep

DoneT = TypeVar("DoneT")

_NAMED = 3
"""More files than these are only counted."""


def stops_of(history: "HistoryPort") -> list[Stop]:
    """The rows of the rewind sheet: other ways back first, then the prompts, newest first."""
    stops: list[Stop] = []
    if history.can_undo:
        stops.append(Extra("undo", "undo the last rewind"))
    if history.previous is not None:
        stops.append(Extra("previous", "go back to the session before /clear"))
    return [*stops, *reversed(history.prompts())]


async def fulfil(app: "AgentApp", engine: "EnginePort", wish: Wish) -> None:
    """Do it; an error is one line, and nothing changed then."""
    history = engine.history
    try:
        match wish.kind:
            case "previous":
                if history.previous is not None:
                    await app.host.sessions.go_on(engine, history.previous)
            case "undo":
                if (report := await redrawn(app, engine, history.undo())) is not None:
                    tell_report(app, report)
                app.composer.hint("the last rewind is undone", 4.0, stays=True)
            case "from" | "up_to":
                doing = history.summarize(wish.entry_id, wish.kind, wish.focus)
                await app.host.sessions.shorten(engine, doing)
            case "both" | "conversation" | "code":
                await _rewind(app, engine, wish)
    except AgentCliError as error:
        app.say("error", error.message)


async def _rewind(app: "AgentApp", engine: "EnginePort", wish: Wish) -> None:
    conversation, code = wish.kind != "code", wish.kind != "conversation"
    doing = engine.history.rewind(wish.entry_id, conversation=conversation, code=code)
    rewound = await redrawn(app, engine, doing)
    give_back(app, rewound.prompt)
    if rewound.report is not None:
        tell_report(app, rewound.report)


async def redrawn(app: "AgentApp", engine: "EnginePort", doing: Awaitable[DoneT]) -> DoneT:
    """What *doing* returns; if it made the conversation another one, once that is drawn, which
    would wipe out what is said before. Raises what *doing* raises."""
    stream = engine.subscribe()
    drawn = app.conversation.drawn
    drawn.clear()
    try:
        done = await doing
    finally:
        stream.close()
    if [event async for event in stream if isinstance(event, HistoryChanged)]:
        await drawn.wait()
    return done


async def take_step(app: "AgentApp", engine: "EnginePort", step: "TreeStep") -> None:
    """Go to a place in the tree, or branch from it; an error is one line, and nothing changed."""
    history, node = engine.history, step.node
    try:
        if step.kind == "branch":
            await history.branch(step.title, at=node.leaf)
        else:
            await redrawn(app, engine, history.go_to(node.leaf))
            app.composer.hint(f"went to: {one_line(node.text, 40)}", 4.0, stays=True)
    except AgentCliError as error:
        app.say("error", error.message)


def give_back(app: "AgentApp", prompt: Prompt) -> None:
    """Put *prompt* into the composer, its pictures as chips; a draft becomes an earlier prompt."""
    if not prompt:
        return
    composer = app.composer
    if composer.text.strip():
        composer.clear_to_history()
    if isinstance(prompt, str) and prompt.startswith(SHELL_CALL):
        composer.take_queued(Queued(prompt.removeprefix(SHELL_CALL), shell=True))
    else:
        composer.take_queued(Queued(prompt))


def tell_report(app: "AgentApp", report: RestoreReport) -> None:
    """Say what happened to the files: one line for what was done, one for each problem."""
    cwd = app.conversation.cwd
    done = [
        f"{verb} {_named(paths, cwd, app.user_home)}"
        for verb, paths in (("put back", report.restored), ("deleted", report.deleted))
        if paths
    ]
    if done:
        app.say("info", " · ".join(done))
    elif not report.problems:
        app.say("info", "no file had to be changed")
    for problem in report.problems:
        app.say("warning", one_line(problem, 400))


def _named(paths: tuple[str, ...], cwd: str, home: str) -> str:
    names = [one_line(place(path, cwd, home), 80) for path in paths[:_NAMED]]
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    count = "1 file" if len(paths) == 1 else f"{len(paths):,} files"
    return f"{count}: {', '.join(names)}{more}"
