"""A summary made without a model: what was asked, done and said last, taken from the entries. Pure.

It is the way that is left when no request gets through, so it takes whatever a file may hold.
"""

from collections.abc import Iterator, Sequence

from agentcli.base.text import clean_surrogates, strip_controls
from agentcli.base.values import as_dict, as_list
from agentcli.protocol.blocks import text_of
from agentcli.session.compact_entries import is_summary, summary_text
from agentcli.session.entries import Entry
from agentcli.session.prompts import is_prompt, prompt_label

MOST_CHARS = 24_000
_HEAD = "(Put together by the program from the record, without the model: facts, no judgement.)"
_WRITERS = ("Write", "Edit", "MultiEdit", "NotebookEdit")
_READERS = ("Read",)


def local_summary(path: Sequence[Entry], limit: int = MOST_CHARS) -> str:
    """A summary of *path* of at most *limit* characters, never empty. Never raises."""
    sections = [
        _section("Summary of what was before", _earlier(path), limit // 3, newest=False),
        _section("What the user asked for, in order", _prompts(path), limit // 4),
        _section("Files written", _files(path, _WRITERS), limit // 10),
        _section("Files read", _files(path, _READERS), limit // 10),
        _section("Commands run last", _commands(path), limit // 10),
        _section("What the model said last", _answers(path), limit // 4),
        _section("Not finished", _open_work(path), limit // 10),
    ]
    text = "\n\n".join([_HEAD, *(section for section in sections if section)])
    return _clean(text)[:limit].rstrip() or "-"


def _section(title: str, lines: list[str], room: int, *, newest: bool = True) -> str:
    """The newest lines (or the first ones) that fit in *room*; the very first prompt says most,
    so the first line of a list stays in any case."""
    if not lines:
        return ""
    first, *others = lines
    kept = [first[:room]]
    room -= len(kept[0])
    chosen: list[str] = []
    for line in reversed(others) if newest else others:
        if len(line) > room:
            break
        room -= len(line)
        chosen.append(line)
    if len(chosen) < len(others):
        kept.append("- …" if newest else "")
    kept += reversed(chosen) if newest else chosen
    return "\n".join([f"{title}:", *filter(None, kept)])


def _earlier(path: Sequence[Entry]) -> list[str]:
    texts = [summary_text(entry) for entry in path if is_summary(entry)]
    return [line for text in texts for line in text.split("\n") if line.strip()]


def _prompts(path: Sequence[Entry]) -> list[str]:
    return [_item(prompt_label(entry), 1_200) for entry in path if is_prompt(entry)]


def _files(path: Sequence[Entry], tools: tuple[str, ...]) -> list[str]:
    """The newest last, each once."""
    files: dict[str, None] = {}
    for name, given in _calls(path):
        file = given.get("file_path") or given.get("notebook_path")
        if name in tools and isinstance(file, str):
            files.pop(file, None)
            files[file] = None
    return [_item(file, 400) for file in files]


def _commands(path: Sequence[Entry]) -> list[str]:
    commands = (given.get("command") for name, given in _calls(path) if name == "Bash")
    return [_item(command, 300) for command in commands if isinstance(command, str)][-30:]


def _answers(path: Sequence[Entry]) -> list[str]:
    texts: list[str] = []
    for entry in path:
        if entry.type == "assistant" and not entry.data.get("isApiErrorMessage"):
            texts += [
                block["text"]
                for block in entry.blocks
                if block.get("type") == "text" and isinstance(block.get("text"), str)
            ]
    return [_item(text, 2_000) for text in texts if text.strip()][-3:]


def _open_work(path: Sequence[Entry]) -> list[str]:
    """Calls without a result, and what the last result says where it is an error."""
    open_calls: dict[str, str] = {}
    failed = ""
    for entry in path:
        for block in entry.blocks:
            if entry.type == "assistant" and block.get("type") == "tool_use":
                open_calls[str(block.get("id"))] = f"{block.get('name')} {block.get('input')}"
            elif block.get("type") == "tool_result":
                open_calls.pop(str(block.get("tool_use_id")), None)
                failed = _text(block.get("content")) if block.get("is_error") is True else ""
    lines = [_item(f"call without a result: {call}", 300) for call in open_calls.values()]
    return [*lines, _item(f"the last call failed: {failed}", 800)] if failed else lines


def _calls(path: Sequence[Entry]) -> Iterator[tuple[str, dict[str, object]]]:
    for entry in path:
        if entry.type == "assistant":
            for block in entry.blocks:
                if block.get("type") == "tool_use":
                    yield str(block.get("name")), as_dict(block.get("input"))


def _text(content: object) -> str:
    return content if isinstance(content, str) else text_of(map(as_dict, as_list(content)))


def _item(text: str, limit: int) -> str:
    """One item of a list; the lines of a longer text are indented below it."""
    cut = text.strip()[:limit]
    more = " …" if len(text.strip()) > limit else ""
    return f"- {cut.replace(chr(10), chr(10) + '  ')}{more}"


def _clean(text: str) -> str:
    return clean_surrogates(strip_controls(text))
