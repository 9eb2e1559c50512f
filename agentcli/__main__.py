"""Entry of the console script; it imports nothing, so that ``--version`` costs nothing."""

import sys

from agentcli.base.version import __version__


def main() -> int:
    """Run agentcli with the arguments of this process and return its exit code."""
    if sys.argv[1:] in (["-v"], ["--version"]):
        print(f"{__version__} (agentcli)")
        return 0
    from agentcli.cli.main import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
