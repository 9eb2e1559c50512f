"""Random shell texts that move between folders, run by a real bash: every command stands where it
was judged, and what is allowed reads and writes nothing that is not."""

import os
import random
import shlex
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from agentcli.permissions.bash_view import make_view, starting_places
from agentcli.permissions.bench import make_bench
from agentcli.permissions.decide import decide
from agentcli.permissions.paths import DiskProbe
from agentcli.permissions.policy import Policy
from agentcli.permissions.rules import parse_rules
from agentcli.permissions.shell.script import read_script
from agentcli.permissions.shell.wildcards import expand
from agentcli.protocol.calls import ToolCall
from agentcli.protocol.modes import PermissionMode
from tests.permissions.shell_moves import (
    HIDDEN,
    OUT,
    Moved,
    Moves,
    home_in,
    make_place,
    run_moves,
)

_BATCH = 100
_RULES = ["Bash(s0 *)", "Bash(s1 *)", "Bash(cd *)", "Bash(pushd *)"]


def _policy(place: Path, mode: PermissionMode, allow: list[str], deny: list[str]) -> Policy:
    return Policy(
        mode,
        roots=(str(place / "cwd"),),
        cwd=str(place / "cwd"),
        home=str(place.parent),
        allow=parse_rules(allow, "allow", "userSettings", "/").rules,
        deny=parse_rules(deny, "deny", "userSettings", "/").rules,
        trusted=True,
    )


def _wrong_places(text: str, moved: Moved, policy: Policy) -> list[str]:
    """Where a command stood that was judged to stand elsewhere."""
    bench = make_bench(policy, DiskProbe())
    view = make_view(text, bench)
    judged = {
        command.words[1].text.rstrip("."): places
        for command, places in zip(view.script.commands, starting_places(view, bench), strict=False)
        if len(command.words) > 1 and command.words[0].text in ("s0", "s1", "cat")
    }
    return [
        f"{number} stood in {folder}, not {places}"
        for number, folder in moved.stood
        if (places := judged.get(number)) is not None
        # Linux takes ``//`` for ``/``.
        and os.path.realpath(folder) not in {os.path.realpath(place) for place in places}
    ]


def _forbidden(text: str, moved: Moved, place: Path, seen: Counter[str]) -> list[str]:
    """What an allowed text did that no rule or mode lets it do."""
    call = ToolCall("t", "Bash", {"command": text})
    hidden = str(place / "cwd" / "d2")
    deny = [f"Read(/{hidden}/**)", f"Edit(/{hidden}/**)"]
    found: list[str] = []
    for name, policy in {
        "default": _policy(place, "default", _RULES, []),
        "acceptEdits": _policy(place, "acceptEdits", _RULES, []),
        "bypassPermissions": _policy(place, "bypassPermissions", [], deny),
    }.items():
        if decide(call, policy, DiskProbe()).behavior != "allow":
            continue
        seen[name] += 1
        outside = [made for made in moved.made if not made.startswith("cwd/")]
        if name == "bypassPermissions":
            below = [made for made in moved.made if made.startswith("cwd/d2/")]
            found += [f"{name}: wrote {below}"] if below else []
            found += [f"{name}: read what is denied"] if HIDDEN in moved.shown else []
        else:
            made = outside if name == "acceptEdits" else moved.made
            found += [f"{name}: wrote {sorted(made)}"] if made else []
            found += [f"{name}: read outside"] if OUT in moved.shown else []
    return found


def fuzz_moves(seed: int, wanted: int, folder: Path) -> Counter[str]:
    """How many texts were understood, and allowed in each mode. Fails on the first that stood,
    read or wrote where it must not."""
    moves, seen = Moves(seed), Counter[str]()
    while seen["understood"] < wanted:
        with tempfile.TemporaryDirectory(dir=folder) as made:
            home = home_in(Path(made))
            texts: list[str] = []
            while len(texts) < _BATCH:
                text = moves.text()
                if read_script(text).trouble is None:
                    texts.append(text)
            places = [home / f"p{number}" for number in range(_BATCH)]
            for place in places:
                make_place(place)
            # Judged first: what a text makes, it makes later.
            fresh = home / "fresh"
            make_place(fresh)
            results = run_moves(texts, places, home)
            for text, place, moved in zip(texts, places, results, strict=True):
                seen["understood"] += 1
                seen["commands"] += len(moved.stood)
                here = Moved(
                    tuple((n, f.replace(str(place), str(fresh))) for n, f in moved.stood),
                    moved.shown,
                    moved.made,
                )
                wrong = _wrong_places(text, here, _policy(fresh, "default", [], []))
                wrong += _forbidden(text, here, fresh, seen)
                assert not wrong, f"seed {seed}: {text!r}: {wrong}, {moved}"
    return seen


