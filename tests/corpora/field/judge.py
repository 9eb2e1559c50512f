"""Unpacks the field cases and says whether a tool case came out right."""

import hashlib
import json
import os
import re
import stat
import tarfile
from pathlib import Path
from typing import Any

_ARCHIVE = Path(__file__).with_name("cases.tar.gz")


def load_manifest() -> list[dict[str, Any]]:
    """All cases, without unpacking anything."""
    with tarfile.open(_ARCHIVE) as tar:
        member = next(item for item in tar if item.name.removeprefix("./") == "manifest.json")
        file = tar.extractfile(member)
        assert file is not None
        return json.load(file)["cases"]


def unpack(folder: Path) -> None:
    """Lay out every case below *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(_ARCHIVE) as tar:
        if hasattr(tarfile, "fully_trusted_filter"):
            tar.extraction_filter = tarfile.fully_trusted_filter
        tar.extractall(folder)


def problems(
    case: dict[str, Any],
    folder: Path,
    *,
    is_error: bool,
    text: str,
    seconds: float,
    has_image: bool,
) -> list[str]:
    """What is wrong with the outcome of the last step; an empty list is a pass."""
    expect = case["expect"]
    status = "error" if is_error else "ok"
    found: list[str] = []
    misses = [_misses(option, case, folder, status) for option in expect.get("accept", [])]
    if misses and all(misses):
        found.append(" | ".join("; ".join(miss) for miss in misses))
    found += [f"lacks /{rx}/" for rx in expect.get("text_all", []) if not re.search(rx, text)]
    found += [f"has /{rx}/" for rx in expect.get("text_none", []) if re.search(rx, text)]
    found += _lacks_all(expect.get("text_any"), text)
    if is_error:
        found += _lacks_all(expect.get("error_text_any"), text)
    if seconds > expect.get("max_seconds", seconds):
        found.append(f"took {seconds:.1f} s")
    if len(text) > expect.get("max_chars", len(text)):
        found.append(f"{len(text)} characters")
    if expect.get("no_image") and has_image:
        found.append("an image block was attached")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        found.append("the text has a lone surrogate")
    return found


def _lacks_all(patterns: list[str] | None, text: str) -> list[str]:
    if not patterns or any(re.search(rx, text) for rx in patterns):
        return []
    return [f"lacks any of {patterns}"]


def _misses(option: dict[str, Any], case: dict[str, Any], folder: Path, status: str) -> list[str]:
    missed: list[str] = []
    if option.get("status", "any") not in ("any", status):
        missed.append(f"status {status}, wanted {option['status']}")
    for name, wanted in option.get("files", {}).items():
        missed += [f"{name}: {what}" for what in _file_misses(folder / name, name, wanted, case)]
    return missed


def _file_misses(path: Path, name: str, wanted: dict[str, Any], case: dict[str, Any]) -> list[str]:
    if wanted.get("absent"):
        return ["exists"] if os.path.lexists(path) else []
    missed: list[str] = []
    if "link" in wanted and not (path.is_symlink() and os.readlink(path) == wanted["link"]):
        missed.append("is no longer the link")
    if wanted.get("is_file") and (path.is_symlink() or not path.is_file()):
        missed.append("is not a plain file")
    if "mode" in wanted and stat.S_IMODE(path.stat().st_mode) != wanted["mode"]:
        missed.append(f"mode {stat.S_IMODE(path.stat().st_mode):o}")
    if not {"hex", "sha256", "same"} & set(wanted):
        return missed
    try:
        data = path.read_bytes()
    except OSError as error:
        return [*missed, str(error.strerror)]
    if "hex" in wanted and data.hex() != wanted["hex"]:
        missed.append(f"bytes differ: {data[:80]!r}")
    digest = hashlib.sha256(data).hexdigest()
    if "sha256" in wanted and digest != wanted["sha256"]:
        missed.append("hash differs")
    if wanted.get("same") and digest != case["orig"].get(name):
        missed.append("was changed")
    return missed
