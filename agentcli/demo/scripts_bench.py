"""Scripts for tests and benchmarks: fixed answers, timed Markdown, calls by command. Pure.

``tools`` obeys the person's text: ``CALL {"name": …, "input": {…}}`` lines become the calls of
one message, ``THEN`` begins the next message, ``SAY text`` is what it ends with.
"""

from typing import Any, cast

import msgspec

from agentcli.demo.conversation import merge_messages
from agentcli.demo.reply import ModelRequest, Reply, text, tool_use
from agentcli.protocol.blocks import Block

_HELLO = "Hello. I am a scripted model."
_SECTION = """\
## Section {n}

The total is rounded **once**, at the end. See `total()` in `shop/cart.py` and the
[tests](tests/test_cart.py); a longer line of prose wraps on every usual terminal width.

- first point of section {n}
- second point, with `code` and *emphasis*
  - nested point

| line | price | quantity |
|------|------:|---------:|
| tea  | 15.90 |    0.355 |

```python
def total(lines, discount=0.0):
    subtotal = sum(line.price * line.quantity for line in lines)
    return round(subtotal * (1 - discount), 2)
```

"""


def echo(request: ModelRequest) -> Reply:
    """Answers with the person's last text."""
    return Reply([text(request.prompt or "(no text)")])


def hello(request: ModelRequest) -> Reply:
    """A short fixed answer."""
    return Reply([text(_HELLO)])


def markdown20k(request: ModelRequest) -> Reply:
    """20,000 characters of Markdown in 4-character deltas over 6 seconds."""
    return timed_markdown(20_000, 6.0)


def markdown200k(request: ModelRequest) -> Reply:
    """200,000 characters of Markdown in 4-character deltas over 60 seconds."""
    return timed_markdown(200_000, 60.0)


def timed_markdown(size: int, seconds: float, chunk: int = 4) -> Reply:
    """Markdown of exactly *size* characters, evenly spread over *seconds*."""
    deltas = -(-size // chunk)
    return Reply([text(sample_markdown(size))], chunk=chunk, seconds_per_delta=seconds / deltas)


def sample_markdown(size: int) -> str:
    """Exactly *size* characters of varied Markdown."""
    sections = (_SECTION.format(n=n) for n in range(1, size // 100 + 2))
    return "".join(sections)[:size]


def tools(request: ModelRequest) -> Reply:
    """Makes the calls that the prompt lists, message by message, then says what came back."""
    steps, final = parse_plan(request.prompt)
    done = len(steps) if not steps else _messages_since_prompt(request)
    if done < len(steps):
        return Reply(steps[done], chunk=64)
    if not final:
        outputs = "".join(f"\n{call.output}" for call in request.calls)
        final = f"DONE{outputs}" if steps else "DONE (no CALL line in the prompt)"
    return Reply([text(final)], chunk=64)


def parse_plan(prompt: str) -> tuple[list[list[Block]], str | None]:
    """The messages of a ``tools`` prompt and its final text. A bad CALL line becomes a text."""
    steps: list[list[Block]] = [[]]
    final: str | None = None
    for line in prompt.splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "CALL":
            steps[-1].append(_call(rest))
        elif word == "THEN":
            steps.append([])
        elif word == "SAY":
            final = rest if final is None else f"{final}\n{rest}"
    bad = [block for step in steps for block in step if block["type"] == "text"]
    if bad:
        return [], str(bad[0]["text"])
    return [step for step in steps if step], final


def _call(source: str) -> Block:
    try:
        call: Any = msgspec.json.decode(source)
        fields = cast("dict[str, Any]", call)
        return tool_use(str(fields["name"]), dict(fields.get("input") or {}), fields.get("id"))
    except (msgspec.DecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        return text(f"BAD CALL LINE: {source} ({error})")


def _messages_since_prompt(request: ModelRequest) -> int:
    """How many of the planned messages were sent: assistant messages with calls since then."""
    merged = merge_messages(request.body.get("messages", []))
    ids = {call.id for call in request.calls}
    return sum(
        any(block.get("id") in ids for block in message.blocks if block.get("type") == "tool_use")
        for message in merged
    )
