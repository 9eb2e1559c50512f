"""All keys in one table: what the help shows. A test holds it against what the widgets bind."""

KEYS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Write",
        (
            ("enter", "send; while a turn runs: queue"),
            ("ctrl+j  shift+enter", "new line; also alt+enter, and \\ before enter"),
            ("↑ ↓", "earlier prompts; ↑ takes a queued one back"),
            ("esc esc", "clear the draft"),
            ("ctrl+u  ctrl+k  ctrl+w", "delete to the start, to the end, a word"),
            ("tab", "complete a command"),
        ),
    ),
    (
        "Steer",
        (
            ("esc", "interrupt; what was done so far is kept"),
            ("shift+tab", "next permission mode"),
            ("ctrl+c", "copy, interrupt or clear; twice: quit"),
            ("ctrl+d", "on an empty line, twice: quit"),
            ("ctrl+z", "suspend"),
            ("ctrl+l", "draw the screen anew"),
        ),
    ),
    (
        "Read",
        (
            ("pgup  pgdn  wheel", "scroll"),
            ("ctrl+home  ctrl+end", "to the beginning, to the end"),
            ("end", "on an empty line: follow the end again"),
            ("ctrl+o", "unfold the last one, all of them, none"),
            ("click", "fold or unfold; drag selects, ctrl+c copies"),
        ),
    ),
    (
        "Approve",
        (
            ("y", "run it once"),
            ("a", "always: shows what would be saved, and where"),
            ("n  esc", "no, and stop"),
            ("c", "no, with a comment for the model"),
            ("↑ ↓  pgup  pgdn", "scroll; pages the conversation if all is in sight"),
        ),
    ),
)
