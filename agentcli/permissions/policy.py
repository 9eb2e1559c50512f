"""The values that a decision is made from, and the decision itself."""

from dataclasses import dataclass

from agentcli.permissions.rules import SourcedRule
from agentcli.protocol.modes import PermissionMode
from agentcli.protocol.rules import Behavior, RuleUpdate

_FROM_PROJECT = ("projectSettings", "localSettings")


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything that counts besides the call. Rebuilt when settings, mode or folder change.

    Paths are absolute strings. ``roots`` are the working directories, first where the session
    began; ``cwd`` is where the shell stands now; ``protected`` are more folders that only a
    confirmed write may touch (our own home); ``outputs`` are folders of ours with output that was
    too long for the conversation, which the model may read there; ``trusted``: the person trusts
    this folder.
    """

    mode: PermissionMode
    roots: tuple[str, ...]
    cwd: str
    home: str
    allow: tuple[SourcedRule, ...] = ()
    ask: tuple[SourcedRule, ...] = ()
    deny: tuple[SourcedRule, ...] = ()
    trusted: bool = False
    protected: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()

    def usable_allow(self) -> tuple[SourcedRule, ...]:
        """The allow rules; those a folder brings along count only once it is trusted. Pure."""
        if self.trusted:
            return self.allow
        return tuple(rule for rule in self.allow if rule.source not in _FROM_PROJECT)


@dataclass(frozen=True, slots=True)
class Target:
    """A resolved path that was judged, and the file that stood there (0, 0: none)."""

    path: str
    device: int
    inode: int


@dataclass(frozen=True, slots=True)
class Decision:
    """``reason`` is for the person, or, with ``deny``, for the model.

    ``rule`` is the rule that decided; ``parts`` are the commands that need the approval;
    ``suggestions`` is what an "always" would save; ``targets`` are the files a tool may act on.
    ``guarded`` is what a shell command that only reads must be run as, in an environment that
    nothing of the project can act through.
    """

    behavior: Behavior
    reason: str
    rule: str | None = None
    parts: tuple[str, ...] = ()
    suggestions: tuple[RuleUpdate, ...] = ()
    targets: tuple[Target, ...] = ()
    guarded: str | None = None
