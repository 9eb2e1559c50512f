"""The permission state of a session: one Policy value, replaced when something changes."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from agentcli.engine.bus import EventBus
from agentcli.permissions.decide import decide, path_reader, preload
from agentcli.permissions.paths import DiskProbe
from agentcli.permissions.policy import Decision, HookOpinion, Policy
from agentcli.permissions.rules import SourcedRule
from agentcli.protocol.calls import ToolCall
from agentcli.protocol.errors import SettingsError, UsageError
from agentcli.protocol.events import Notice, StateChanged
from agentcli.protocol.modes import PermissionMode
from agentcli.protocol.rules import RuleUpdate


class Gate:
    """Decides by the policy of the moment, and remembers what the person said "always" to.

    ``save`` writes rules to the settings file of their destination (it raises SettingsError);
    ``check_mode`` raises UsageError for a mode that must not be entered here.
    """

    def __init__(
        self,
        policy: Policy,
        bus: EventBus,
        *,
        bypass_enabled: bool,
        save: Callable[[RuleUpdate], None],
        check_mode: Callable[[PermissionMode], None],
    ) -> None:
        self.policy = policy
        self.bypass_enabled = bypass_enabled
        self._bus = bus
        self._save = save
        self._check_mode = check_mode
        self._probe = DiskProbe()
        self._loaded = False

    @property
    def mode(self) -> PermissionMode:
        return self.policy.mode

    async def get_ready(self, call: ToolCall) -> None:
        """Load what deciding on *call* needs, off the loop: the first shell call pays for it."""
        if call.name == "Bash" and not self._loaded:
            await asyncio.to_thread(preload)
            self._loaded = True

    def decide(self, call: ToolCall, hook: HookOpinion | None = None) -> Decision:
        """The decision on *call* as things stand now, and on what hooks said. Never raises."""
        return decide(call, self.policy, self._probe, hook)

    def reader_for(self, call: ToolCall) -> Callable[[Path], bool]:
        """Tells for each path that *call* finds whether the model may see it.

        The folder that the call names counts as approved: the call runs only if it is.
        """
        named = call.input.get("path")
        extra = [str(Path(self.policy.cwd, named))] if isinstance(named, str) and named else []
        if call.name in ("Grep", "Glob"):
            extra += [target.path for target in self.decide(call).targets]
        may_see = path_reader(self.policy, self._probe, tuple(extra))
        return lambda path: may_see(str(path))

    def set_mode(self, mode: PermissionMode) -> None:
        """Change the mode. Raises UsageError where it must not be entered."""
        self._check_mode(mode)
        if mode == "bypassPermissions" and not self.bypass_enabled:
            raise UsageError(
                "bypassPermissions must be chosen at the start: --permission-mode bypassPermissions"
            )
        self.policy = replace(self.policy, mode=mode)
        self._bus.emit(StateChanged("mode", mode))

    def show_outputs(self, folder: Path) -> None:
        """The session's long outputs lie in *folder*: the model may read them there."""
        self.policy = replace(self.policy, outputs=(str(folder),))

    def move(self, cwd: Path) -> None:
        """The shell stands in *cwd* now."""
        self.policy = replace(self.policy, cwd=str(cwd))
        self._bus.emit(StateChanged("cwd", str(cwd)))

    async def remember(self, updates: Sequence[RuleUpdate]) -> None:
        """Take over what "always" stands for: for this session at once, on disk where chosen.

        Raises only CancelledError: what cannot be saved counts for this session, and a notice
        says so.
        """
        for update in updates:
            if update.mode is not None:
                self.set_mode(update.mode)
            if not update.rules:
                continue
            self._add(update)
            if update.destination == "session":
                continue
            try:
                await asyncio.to_thread(self._save, update)
            except SettingsError as error:
                text = f"{error.message} The rule counts for this session only."
                self._bus.emit(Notice("warning", text))

    def _add(self, update: RuleUpdate) -> None:
        anchor = self.policy.roots[0]
        added = tuple(SourcedRule(rule, "session", anchor) for rule in update.rules)
        match update.behavior:
            case "allow":
                self.policy = replace(self.policy, allow=(*self.policy.allow, *added))
            case "ask":
                self.policy = replace(self.policy, ask=(*self.policy.ask, *added))
            case "deny":
                self.policy = replace(self.policy, deny=(*self.policy.deny, *added))
