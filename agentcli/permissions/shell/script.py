"""A shell text as the list of simple commands that bash would run, or the reason why not.

Only node types on a list are understood; everything else, any syntax error and any byte that no
node covers is ``trouble``. Trouble may only lower an answer: what was found still counts for
deny and ask rules.
"""

from functools import cache
from typing import TYPE_CHECKING

from agentcli.permissions.shell.commands import Script
from agentcli.permissions.shell.screening import join_lines, screen
from agentcli.permissions.shell.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Parser


def read_script(text: str) -> Script:
    """Everything that *text* would run. Never raises; the time is bounded by its length. Pure."""
    trouble = screen(text)
    if trouble:
        return Script(text, trouble=trouble)
    joined = join_lines(text)
    if joined is None:
        return Script(text, trouble="A line continuation stands where it may be quoted")
    try:
        data = joined.encode()
    except UnicodeEncodeError:
        return Script(text, trouble="It is no valid Unicode")
    tree = _parser().parse(data)
    walk = Walk(data)
    walk.statement(tree.root_node, 0)
    if tree.root_node.has_error:
        walk.trouble = "bash syntax that could not be read"
    walk.check_gap(0, tree.root_node.start_byte)
    walk.check_gap(tree.root_node.end_byte, len(data))
    trouble = f"It holds {walk.trouble}" if walk.trouble else None
    return Script(joined, tuple(walk.commands), tuple(walk.redirects), trouble)


@cache
def _parser() -> "Parser":
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
