"""Which entries are prompts, and what is told of them."""

from agentcli.protocol.calls import ToolResult
from agentcli.session.entries import (
    INTERRUPT_TEXT,
    Entry,
    EntryDraft,
    attachment_draft,
    interrupt_draft,
    meta_draft,
    shell_input_draft,
    shell_output_draft,
)
from agentcli.session.prompt_points import prompt_points
from agentcli.session.prompts import (
    is_prompt,
    prompt_label,
    prompt_of,
    seconds_of,
    turn_start,
)
from tests.session.trees import call, prompt, result, said

IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}


def drafted(uuid: str, draft: EntryDraft) -> Entry:
    return Entry({"type": draft.type, "uuid": uuid, **draft.fields})


def edit(uuid: str, path: str, added: int, removed: int) -> Entry:
    details = {"filePath": path, "structuredPatch": [], "added": added, "removed": removed}
    return Entry({**result(uuid, None, "t").data, "toolUseResult": details})


def test_only_what_a_person_sent_is_a_prompt() -> None:
    assert is_prompt(prompt("a", None, "fix it"))
    assert is_prompt(drafted("b", shell_input_draft("ls")))
    assert not is_prompt(result("c", None, "t"))
    assert not is_prompt(drafted("d", meta_draft("go on")))
    assert not is_prompt(drafted("e", interrupt_draft(INTERRUPT_TEXT)))
    assert not is_prompt(drafted("f", shell_output_draft(ToolResult("x"))))
    assert not is_prompt(prompt("g", None, "so far", isCompactSummary=True))
    assert not is_prompt(said("h", None, "m", "hello"))
    assert not is_prompt(Entry({"type": "user", "uuid": "i", "message": None}))


def test_a_prompt_comes_back_as_it_was_typed() -> None:
    blocks = [{"type": "text", "text": "see"}, IMAGE]
    pictured = Entry({**prompt("a", None).data, "message": {"role": "user", "content": blocks}})
    assert prompt_of(pictured) == blocks
    assert prompt_label(pictured) == "see [image]"
    assert prompt_of(drafted("b", shell_input_draft("ls -l"))) == "!ls -l"
    assert prompt_of(prompt("c", None, "plain")) == "plain"


def test_each_prompt_tells_what_its_turn_did() -> None:
    bash = call("c", None, "m2", "t9")
    bash.data["message"]["content"][0]["name"] = "Bash"
    path = [
        prompt("p", None, "one", timestamp="2026-11-30T12:00:00.500Z"),
        edit("e1", "/x/a.py", 3, 1),
        edit("e2", "/x/a.py", 1, 0),
        edit("e3", "/x/b.py", 2, 2),
        prompt("q", None, "two"),
        bash,
        drafted("r", shell_input_draft("make")),
    ]
    first, second, third = prompt_points(path)
    assert (first.entry_id, first.text, first.at) == ("p", "one", 1796040000.5)
    assert (first.files, first.added, first.removed) == (("/x/a.py", "/x/b.py"), 6, 3)
    assert (second.files, second.commands) == ((), 1)
    assert (third.text, third.commands) == ("!make", 1)


def test_what_a_prompt_mentions_belongs_to_it() -> None:
    path = [
        said("a", None, "m", "x"),
        drafted("n", attachment_draft("environment", content="facts")),
        drafted("f", attachment_draft("file", filename="/x", content=[])),
        prompt("p", None),
    ]
    assert turn_start(path, 3) == 2
    assert turn_start(path, 0) == 0


def test_a_time_that_is_none_is_zero() -> None:
    assert [seconds_of(Entry({"timestamp": odd})) for odd in (None, "soon", 5, {})] == [0.0] * 4
