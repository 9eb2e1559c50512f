"""Random quoted words, decoded by a real bash and by us: what we call known is what bash passes."""

import random
import shlex
import subprocess
from pathlib import Path

import pytest

from agentcli.permissions.shell.script import read_script

_BASH = "/bin/bash"
_CHARS = "ab -./:=,+%@^~#'\"\"'' *?$\\\\;é世\t{}[]!<>()`\n1_"


def differences(seed: int, wanted: int, folder: Path) -> tuple[int, list[str]]:
    """How many words were compared, and each text whose words differ."""
    draw = random.Random(seed)
    texts: list[str] = []
    words: list[tuple[str, ...]] = []
    while len(texts) < wanted:
        text = "".join(draw.choice(_CHARS) for _ in range(draw.randint(1, 12)))
        script = read_script(f"x {text}")
        if script.trouble or len(script.commands) != 1 or script.commands[0].redirects:
            continue
        found = script.commands[0].words[1:]
        if any(word.dynamic or word.pattern is not None for word in found):
            continue
        texts.append(text)
        words.append(tuple(word.text for word in found))
    program = "x() { if [ $# -gt 0 ]; then printf '%s\\0' \"$@\"; fi; printf '\\1\\0'; }\n"
    # What bash calls a syntax error runs nothing.
    program += "".join(
        f"eval {shlex.quote(f'x {text}')} 2>/dev/null || printf '\\2\\0\\1\\0'\n" for text in texts
    )
    run = subprocess.run(
        [_BASH, "--noprofile", "--norc"],
        input=program.encode(),
        cwd=folder,
        env={"PATH": "/nonexistent", "HOME": "/h", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        check=True,
        timeout=120,
    )
    groups = run.stdout.decode().split("\1\0")[:-1]
    seen = [tuple(group.split("\0")[:-1]) for group in groups]
    assert len(seen) == len(texts), run.stderr[:500]
    wrong = [
        f"{text!r}: bash {theirs}, we {ours}"
        for text, theirs, ours in zip(texts, seen, words, strict=True)
        if theirs not in (ours, ("\2",))
    ]
    return sum(map(len, words)), wrong


def test_words_are_those_that_bash_passes(tmp_path):
    compared, wrong = differences(5, 2_000, tmp_path)
    assert wrong == [] and compared > 1_500


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_many_words_are_those_that_bash_passes(seed, tmp_path):
    _, wrong = differences(1_000 + seed, 12_500, tmp_path)
    assert wrong == []
