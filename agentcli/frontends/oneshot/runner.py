"""One prompt through the engine, written to stdout; the exit code says whether it succeeded."""

import asyncio
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, TextIO

from agentcli.base.text import one_line
from agentcli.engine.asking import Asker
from agentcli.engine.bus import EventStream
from agentcli.engine.engine import Engine
from agentcli.frontends.oneshot.ask import DenyingAsker
from agentcli.frontends.oneshot.formats import OutputFormat, Writer, make_writer
from agentcli.frontends.oneshot.streams import say, tell, tell_stdout_gone
from agentcli.frontends.shared.tool_title import tool_title
from agentcli.frontends.shared.tool_view import tool_summary
from agentcli.protocol.events import Compacted, Event, Notice, Retrying, RunResult, ToolFinished

INTERRUPT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
_COMPACT = "/compact"


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """``partials``: also the raw stream events in stream-json; ``verbose``: each call on stderr."""

    output_format: OutputFormat = "text"
    verbose: bool = False
    partials: bool = False


def run_print(
    make_engine: Callable[[Asker], Engine],
    prompt: str,
    options: PrintOptions,
    out: BinaryIO | None = None,
    err: TextIO | None = None,
) -> int:
    """Run *prompt* to its end. 0 for success, 1 for a failed run, 128+n for a signal.

    Raises AgentCliError where the engine cannot be made.
    """
    return asyncio.run(
        _run(make_engine, prompt, options, out or sys.stdout.buffer, err or sys.stderr)
    )


async def _run(
    make_engine: Callable[[Asker], Engine],
    prompt: str,
    options: PrintOptions,
    out: BinaryIO,
    err: TextIO,
) -> int:
    engine = make_engine(DenyingAsker())
    signals: list[signal.Signals] = []

    def on_signal(number: signal.Signals) -> None:
        signals.append(number)
        engine.interrupt()

    loop = asyncio.get_running_loop()
    for number in INTERRUPT_CODES:
        loop.add_signal_handler(number, on_signal, number)
    if engine.load_problem:
        tell(engine.load_problem, err)
    writer = make_writer(options.output_format, out, engine)
    stream = engine.subscribe(wants_raw=options.partials)
    pump = asyncio.create_task(_pump(stream, writer, options, err, str(engine.cwd)))
    try:
        writer.begin()
        result = await _prompt(engine, prompt, pump)
        stream.close()
        await pump
        writer.end(result)
        _report(result, engine, err)
    except OSError as error:
        tell_stdout_gone(error, err)
        return 1
    finally:
        pump.cancel()
        await engine.aclose()
    if signals:
        return INTERRUPT_CODES[signals[0]]
    return 0 if result.outcome == "success" and not engine.unsaved else 1


async def _prompt(engine: Engine, prompt: str, pump: "asyncio.Task[None]") -> RunResult:
    """The run's result; a stdout that broke meanwhile ends the run and raises its OSError."""
    run = asyncio.ensure_future(_send(engine, prompt))
    await asyncio.wait({run, pump}, return_when=asyncio.FIRST_COMPLETED)
    if not run.done():
        engine.interrupt()
    result = await run
    assert result is not None, "one prompt at a time: it is never queued"
    return result


async def _send(engine: Engine, prompt: str) -> RunResult | None:
    command, _, focus = prompt.strip().partition(" ")
    return await (engine.history.compact(focus) if command == _COMPACT else engine.prompt(prompt))


async def _pump(
    stream: EventStream, writer: Writer, options: PrintOptions, err: TextIO, cwd: str
) -> None:
    async for event in stream:
        writer.event(event)
        _diagnose(event, options, err, cwd)


def _diagnose(event: Event, options: PrintOptions, err: TextIO, cwd: str) -> None:
    match event:
        case Notice(level=level) if level != "info":
            tell(one_line(event.text, 500), err)
        case Compacted(trigger="auto"):
            tell(f"compacted: {event.pre_tokens:,} → about {event.post_tokens:,} tokens", err)
        case Retrying():
            tell(
                f"{one_line(event.reason)}; retry {event.attempt} of {event.max_attempts} "
                f"in {event.delay:.1f}s",
                err,
            )
        case ToolFinished() if options.verbose and options.output_format == "text":
            title = tool_title(event.call, cwd)
            mark = "✗" if event.result.is_error else "✓"
            line = f"{mark} {title.verb} {title.object}  {tool_summary(event.call, event.result)}"
            say(one_line(line), err)
        case _:
            pass


def _report(result: RunResult, engine: Engine, err: TextIO) -> None:
    for denial in result.denials:
        title = tool_title(denial.call, str(engine.cwd))
        tell(
            f"not allowed: {title.verb} {one_line(title.object)}; to allow it, pass "
            f"--allowedTools with a rule for {denial.call.name}, or another --permission-mode.",
            err,
        )
    if result.error:
        tell(one_line(result.error, 1000), err)
    elif result.outcome == "interrupted":
        tell(f"interrupted; go on with --resume {engine.session_id}", err)
