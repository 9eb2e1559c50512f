"""Start the window: what must be known before Textual is imported, then the app to its end."""

import os
import shutil
import sys
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from agentcli.frontends.tui.options import TuiOptions
from agentcli.frontends.tui.terminal.kind import terminal_name
from agentcli.protocol.errors import AgentCliError

if TYPE_CHECKING:
    from agentcli.engine.asking import Asker
    from agentcli.frontends.tui.port import EnginePort

__all__ = ["TuiOptions", "run_tui"]

_ESCAPE_MS = "25"


def run_tui(make_engine: "Callable[[Asker], EnginePort]", options: TuiOptions) -> int:
    """Run the window until it is left; the exit code. *make_engine* is called in a thread after
    the first frame. Restores the terminal whatever happens."""
    prepare_environment(os.environ)
    from agentcli.frontends.tui.app import AgentApp
    from agentcli.frontends.tui.look.library import Themes, theme_dir
    from agentcli.frontends.tui.look.themes import AUTO, choose_theme
    from agentcli.frontends.tui.terminal.driver import TerminalDriver
    from agentcli.frontends.tui.terminal.keyboard import mend_keyboard
    from agentcli.frontends.tui.terminal.modes import (
        Modes,
        ask_background,
        end_on_signals,
        kept_terminal,
    )
    from agentcli.frontends.tui.terminal.title import wants_title

    mend_keyboard()
    themes = Themes(theme_dir(), options.home / "themes")
    background, typed = ask_background(os.environ)
    if options.theme not in {None, AUTO} and options.theme not in themes:
        known = f"{AUTO}, {', '.join(themes)}"
        options.notices.append(f"theme {options.theme} is not known; there are {known}")
    palette = choose_theme(options.theme, themes, background)
    options.notices.extend(themes.problems)
    engines: list[EnginePort] = []

    def keeping(make: "Callable[[Asker], EnginePort]") -> "Callable[[Asker], EnginePort]":
        def make_and_keep(asker: "Asker") -> "EnginePort":
            engines.append(make(asker))
            return engines[-1]

        return make_and_keep

    options = replace(
        options,
        fork_engine=keeping(options.fork_engine) if options.fork_engine else None,
        new_engine=keeping(options.new_engine) if options.new_engine else None,
    )
    app = AgentApp(keeping(make_engine), options, themes, palette, typed)
    app.terminal_background = background
    TerminalDriver.modes = Modes(os.environ, titled=wants_title(os.environ))
    app.driver_class = TerminalDriver

    app.on_loop = lambda loop: end_on_signals(loop, app.exit)
    with kept_terminal(TerminalDriver.modes):
        result = app.run()
    # only now: what is written before the main screen is back would be lost
    _say_goodbye(app.crash, engines, kept=not options.demo)
    return app.return_code or 0 if result is None else result


def _say_goodbye(crash: BaseException | None, engines: "Sequence[EnginePort]", kept: bool) -> None:
    """Say why it ended, or what its last words were. Never raises: the terminal may be gone."""
    from agentcli.frontends.tui.crash import tell_crash
    from agentcli.frontends.tui.farewell import tell_farewell

    try:
        if crash is not None:
            sys.stderr.write(tell_crash(crash, kept))
        elif engines:
            width = shutil.get_terminal_size().columns
            engine = engines[-1]
            sys.stdout.write(tell_farewell(engine.replay(), engine.session_id, kept, width))
            sys.stdout.flush()
    except (OSError, AgentCliError):
        pass


def prepare_environment(env: MutableMapping[str, str]) -> None:
    """Settings that Textual reads while it is imported. What the person has set for it stays."""
    # exported by some shells; Textual would believe them for ever, whatever the window's size
    for name in ("COLUMNS", "LINES"):
        env.pop(name, None)
    # Esc interrupts: do not wait long for a sequence to follow
    env.setdefault("ESCDELAY", _ESCAPE_MS)
    if terminal_name(env) == "iterm2" and not env.get("TMUX"):
        # composed (IME) text is lost there while the kitty protocol is on
        env.setdefault("TEXTUAL_DISABLE_KITTY_KEY", "1")
