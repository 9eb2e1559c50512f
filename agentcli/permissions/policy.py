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
    too long for the conversation, which the model may read there.

    ``trusted``: the person trusts this folder; ``interactive``: somebody can answer a question;
    ``plain_shell``: the shell is not bash, so only the plainest texts mean what they look like;
    ``incomplete`` names a settings file whose rules could not be read: a deny rule may be missing,
    so everything asks.
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
    interactive: bool = True
    plain_shell: bool = False
    incomplete: str = ""

    def usable_allow(self) -> tuple[SourcedRule, ...]:
        """The allow rules; those a folder brings along count only once it is trusted. Pure."""
        return self.allow if self.trusted else tuple(filter(self.may_use, self.allow))

    def may_use(self, rule: SourcedRule) -> bool:
        """Does this allow rule count? Pure."""
        return self.trusted or rule.source not in _FROM_PROJECT


@dataclass(frozen=True, slots=True)
class HookOpinion:
    """What the PreToolUse hooks said together (deny before ask before allow); ``reason`` is
    theirs."""

    behavior: Behavior
    reason: str = ""


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
    ``firm``: a question that no hook may answer. ``instead`` is the text that a shell command must
    be run as; ``guarded``: in an environment that nothing of the project can act through.
    """

    behavior: Behavior
    reason: str
    rule: str | None = None
    parts: tuple[str, ...] = ()
    suggestions: tuple[RuleUpdate, ...] = ()
    targets: tuple[Target, ...] = ()
    firm: bool = False
    instead: str | None = None
    guarded: bool = False
