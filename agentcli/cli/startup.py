"""Everything between the arguments and an engine: home, settings, trust, credentials, session."""

import gc
import os
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from agentcli.base.text import clean_surrogates
from agentcli.cli.options import Args
from agentcli.cli.policy import make_policy
from agentcli.cli.which import Which, skips_persistence, which_session
from agentcli.permissions.modes import check_bypass_allowed
from agentcli.protocol.errors import SettingsError, UsageError
from agentcli.protocol.modes import PermissionMode
from agentcli.protocol.rules import RuleUpdate
from agentcli.provider.credentials import Endpoint, NoCredentials, load_endpoint
from agentcli.provider.retry import max_retries
from agentcli.provider.timeouts import load_timeouts
from agentcli.settings.load import load_settings
from agentcli.settings.model import Loaded, Settings
from agentcli.settings.sources import home_dir
from agentcli.settings.trust import read_trust

if TYPE_CHECKING:
    from agentcli.engine.asking import Asker
    from agentcli.engine.engine import Engine
    from agentcli.engine.spec import TransportKind


@dataclass(frozen=True, slots=True)
class Session:
    """What a window needs to open: ``make_engine`` may be called once, on the window's loop."""

    make_engine: "Callable[[Asker], Engine]"
    home: Path
    notices: list[str]
    settings: Settings
    which: Which
    save_theme: Callable[[str], None]
    fork_engine: "Callable[[Asker], Engine]"
    """Instead, with a copy of the session that is in use."""
    new_engine: "Callable[[Asker], Engine]"
    """Instead, with a new session."""


class _Place(NamedTuple):
    """Where a session runs: the person's own world, or the demo's."""

    cwd: Path
    home: Path
    env: dict[str, str]
    trusted: bool
    notices: list[str]


@contextmanager
def open_session(
    args: Args, cwd: Path, env: dict[str, str], *, headless: bool
) -> Generator[Session]:
    """Prepare a session; everything that can be wrong is found here, before anything is sent.

    Raises AgentCliError with one line that says what to do.
    """
    with ExitStack() as stack:
        place = _demo_place(stack, env) if args.demo else _own_place(args, cwd, env)
        loaded = load_settings(place.cwd, place.home, place.env, trusted=place.trusted)
        full_env = {**place.env, **loaded.settings.env}
        policy, problems = make_policy(args, loaded, place.cwd, place.home, trusted=place.trusted)
        _check_bypass(args, policy.mode, loaded, full_env)
        model = args.model
        if model is None:
            model = full_env.get("ANTHROPIC_MODEL") or loaded.settings.model
        if model is not None:
            from agentcli.provider.models import resolve_model

            resolve_model(model)
        endpoint = _endpoint(args, full_env, loaded)
        persist = not skips_persistence(args, full_env)
        which = which_session(args, place.home, place.cwd, headless=headless)
        retries, timeouts = max_retries(full_env), load_timeouts(full_env)

        def make_engine(asker: "Asker", which: Which = which) -> "Engine":
            # Here, not above: a window shows its first frame before the engine is imported.
            from agentcli.context.compact_rules import load_compact_rules
            from agentcli.engine.build import build_engine
            from agentcli.engine.spec import EngineSpec

            spec = EngineSpec(
                home=place.home,
                cwd=place.cwd,
                policy=policy,
                endpoint=endpoint,
                model=model,
                effort=args.effort or loaded.settings.effort_level,
                append_system_prompt=clean_surrogates(args.append_system_prompt or "") or None,
                max_turns=args.max_turns,
                resume=which.file,
                fork=which.fork,
                session_id=which.session_id,
                title=args.name,
                takes_up_queue=not headless,
                persist=persist,
                checkpoints=loaded.settings.file_checkpointing_enabled is not False,
                restore_mode=args.permission_mode is None,
                bypass_enabled=args.permission_mode == "bypassPermissions",
                transport=cast("TransportKind", args.transport),
                max_retries=retries,
                timeouts=timeouts,
                entrypoint=full_env.get("CLAUDE_CODE_ENTRYPOINT")
                or ("sdk-cli" if headless else "cli"),
                answers_shell=loaded.settings.respond_to_bash_commands is not False,
                compact=load_compact_rules(
                    full_env,
                    loaded.settings.auto_compact_enabled,
                    loaded.settings.auto_compact_window,
                ),
                env=full_env,
                save_rules=_rule_saver(place),
            )
            engine = build_engine(spec, asker=asker)
            if persist and not args.demo:
                from agentcli.session.retention import DEFAULT_DAYS, sweep_later

                sweep_later(place.home, loaded.settings.cleanup_period_days or DEFAULT_DAYS)
            gc.freeze()  # what the start made lives as long as the program
            gc.enable()
            return engine

        yield Session(
            make_engine=make_engine,
            home=place.home,
            notices=[*place.notices, *loaded.problems, *loaded.ignored, *problems],
            settings=loaded.settings,
            which=which,
            save_theme=lambda name: _save_theme(place.home, name),
            fork_engine=lambda asker: make_engine(asker, which._replace(fork=True)),
            new_engine=lambda asker: make_engine(asker, Which()),
        )


