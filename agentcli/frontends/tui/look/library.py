"""The theme files: those that are shipped and the person's own, each read when it is wanted."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from rich.color import ColorParseError

import agentcli
from agentcli.base.text import one_line
from agentcli.frontends.tui.look.styles import Palette, make_look

DARK = Palette(
    name="dark", dark=True, ansi=False, background="#14161a", foreground="#d8dbe2",
    dim="#8f96a3", faint="#4d535e", accent="#8fb2ff", ok="#7cc08a", bad="#ef7d74",
    warn="#e3b65f", surface="#1c1f25", added="#16291d", removed="#33191b", selection="#2c3b5c",
)  # fmt: skip
"""The look when no theme file can be read."""

_COLORS = list(Palette._fields[3:])
_HEX = re.compile(r"#[0-9a-fA-F]{6}")
_LIMIT = 100_000


class ThemeError(Exception):
    """A theme file that cannot be used; the text says why."""


def theme_dir() -> Path:
    """Where the shipped themes are: inside the package (wheel) or beside it (checkout)."""
    package = Path(agentcli.__file__).parent
    inside = package / "themes"
    return inside if inside.is_dir() else package.parent / "themes"


class Themes(Mapping[str, Palette]):
    """Themes by the names of their files; those of a later folder hide those of an earlier one.

    A file is read when its theme is asked for. A broken one is as good as missing, and told by
    one line in ``problems``. ``dark`` is always there.
    """

    def __init__(self, *folders: Path) -> None:
        self._folders = folders
        self._read: dict[str, Palette | None] = {}
        self.problems: list[str] = []

    def __getitem__(self, name: str) -> Palette:
        if name not in self._read:
            self._read[name] = self._load(name)
        palette = self._read[name]
        if palette is None:
            raise KeyError(name)
        return palette

    def _load(self, name: str) -> Palette | None:
        found = self._files().get(name)
        if found is None or found == self._folders[0] / f"{DARK.name}.toml":
            return DARK if name == DARK.name else None  # what stands in that file, without reading
        try:
            return read_palette(found, self._folders[0])
        except ThemeError as error:
            self.problems.append(f"theme {found.name}: {error}; it is left out")
            return DARK if name == DARK.name else None

    def _files(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for folder in self._folders:
            try:
                found.update((file.stem, file) for file in folder.glob("*.toml"))
            except OSError:
                continue
        return found

    def __iter__(self) -> Iterator[str]:
        """All names that can be used, shipped and own ones together; reads every file."""
        names = sorted({DARK.name, *self._files()})
        return iter([name for name in names if name in self])

    def __len__(self) -> int:
        return sum(1 for _ in self)


def read_palette(file: Path, shipped: Path | None = None) -> Palette:
    """One theme file; colours that it lacks are those of its ``base``, a theme of the folder
    *shipped*. Raises ThemeError."""
    data = _read_toml(file)
    base_name = data.get("base")
    base: Palette | None = None
    if base_name is not None:
        base = _base(base_name, shipped)
    raw = data.get("colors")
    given = cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}
    unknown = [name for name in given if name not in _COLORS]
    if unknown:
        raise ThemeError(f"[colors] has no {unknown[0]}; there are {', '.join(_COLORS)}")
    inherited = {name: getattr(base, name) for name in _COLORS} if base is not None else {}
    colors: dict[str, Any] = {**inherited, **given}
    missing = [name for name in _COLORS if not isinstance(colors.get(name), str)]
    if missing:
        raise ThemeError(f"[colors] lacks {', '.join(missing)}")
    ansi = bool(data.get("ansi", base is not None and base.ansi))
    chosen = {name: str(colors[name]) for name in _COLORS}
    wrong = [name for name, value in chosen.items() if not ansi and not _HEX.fullmatch(value)]
    if wrong:
        raise ThemeError(f"{wrong[0]} must be a colour like #1c1f25")
    dark = bool(data.get("dark", base is None or base.dark))
    palette = Palette(name=file.stem, dark=dark, ansi=ansi, **chosen)
    try:
        make_look(palette)
    except ColorParseError as error:
        raise ThemeError(one_line(str(error), 120)) from error
    return palette


def _base(name: object, shipped: Path | None) -> Palette:
    file = shipped / f"{name}.toml" if shipped is not None and isinstance(name, str) else None
    if file is None or Path(file.name).stem != name or not file.is_file():
        raise ThemeError("base must be the name of a shipped theme")
    return read_palette(file)


def _read_toml(file: Path) -> dict[str, Any]:
    import tomllib

    try:
        if not file.is_file():
            raise ThemeError("not a regular file")
        with file.open("rb") as stream:
            data = stream.read(_LIMIT + 1)
        if len(data) > _LIMIT:
            raise ThemeError(f"more than {_LIMIT:,} bytes")
        return tomllib.loads(data.decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ThemeError(one_line(str(error), 120)) from error
