"""Random shell texts, run by a real bash: no command of theirs runs that was not seen.

The texts know stand-in names only, and PATH holds nothing, so running one does nothing but log.
"""

import random
import tempfile
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from agentcli.permissions.decide import decide
from agentcli.permissions.paths import DiskProbe
from agentcli.permissions.policy import Policy
from agentcli.permissions.rules import parse_rules
from agentcli.permissions.shell.commands import Command, Script
from agentcli.permissions.shell.readers import READERS
from agentcli.permissions.shell.script import read_script
from agentcli.permissions.shell.words import Word
from agentcli.protocol.calls import ToolCall
from tests.permissions.corpus import load_cases
from tests.permissions.shell_grammar import Grammar
from tests.permissions.shell_runner import Ran, run_texts

BATCH = 250
_WRAPPERS = ("time", "-p", "--", "command", "builtin")
# Behind a redirect ``time`` is a program: the wrapper that it stands for.
_MAY_RUN = {"s0", "s1", "s2", "time", *READERS}


def _is_known(word: Word) -> bool:
    return not word.dynamic and word.pattern is None


def _explains(command: Command, argv: tuple[str, ...]) -> bool:
    words = list(command.words)
    while words and words[0].text in _WRAPPERS and words[0].text != argv[0]:
        words.pop(0)
    known = [word.text for word in words]
    if all(map(_is_known, words)):
        return tuple(known) == argv
    head = next(at for at, word in enumerate(words) if not _is_known(word))
    return tuple(known[:head]) == argv[:head]


def unseen(script: Script, ran: Ran) -> list[str]:
    """What *ran* shows and *script* does not."""
    found = [
        repr(argv)
        for argv in ran.commands
        if not any(_explains(command, argv) for command in script.commands)
    ]
    redirects = [*script.redirects]
    redirects += [item for command in script.commands for item in command.redirects]
    targets = [item.target for item in redirects if item.target and ">" in item.operator]
    if all(map(_is_known, targets)):
        found += [f"file {name!r}" for name in ran.files - {target.text for target in targets}]
    return found


def _policy(folder: Path, allow: list[str], deny: list[str]) -> Policy:
    return Policy(
        mode="bypassPermissions" if deny else "default",
        roots=(str(folder),),
        cwd=str(folder),
        home=str(folder),
        allow=parse_rules(allow, "allow", "userSettings", "/").rules,
        deny=parse_rules(deny, "deny", "userSettings", "/").rules,
        trusted=True,
    )


def fuzz(seed: int, wanted: int, folder: Path) -> tuple[int, int, int]:
    """Counts of texts made, understood and run, and allowed. Fails on the first text that runs
    what was not seen, was not allowed, or was denied."""
    grammar = Grammar(seed)
    made = run = allowed = 0
    some = _policy(folder, ["Bash(s0 *)", "Bash(s1 *)", "Bash(s2 *)", "Edit(//**)"], [])
    forbidding = _policy(folder, [], ["Bash(s3 *)"])
    while run < wanted:
        texts: list[str] = []
        while len(texts) < BATCH:
            text = grammar.text()
            made += 1
            if "\1" not in text and read_script(text).trouble is None:
                texts.append(text)
        with tempfile.TemporaryDirectory(dir=folder) as place:
            results = run_texts(texts, Path(place))
        for text, ran in zip(texts, results, strict=True):
            where = f"seed {seed}: {text!r} ran {ran}"
            assert not unseen(read_script(text), ran), where
            call = ToolCall("t", "Bash", {"command": text})
            names = {argv[0] for argv in ran.commands}
            if decide(call, some, DiskProbe()).behavior == "allow":
                allowed += 1
                assert names <= _MAY_RUN, where
            if decide(call, forbidding, DiskProbe()).behavior == "allow":
                assert "s3" not in names, where
        run += len(texts)
    return made, run, allowed


def test_a_few_hundred_texts(tmp_path):
    made, run, allowed = fuzz(1, 500, tmp_path)
    assert run * 8 > made and allowed * 10 > run  # the test would see little otherwise


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(100, 104))
def test_twenty_thousand_texts(seed, tmp_path):
    fuzz(seed, 5_250, tmp_path)


def test_texts_that_are_not_understood_run_nothing_denied_either(tmp_path):
    """In the mode that allows everything, doubt about a deny rule is a question."""
    grammar, forbidding = Grammar(7), _policy(tmp_path, [], ["Bash(s3 *)"])
    texts = [grammar.text() for _ in range(300)]
    results = run_texts(texts, tmp_path)
    for text, ran in zip(texts, results, strict=True):
        if any(argv[0] == "s3" for argv in ran.commands):
            call = ToolCall("t", "Bash", {"command": text})
            assert decide(call, forbidding, DiskProbe()).behavior != "allow", (text, ran)


def test_mutated_attacks_are_judged_without_a_failure(tmp_path):
    grammar = Grammar(3)
    policy = _policy(tmp_path, ["Bash(echo *)"], ["Bash(curl *)", "Read(.env)"])
    commands = [str(case["input"]["command"]) for case in load_cases() if case["tool"] == "Bash"]
    for mode in ("default", "acceptEdits"):
        for command in islice(commands, 0, None, 3):
            text = grammar.mutated(command)
            call = ToolCall("t", "Bash", {"command": text or "x"})
            assert decide(call, replace(policy, mode=mode), DiskProbe()).reason


def test_soup_of_every_kind_is_judged_in_bounded_time(tmp_path):
    draw = random.Random(9)
    tokens = [
        "ls",
        "cd a",
        "&&",
        "||",
        ";",
        "|",
        "$(",
        "`",
        ")",
        '"',
        "'",
        "{",
        "}",
        "(",
        ">",
        "<",
        "<<E\n",
        "*",
        "~",
    ]
    tokens += [
        "$x",
        "if",
        "then",
        "fi",
        "do",
        "done",
        "for",
        "in",
        "case",
        "\n",
        "rm",
        "-rf",
        "xargs",
        "sudo",
        "find",
        "/",
        "..",
    ]
    policy = replace(_policy(tmp_path, [], ["Bash(curl *)", "Read(.env)"]), mode="acceptEdits")
    for _ in range(40):
        text = "".join(draw.choice(tokens) + draw.choice(["", " "]) for _ in range(2_500))
        start = time.process_time()
        assert decide(ToolCall("t", "Bash", {"command": text}), policy, DiskProbe()).reason
        assert time.process_time() - start < 4
