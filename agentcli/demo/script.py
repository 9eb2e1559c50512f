"""The scripted model of ``agentcli --demo``: picks the scene that the person's words ask for.

It keeps no state: where a scene stands is read from the conversation, so it goes on after a
resume. Pure.
"""

import re
from collections.abc import Callable

from agentcli.demo import script_scenes as scenes
from agentcli.demo.reply import ModelRequest, Reply
from agentcli.demo.script_fix import fix

_LONGEST_WISH = 300
"""Longer prompts are not for the scenes: summaries, pasted text, instructions of a program."""

_SCENES: tuple[tuple[str, str, Callable[[ModelRequest], Reply]], ...] = (
    ("fix the failing test", r"fix\w*|bugs?|fail\w*|broken|tests?", fix),
    ("thinking", r"think(ing)?", scenes.think),
    ("parallel", r"parallel", scenes.parallel),
    ("denied", r"denied|deny|denial", scenes.denied),
    ("markdown", r"markdown", scenes.markdown),
    ("rate limit", r"rate[ -]limit(ed)?", scenes.rate_limit),
    ("error", r"errors?|overload(ed)?", scenes.error),
    ("interrupt", r"interrupt(ed)?", scenes.interrupt),
    ("write", r"write|create", scenes.write),
)


def demo_script(request: ModelRequest) -> Reply:
    """The next message of the scripted model. Pure."""
    prompt = request.prompt.lower().strip(" .?!\"'`")
    if len(prompt) > _LONGEST_WISH:
        return scenes.summary(request) if "summar" in prompt else scenes.unscripted(request)
    by_name = {name: scene for name, _, scene in _SCENES}
    if prompt in by_name:
        return by_name[prompt](request)
    for _, words, scene in _SCENES:
        if re.search(rf"\b(?:{words})\b", prompt):
            return scene(request)
    return scenes.unscripted(request)
