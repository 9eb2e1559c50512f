"""The smaller scenes of the demo, one function each. Pure."""

from agentcli.demo.conversation import merge_messages, prompt_of
from agentcli.demo.reply import (
    DoneCall,
    ModelRequest,
    Reply,
    http_error,
    text,
    thinking,
    tool_use,
)
from agentcli.demo.script_parts import (
    find_call,
    grep_lines,
    in_workspace,
    live,
    load_text,
    missing_tools,
    quoted_output,
    say,
    was_not_allowed,
)
from agentcli.protocol.blocks import tool_uses

_NOTES = """\
# Notes

- `shop/cart.py` adds up lines and takes a discount.
- Run the tests with `python -m unittest -q`.
- This file was written by the scripted model of the demo.
"""


def unscripted(request: ModelRequest) -> Reply:
    """What the demo is and what it can show."""
    return say(load_text("help.md"))


def think(request: ModelRequest) -> Reply:
    """A long streamed thinking block."""
    return live(
        thinking(load_text("thinking.md").strip()),
        text("That was a long scripted thought. Folded, it takes one line; unfold it to read it."),
    )


def markdown(request: ModelRequest) -> Reply:
    """A long answer with everything that Markdown has."""
    return say(load_text("markdown.md"))


def interrupt(request: ModelRequest) -> Reply:
    """A slow answer that the person should stop."""
    return live(text(load_text("slow.md").strip()), seconds_per_delta=0.15)


def error(request: ModelRequest) -> Reply:
    """The first attempt is refused as overloaded, the second succeeds."""
    if request.attempt == 1:
        return http_error(529, "Overloaded", retry_after="1")
    return _after_retry(request, "as overloaded (529)")


def rate_limit(request: ModelRequest) -> Reply:
    """The first attempt hits a rate limit, the second succeeds."""
    if request.attempt == 1:
        message = "This request would exceed the rate limit. Please try again later."
        return http_error(429, message, retry_after="2")
    return _after_retry(request, "by a rate limit (429)")


def parallel(request: ModelRequest) -> Reply:
    """Several reads and searches in one message, then what came of each."""
    if request.calls:
        return say("All of that was asked for in one message:\n\n" + _call_list(request.calls))
    missing = missing_tools(request, "Read", "Grep")
    if missing is not None:
        return say(missing)
    reads = ("README.md", "shop/cart.py", "tests/test_cart.py")
    return live(
        text("Three files and two searches, all in one message."),
        *(tool_use("Read", {"file_path": in_workspace(request, path)}) for path in reads),
        *(tool_use("Grep", grep_lines(pattern, request)) for pattern in ("discount", "def test_")),
    )


def denied(request: ModelRequest) -> Reply:
    """A call that the person is invited to deny."""
    call = find_call(request.calls, "Bash")
    if call is None:
        missing = missing_tools(request, "Bash")
        if missing is not None:
            return say(missing)
        return live(
            text("I'd like to remove the build folder. Press n to deny it and see what I do."),
            tool_use("Bash", {"command": "rm -rf build", "description": "Remove the build folder"}),
        )
    if was_not_allowed(call):
        return say(
            "Not allowed, so `build` stays as it is. I will not try another way to the same end."
        )
    if call.is_error:
        return say(f"The command ran and failed:\n\n{quoted_output(call.output)}")
    return say(
        "It was allowed, so it ran: `build` is gone. Ask again and deny it to see the difference."
    )


def write(request: ModelRequest) -> Reply:
    """A new file."""
    call = find_call(request.calls, "Write", "NOTES.md")
    if call is None:
        missing = missing_tools(request, "Write")
        if missing is not None:
            return say(missing)
        return live(
            text("I'll write a short NOTES.md."),
            tool_use("Write", {"file_path": in_workspace(request, "NOTES.md"), "content": _NOTES}),
        )
    if was_not_allowed(call):
        return say("Not allowed, so there is no new NOTES.md. I would have written:\n\n" + _NOTES)
    if call.is_error:
        return say(f"NOTES.md could not be written:\n\n{quoted_output(call.output)}")
    return say(f"NOTES.md is written, {len(_NOTES.splitlines())} lines.")


def summary(request: ModelRequest) -> Reply:
    """A plain summary of the conversation: its prompts and its calls."""
    messages = merge_messages(request.body.get("messages", []))
    prompts = [prompt_of(message) for message in messages]
    asked = [f"- {prompt.splitlines()[0][:120]}" for prompt in prompts[:-1] if prompt]
    used = [
        f"- {block['name']} {block['input'].get('file_path', block['input'].get('command', ''))}"
        for message in messages
        for block in tool_uses(message.blocks)
    ]
    return say(
        "<summary>\nSummary by the scripted model.\n\nThe user asked for:\n"
        + ("\n".join(asked) or "- nothing yet")
        + "\n\nCalls made:\n"
        + ("\n".join(used) or "- none")
        + "\n</summary>"
    )


def _after_retry(request: ModelRequest, how: str) -> Reply:
    return say(
        f"The first attempt of this request was refused {how}; attempt {request.attempt} got "
        "through. Nothing of the conversation was lost."
    )


def _call_list(calls: tuple[DoneCall, ...]) -> str:
    return "\n".join(f"- {_call_line(call)}" for call in calls)


def _call_line(call: DoneCall) -> str:
    subject = str(call.input.get("file_path") or call.input.get("pattern") or "")
    shown = f"{call.name} `{subject.rsplit('/', 1)[-1]}`"
    if call.is_error:
        return f"{shown}: not done ({call.output.strip().partition(chr(10))[0][:120]})"
    count = len(call.output.splitlines())
    return f"{shown}: {count} line{'' if count == 1 else 's'} came back"
