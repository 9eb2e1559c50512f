"""``python -m tests.check``: format, lint, types, import contracts, fast tests, in that order."""

import subprocess
import sys
from pathlib import Path

_BIN = Path(sys.executable).parent
_STEPS = (
    [_BIN / "ruff", "format", "."],
    [_BIN / "ruff", "check", "."],
    [_BIN / "pyright", "--pythonpath", sys.executable],
    [_BIN / "lint-imports"],
    [sys.executable, "-m", "pytest", "-n", "2"],
)


def main() -> int:
    """Run all steps, stop at the first that fails, return its exit code."""
    for step in _STEPS:
        command = [str(part) for part in step]
        print("==", *command[:2], flush=True)
        code = subprocess.call(command, cwd=Path(__file__).parent.parent)
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
