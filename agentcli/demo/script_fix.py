"""The main scene: find the bug of the sample project, fix it, run its tests, report. Pure."""

import re
import shlex

from agentcli.demo.conversation import find_line
from agentcli.demo.reply import DoneCall, ModelRequest, Reply, text, thinking, tool_use
from agentcli.demo.script_parts import (
    find_call,
    grep_lines,
    in_workspace,
    live,
    missing_tools,
    quoted_output,
    say,
    was_not_allowed,
)

_CODE = "shop/cart.py"
_TEST = "tests/test_cart.py"
_BUGGY_LINE = "subtotal += round("
_OLD = """\
        subtotal = 0.0
        for line in self.lines:
            subtotal += round(line.price * line.quantity, 2)
        return subtotal * (1 - discount)
"""
_NEW = """\
        subtotal = 0.0
        for line in self.lines:
            subtotal += line.price * line.quantity
        return round(subtotal * (1 - discount), 2)
"""
_DIFF = "\n".join(
    ["```diff"]
    + [f"-{line}" for line in _OLD.splitlines()[2:]]
    + [f"+{line}" for line in _NEW.splitlines()[2:]]
    + ["```"]
)


def fix(request: ModelRequest) -> Reply:
    """The next step, from the calls made since the prompt and what came of them."""
    code = find_call(request.calls, "Read", _CODE)
    edit = find_call(request.calls, "Edit", _CODE)
    run = find_call(request.calls, "Bash")
    if code is None:
        return _look(request)
    if code.is_error or "class Cart" not in code.output:
        return _not_the_sample(code)
    if find_call(request.calls, "Read", _TEST) is None:
        return _read_test(request)
    if _BUGGY_LINE in code.output and edit is None:
        return _edit(request)
    if edit is not None and edit.is_error:
        return _not_edited(edit)
    if run is None:
        return _run_tests(request, edited=edit is not None)
    return _report(run, edited=edit is not None)


def _look(request: ModelRequest) -> Reply:
    missing = missing_tools(request, "Grep", "Read", "Edit", "Bash")
    if missing is not None:
        return say(missing)
    return live(
        thinking(
            "A test fails and I do not know which. In a cart the usual suspect is money: where "
            "a discount is taken and where is rounded. I look at both before changing anything."
        ),
        text("I'll look at how the total is computed."),
        tool_use("Grep", grep_lines("discount", request)),
        tool_use("Read", {"file_path": in_workspace(request, _CODE)}),
    )


def _not_the_sample(code: DoneCall) -> Reply:
    if was_not_allowed(code):
        return say(f"I was not allowed to read {_CODE}, so I change nothing.")
    return say(
        f"I am a scripted model and can only fix the sample project, but {_CODE} is not what I "
        f"expected here. Reading it gave:\n\n{quoted_output(code.output, 4)}\n\nI changed nothing."
    )


def _read_test(request: ModelRequest) -> Reply:
    return live(
        text("Each line is rounded on its own. The test should tell what is wanted."),
        tool_use("Read", {"file_path": in_workspace(request, _TEST)}),
    )


def _edit(request: ModelRequest) -> Reply:
    return live(
        thinking(
            "The test wants 32.37 for a 10 % discount. The code rounds every line first and takes "
            "the discount from that: 32.364, neither right nor whole cents. Add up exactly, take "
            "the discount, round once."
        ),
        text("The discount is applied after rounding. I'll round once, at the end."),
        tool_use(
            "Edit",
            {
                "file_path": in_workspace(request, _CODE),
                "old_string": _OLD,
                "new_string": _NEW,
            },
        ),
    )


def _not_edited(edit: DoneCall) -> Reply:
    if was_not_allowed(edit):
        return say(
            f"The edit was not allowed, so I leave {_CODE} as it is and the test still fails. "
            f"This is what I would have changed in `Cart.total`:\n\n{_DIFF}\n\n"
            "It adds up exact amounts and rounds once, after the discount."
        )
    return say(
        f"The edit of {_CODE} failed:\n\n{quoted_output(edit.output)}\n\nNothing was changed. "
        f"What I wanted to change:\n\n{_DIFF}"
    )


def _run_tests(request: ModelRequest, *, edited: bool) -> Reply:
    python = find_line(request.body, "Python")
    # The line may be a bare path or a path followed by a remark in brackets.
    python = re.sub(r"\s+\([^)]*\)$", "", python) if python else "python"
    words = "Now the tests." if edited else "This file rounds once already. I'll run the tests."
    return live(
        text(words),
        tool_use(
            "Bash",
            {
                "command": f"{shlex.quote(python)} -m unittest -q",
                "description": "Run the unit tests",
            },
        ),
    )


def _report(run: DoneCall, *, edited: bool) -> Reply:
    done = (
        f"`Cart.total` in {_CODE} rounded each line before the discount; now it adds up exact "
        "amounts and rounds once, at the end."
        if edited
        else f"I changed nothing: {_CODE} already rounds once, after the discount."
    )
    ran = re.search(r"^Ran (\d+) tests? in", run.output, re.MULTILINE)
    passed = re.search(r"^OK\b", run.output, re.MULTILINE)
    if ran and passed and not run.is_error:
        return say(f"{'Fixed: ' if edited else ''}{done}\n\nAll {ran[1]} tests pass.")
    if ran:
        return say(
            f"{done}\n\nBut of the {ran[1]} tests not all pass:\n\n{quoted_output(run.output)}\n\n"
            "I stop here, since the rest is outside my script."
        )
    if was_not_allowed(run):
        return say(
            f"{done}\n\nThe tests were not run, so I cannot say that they pass. To run them: "
            f"`{run.input.get('command', '')}`"
        )
    return say(
        f"{done}\n\nThe tests could not be run, so I cannot say that they pass:\n\n"
        f"{quoted_output(run.output)}"
    )