def _own_place(args: Args, cwd: Path, env: dict[str, str]) -> _Place:
    home = home_dir(env)
    _make_home(home)
    trust = read_trust(cwd, home)
    notices = [trust.problem] if trust.problem else []
    return _Place(cwd, home, env, trust.trusted or args.trust, notices)


def _demo_place(stack: ExitStack, env: dict[str, str]) -> _Place:
    from agentcli.cli.demo_mode import NOTICE, demo_world

    world = stack.enter_context(demo_world())
    _make_home(world.home)
    kept = {name: value for name, value in env.items() if not name.startswith("ANTHROPIC_")}
    demo_env = {"ANTHROPIC_BASE_URL": world.base_url, "AGENTCLI_HOME": str(world.home)}
    return _Place(world.project, world.home, kept | demo_env, True, [NOTICE])


def _make_home(home: Path) -> None:
    """Sessions are worth nothing if they cannot be written: found out before anything is sent."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        projects = home / "projects"
        projects.mkdir(mode=0o700, exist_ok=True)
        if not os.access(projects, os.W_OK | os.X_OK):
            raise PermissionError(13, "Permission denied", str(projects))
    except OSError as error:
        why = "it is not a folder" if isinstance(error, FileExistsError) else error.strerror
        place = error.filename or home
        raise UsageError(
            f"cannot write to {place} ({why}); set AGENTCLI_HOME to a folder of yours"
        ) from None


def _endpoint(args: Args, env: dict[str, str], loaded: Loaded) -> Endpoint:
    try:
        return load_endpoint(
            env, auth_header=loaded.settings.auth_header, need_key=args.transport != "sdk"
        )
    except NoCredentials as error:
        raise NoCredentials(
            f"{error.message} Or try it without a key, on a sample project: agentcli --demo"
        ) from None


def _check_bypass(args: Args, mode: PermissionMode, loaded: Loaded, env: dict[str, str]) -> None:
    if mode == "bypassPermissions" or args.permission_mode == "bypassPermissions":
        disabled = loaded.settings.permissions.disable_bypass_permissions_mode is not None
        check_bypass_allowed(env, os.geteuid(), disabled)


def _save_theme(home: Path, name: str) -> None:
    from agentcli.settings.write import set_user_value

    set_user_value(home, "theme", name)


def _rule_saver(place: _Place) -> Callable[[RuleUpdate], None]:
    def save(update: RuleUpdate) -> None:
        from agentcli.settings.write import add_rules

        path = add_rules(
            update.rules,
            update.behavior,
            update.destination,
            cwd=place.cwd,
            home=place.home,
            env=place.env,
        )
        if update.destination != "userSettings" and not place.trusted:
            raise SettingsError(
                f"Saved to {path}, which counts in later sessions only with --trust: "
                "this folder is not trusted yet."
            )

    return save
