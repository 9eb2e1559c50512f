"""Starting the program and the scripted server as processes of their own."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# The console script, not ``-m``: that would import from the directory it is started in.
AGENTCLI = [str(Path(sys.executable).parent / "agentcli")]


@dataclass
class World:
    """A home, a project and a server's address; runs ``agentcli`` in there."""

    home: Path
    project: Path
    base_url: str
    key: str = "test-key"

    def env(self, **more: str) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("ANTHROPIC_", "CLAUDE"))}
        return {
            **kept,
            "HOME": str(self.home),
            "AGENTCLI_HOME": str(self.home / ".agentcli"),
            "ANTHROPIC_API_KEY": self.key,
            "ANTHROPIC_BASE_URL": self.base_url,
            "CLAUDE_CODE_MAX_RETRIES": "2",
            **more,
        }

    def run(
        self, *args: str, stdin: str | bytes | None = None, timeout: float = 60, **env: str
    ) -> subprocess.CompletedProcess[str]:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            [*AGENTCLI, *args],
            cwd=self.project,
            env=self.env(**env),
            input=data,
            stdin=subprocess.DEVNULL if data is None else None,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    def start(self, *args: str, **env: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [*AGENTCLI, *args],
            cwd=self.project,
            env=self.env(**env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def sessions(self) -> list[Path]:
        return sorted((self.home / ".agentcli").glob("projects/*/*.jsonl"))

    def lines(self) -> list[dict[str, Any]]:
        """The entries of the only session, without those outside of its tree."""
        (path,) = self.sessions()
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        return [line for line in lines if "uuid" in line]


@contextmanager
def server(script: str, *args: str) -> Generator[str]:
    """The scripted server as a process; yields its base URL."""
    command = [sys.executable, "-m", "agentcli.demo.server", "--script", script, *args]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        yield process.stdout.readline().strip()
        process.stdin.close()
        process.wait(timeout=10)


def call(name: str, **values: Any) -> str:
    """A line that makes the ``tools`` script call a tool."""
    return f"CALL {json.dumps({'name': name, 'input': values})}"
