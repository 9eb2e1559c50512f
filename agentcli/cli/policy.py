"""Flags and settings → the Policy that every decision is made by."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from agentcli.cli.options import Args
from agentcli.permissions.modes import parse_mode
from agentcli.permissions.policy import Policy
from agentcli.permissions.rules import SourcedRule, parse_rules, split_rule_list
from agentcli.protocol.errors import UsageError
from agentcli.protocol.rules import Behavior
from agentcli.settings.model import Loaded
from agentcli.settings.sources import user_home
from agentcli.tools.shell_env import find_shell


def make_policy(
    args: Args, loaded: Loaded, cwd: Path, home: Path, *, trusted: bool
) -> tuple[Policy, list[str]]:
    """The policy, and one line for each rule of a settings file that cannot be used.

    Raises UsageError for a bad rule or directory given by flag: what was asked for by hand must
    not be lost silently.
    """
    rules: dict[Behavior, list[SourcedRule]] = {"allow": [], "ask": [], "deny": []}
    problems: list[str] = []
    for text in loaded.rules:
        parsed = parse_rules([text.text], text.behavior, text.source, str(text.anchor))
        rules[text.behavior].extend(parsed.rules)
        problems.extend(f"{text.source}: {problem}" for problem in parsed.problems)
    rules["allow"].extend(_flag_rules(args.allowed_tools, "allow", cwd))
    rules["deny"].extend(_flag_rules(args.disallowed_tools, "deny", cwd))
    mode = parse_mode(args.permission_mode or loaded.settings.permissions.default_mode or "default")
    policy = Policy(
        mode=mode,
        roots=(str(cwd), *_roots(args, loaded, cwd)),
        cwd=str(cwd),
        home=str(user_home(os.environ)),
        allow=tuple(rules["allow"]),
        ask=tuple(rules["ask"]),
        deny=tuple(rules["deny"]),
        trusted=trusted,
        protected=(str(home),),
        incomplete=", ".join(loaded.unread),
        plain_shell=Path(find_shell(os.environ)).name != "bash",
    )
    return policy, problems


def _flag_rules(values: Sequence[str], behavior: Behavior, cwd: Path) -> list[SourcedRule]:
    texts = [text for value in values for text in split_rule_list(value)]
    parsed = parse_rules(texts, behavior, "flag", str(cwd))
    if parsed.problems:
        hint = "; the prompt stands before --allowedTools or after another flag"
        raise UsageError(parsed.problems[0] + hint)
    return list(parsed.rules)


def _roots(args: Args, loaded: Loaded, cwd: Path) -> list[str]:
    given = [_given_folder(text, cwd) for text in args.add_dir]
    return [str(folder) for folder in (*given, *loaded.directories)]


def _given_folder(text: str, cwd: Path) -> Path:
    try:
        folder = (cwd / Path(text).expanduser()).resolve()
        if text and stat.S_ISDIR(folder.stat().st_mode):
            return folder
    except (OSError, RuntimeError):  # RuntimeError: ~name of nobody, links in a ring
        pass
    raise UsageError(f"--add-dir: {text[:200]!r} is not a directory that you may use")
