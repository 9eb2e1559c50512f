"""Which names can stand in a prompt at all."""

from collections.abc import Iterable

from agentcli.base.text import reveal


def typeable(paths: Iterable[str]) -> list[str]:
    """The *paths* that can stand in a prompt, without ``./``: one line, nothing hidden in them,
    valid Unicode, no quote. Pure."""
    names = [path.removeprefix("./") for path in paths]
    whole = "".join(names)
    if is_typeable(whole):
        return names
    return [name for name in names if is_typeable(name)]


def is_typeable(name: str) -> bool:
    """See ``typeable``. Pure."""
    if name.isascii() and name.isprintable():
        return '"' not in name
    if any(char in name for char in '"\n\t\r'):
        return False
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return reveal(name) == name
