"""The scripted server as a process of its own, for benchmarks and end-to-end tests."""

import argparse
import asyncio
import os
import signal
import sys
import threading

from agentcli.demo.scripts import SCRIPTS, load_script
from agentcli.demo.server import ScriptedServer


def main(argv: list[str] | None = None) -> int:
    """Serve until standard input ends or SIGTERM or SIGINT comes; the URL is the first line."""
    parser = argparse.ArgumentParser(prog="agentcli.demo.server", description=__doc__)
    parser.add_argument("--script", choices=sorted(SCRIPTS), default="demo")
    parser.add_argument("--host", default="127.0.0.1", help="a loopback address")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--pace", type=float, default=1.0, help="1 as scripted, 0 at once")
    parser.add_argument("--api-key", help="refuse all other keys")
    parser.add_argument("--no-check", action="store_true", help="refuse no malformed request")
    asyncio.run(_serve(parser.parse_args(argv)))
    return 0


async def _serve(args: argparse.Namespace) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    server = ScriptedServer(
        load_script(args.script),
        host=args.host,
        port=args.port,
        pace=args.pace,
        keep_requests=False,
        api_key=args.api_key,
        check=not args.no_check,
    )
    async with server:
        sys.stdout.write(server.base_url + "\n")
        sys.stdout.flush()
        threading.Thread(target=_watch_stdin, args=(loop, stopped), daemon=True).start()
        await stopped.wait()


def _watch_stdin(loop: asyncio.AbstractEventLoop, stopped: asyncio.Event) -> None:
    # os.read, not sys.stdin: a daemon thread that holds its lock would break the shutdown.
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass
    try:
        loop.call_soon_threadsafe(stopped.set)
    except RuntimeError:
        # The loop has ended by a signal meanwhile.
        return
