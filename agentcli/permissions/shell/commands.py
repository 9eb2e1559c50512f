"""What a shell text consists of: simple commands and redirects, as values."""

from dataclasses import dataclass

from agentcli.permissions.shell.words import Word


@dataclass(frozen=True, slots=True)
class Redirect:
    """``operator`` without the descriptor; ``target`` is None where a descriptor is closed.

    Duplications (``2>&1``) are left out: they open nothing. For ``<<`` and ``<<<`` the target is
    the text that is fed in. ``raw`` is the source.
    """

    operator: str
    target: Word | None
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command; ``text`` is its source without redirects.

    ``looped``: it may run more than once, each time elsewhere. ``after``: indexes of the commands
    that surely ran before it in the same shell, and succeeded.
    """

    words: tuple[Word, ...]
    assignments: tuple[tuple[str, Word], ...]
    redirects: tuple[Redirect, ...]
    text: str
    looped: bool = False
    after: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Script:
    """``text`` has its continuations joined; ``commands`` stand in the order of the text, those of
    substitutions before their outer command; ``redirects`` are those of groups and loops."""

    text: str
    commands: tuple[Command, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    trouble: str | None = None
