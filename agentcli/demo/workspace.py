"""A fresh copy of the sample project, in which the scripted model may really change files."""

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

PROJECT = Path(__file__).parent / "project"
_STALE_REPORT = "total 101.25\n"


def make_workspace(parent: Path | None = None) -> Path:
    """Copy the sample into a new folder (0700) in *parent* (named ``shop`` if that is free) or in
    the temp folder; its path.

    It holds a ``build`` folder too, so that the call to remove it has something to remove.
    Raises ``OSError`` where the folder cannot be written. The caller removes it.
    """
    root = _new_folder(parent).resolve()
    shutil.copytree(
        PROJECT, root, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
    )
    # copytree gives the copy the mode of the original.
    root.chmod(0o700)
    build = root / "build"
    build.mkdir()
    (build / "report.txt").write_text(_STALE_REPORT, encoding="utf-8")
    return root


def _new_folder(parent: Path | None) -> Path:
    if parent is not None:
        # a short name: it stands in the status line
        with suppress(FileExistsError):
            plain = parent / "shop"
            plain.mkdir()
            return plain
    return Path(tempfile.mkdtemp(prefix="shop-", dir=parent))
