"""Start the window: what must be known before Textual is imported, then the app to its end."""

import os
import sys
from collections.abc import Callable, MutableMapping

from agentcli.engine.asking import Asker
from agentcli.frontends.tui.port import EnginePort, TuiOptions

__all__ = ["TuiOptions", "run_tui"]

_ESCAPE_MS = "25"


def run_tui(make_engine: Callable[[Asker], EnginePort], options: TuiOptions) -> int:
    """Run the window until it is left; the exit code. *make_engine* is called in a thread after
    the first frame. Restores the terminal whatever happens."""
    prepare_environment(os.environ)
    from agentcli.frontends.tui.app import AgentApp
    from agentcli.frontends.tui.crash import tell_crash
    from agentcli.frontends.tui.terminal.keyboard import mend_keyboard
    from agentcli.frontends.tui.terminal.modes import ask_background, end_on_signals, kept_terminal
    from agentcli.frontends.tui.look.themes import choose_theme, load_palettes, theme_dir

    mend_keyboard()
    palettes, problems = load_palettes(theme_dir())
    background, typed = ask_background(os.environ)
    if options.theme and options.theme not in palettes:
        problems.append(f"theme {options.theme} is not known; there are {', '.join(palettes)}")
    options.notices.extend(problems)
    palette = choose_theme(options.theme, palettes, background)
    app = AgentApp(make_engine, options, palettes, palette, typed)
    app.terminal_background = background

    app.on_loop = lambda loop: end_on_signals(loop, app.exit)
    with kept_terminal(os.environ):
        result = app.run()
    if app.crash is not None:
        # only now: what is written before the main screen is back would be lost
        sys.stderr.write(tell_crash(app.crash, kept=not options.demo))
    return app.return_code or 0 if result is None else result


def prepare_environment(env: MutableMapping[str, str]) -> None:
    """Settings that Textual reads while it is imported. What the person has set for it stays."""
    # exported by some shells; Textual would believe them for ever, whatever the window's size
    for name in ("COLUMNS", "LINES"):
        env.pop(name, None)
    # Esc interrupts: do not wait long for a sequence to follow
    env.setdefault("ESCDELAY", _ESCAPE_MS)
    if env.get("TERM_PROGRAM") == "iTerm.app" and not env.get("TMUX"):
        # composed (IME) text is lost there while the kitty protocol is on
        env.setdefault("TEXTUAL_DISABLE_KITTY_KEY", "1")