def test_a_few_hundred_texts_that_move(tmp_path):
    seen = fuzz_moves(1, 100, tmp_path)
    assert min(seen[mode] for mode in ("default", "acceptEdits", "bypassPermissions")) > 10
    assert seen["commands"] > 100


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(200, 202))
def test_thousands_of_texts_that_move(seed, tmp_path):
    fuzz_moves(seed, 1_000, tmp_path)


_NAMES = (
    *("a", "b", "ab", "A", ".h", ".e", "-n", "[z]", "[b]x", "ax", "a b", "é", "*", "?x", "\\q"),
    *("a\\b", "c.py", "[", "[]", "a]", "[!a]", "[a", "-", "x-y", "^", "!", "[^a]", "~", "a*", "世"),
)
_TOKENS = (
    *("a", "b", "x", "A", "*", "*", "?", "?", "[", "/", ".", "-", "!", "^", "]", "[ab]", "[!a]"),
    *("[a-z]", "[^a]", '"["', "\\[", "\\*", "'*'", "\\?", "[[]", "[]]", "[]a]", "\\\\", '"b"', "é"),
    *("..", "./", "[a\\]]", "[\\a]", '[a"]"]', "[A-z]", "[.]", "[-]", "**", "py", "\\]", "[a/b]"),
)


def _grow(folder: Path, draw: random.Random, depth: int) -> None:
    for name in draw.sample(_NAMES, draw.randint(2, 7)):
        kind = draw.random()
        if depth and kind < 0.35:
            (folder / name).mkdir()
            _grow(folder / name, draw, depth - 1)
        elif kind < 0.45:
            (folder / name).symlink_to(draw.choice(["nowhere", "..", ".", "a"]))
        else:
            (folder / name).write_text("")


def unfound_names(seed: int, wanted: int, folder: Path) -> tuple[int, list[str]]:
    """How many wildcards were compared, and those of which bash makes a name that we do not."""
    draw, compared, wrong = random.Random(seed), 0, list[str]()
    while compared < wanted:
        with tempfile.TemporaryDirectory(dir=folder) as made:
            _grow(Path(made), draw, 2)
            patterns: dict[str, tuple[str, ...]] = {}
            while len(patterns) < 100:
                source = "".join(draw.choice(_TOKENS) for _ in range(draw.randint(1, 6)))
                script = read_script(f"x {source}")
                words = [word for command in script.commands for word in command.words[1:]]
                if script.trouble or len(words) != 1 or words[0].pattern is None:
                    continue
                names = expand(words[0].pattern, made, DiskProbe())
                if names is not None and not source.startswith("/"):
                    patterns[source] = names
            lines = [f"printf '%s\\0' {source}; printf '\\1\\0'\n" for source in patterns]
            program = "".join(f"eval {shlex.quote(line)}\n" for line in lines)
            run = subprocess.run(
                ["/bin/bash", "--noprofile", "--norc"],
                input=program.encode(),
                cwd=made,
                env={"PATH": "/nonexistent", "HOME": "/h", "LC_ALL": "C.UTF-8"},
                capture_output=True,
                check=True,
                timeout=60,
            )
            groups = run.stdout.decode().split("\1\0")[:-1]
            for (source, ours), group in zip(patterns.items(), groups, strict=True):
                compared += 1
                known = {os.path.normpath(name) for name in ours}
                theirs = {os.path.normpath(name) for name in group.split("\0")[:-1]}
                if not theirs <= known:
                    wrong.append(f"{source}: bash {theirs}, we {known}")
    return compared, wrong


def test_no_name_that_bash_makes_of_a_wildcard_is_missed(tmp_path):
    assert unfound_names(1, 800, tmp_path)[1] == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_no_name_is_missed_in_many_folders(tmp_path):
    assert unfound_names(2, 6_000, tmp_path)[1] == []
