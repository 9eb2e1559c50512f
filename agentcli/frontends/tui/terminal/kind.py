"""Which terminal this is, as far as its environment tells. Pure."""

from collections.abc import Mapping


def multiplexer(env: Mapping[str, str]) -> str:
    """``tmux``, ``screen``, or "" for neither."""
    if env.get("TMUX"):
        return "tmux"
    return "screen" if env.get("STY") or env.get("TERM", "").startswith("screen") else ""


def is_plain(env: Mapping[str, str]) -> bool:
    """True for terminals that take nothing but text: nothing more is to be sent there."""
    return env.get("TERM", "") in {"", "dumb", "linux", "unknown"}


def is_remote(env: Mapping[str, str]) -> bool:
    """True when the terminal is on another machine than we are."""
    return bool(env.get("SSH_CONNECTION") or env.get("SSH_TTY") or env.get("SSH_CLIENT"))


def terminal_name(env: Mapping[str, str]) -> str:
    """The terminal in small letters (``kitty``, ``iterm2``, ``ghostty``, ``wezterm``, ``vscode``,
    ``windows``, ``conemu``, ``apple``), "" where it is not known.

    Inside of a multiplexer the variables that it does not replace are what the outer one left.
    """
    program = env.get("TERM_PROGRAM", "").lower()
    term = env.get("TERM", "")
    if program in _PROGRAMS:
        return _PROGRAMS[program]
    if env.get("KITTY_WINDOW_ID") or term == "xterm-kitty":
        return "kitty"
    if env.get("GHOSTTY_RESOURCES_DIR") or term == "xterm-ghostty":
        return "ghostty"
    if env.get("WEZTERM_PANE"):
        return "wezterm"
    if env.get("LC_TERMINAL") == "iTerm2":
        return "iterm2"
    if env.get("WT_SESSION"):
        return "windows"
    return "conemu" if env.get("ConEmuANSI") == "ON" else ""


_PROGRAMS = {
    "iterm.app": "iterm2",
    "ghostty": "ghostty",
    "wezterm": "wezterm",
    "vscode": "vscode",
    "apple_terminal": "apple",
    "kitty": "kitty",
}


def version_of(env: Mapping[str, str]) -> tuple[int, ...]:
    """The numbers of the terminal's version, () where it tells none."""
    told = env.get("TERM_PROGRAM_VERSION") or env.get("LC_TERMINAL_VERSION") or ""
    numbers: list[int] = []
    for part in told.replace("-", ".").split("."):
        if not part.isdecimal():
            break
        numbers.append(int(part))
    return tuple(numbers)


def through(env: Mapping[str, str], sequence: str) -> str:
    """*sequence* so that a multiplexer hands it on to the terminal around it."""
    escaped = sequence.replace("\x1b", "\x1b\x1b")
    match multiplexer(env):
        case "tmux":
            return f"\x1bPtmux;{escaped}\x1b\\"
        case "screen":
            # screen takes at most 768 bytes at once, and ends a string at every ST
            pieces = [sequence[at : at + _SCREEN] for at in range(0, len(sequence), _SCREEN)]
            return "".join(f"\x1bP{piece}\x1b\\" for piece in pieces)
        case _:
            return sequence


_SCREEN = 512
