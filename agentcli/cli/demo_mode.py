"""``--demo``: a sample project, a home of its own and the scripted model while it runs."""

import asyncio
import shutil
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from agentcli.demo.reply import Script
from agentcli.demo.script import demo_script
from agentcli.demo.server import ScriptedServer
from agentcli.demo.workspace import make_workspace
from agentcli.protocol.errors import UsageError

NOTICE = (
    "Demo: the model is scripted (no network, no key). Everything else is real: "
    "tools, approvals, files and tests, on a sample project. Try: fix the failing test"
)


@dataclass(frozen=True, slots=True)
class DemoWorld:
    """Where the demo takes place."""

    project: Path
    home: Path
    base_url: str


@contextmanager
def demo_world(script: Script = demo_script) -> Generator[DemoWorld]:
    """Lay out the sample, start the server, take both away at the end. Raises UsageError."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="agentcli-demo-"))
        project = make_workspace(folder)
    except OSError as error:
        raise UsageError(
            f"the demo needs a temp folder and cannot make one ({error.strerror}); set TMPDIR"
        ) from None
    server = _ServerThread(script)
    try:
        yield DemoWorld(project, folder / "home", server.start())
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


class _ServerThread:
    """The server on a loop of its own, so that it never competes with a window's loop turn."""

    def __init__(self, script: Script) -> None:
        self._server = ScriptedServer(script, keep_requests=False)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def start(self) -> str:
        """Serve; returns the base URL."""
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._server.start(), self._loop).result()
        return self._server.base_url

    def stop(self) -> None:
        """Close all connections and end the thread."""
        asyncio.run_coroutine_threadsafe(self._server.stop(), self._loop).result(timeout=10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        self._loop.close()
