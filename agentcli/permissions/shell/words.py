"""Words of a shell text, decoded exactly as bash would pass them, or marked as not known yet."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+%@^")
_GLOB = frozenset("*?[")
_UNQUOTED = re.compile(r"\\(.)|([*?\[])|([^\\*?\[]+)|(\\)", re.DOTALL)
# Characters that no plain word holds unescaped: the parser would have been mistaken.
_NOT_PLAIN = re.compile(r"[$`\"'<>|&;()\s]")
_IN_DOUBLE = re.compile(r'\\([$`"\\])')
_EXPANDS = re.compile(r"(?<!\\)(?:\\\\)*(?:`|\$[\w{(@*#?!$'\"-])")
_BRACES = re.compile(r"\{.*(?:,|\.\.).*\}", re.DOTALL)
_TILDE = re.compile(r"(?:^|[=:])~")
_NUMBERS_ONLY = re.compile(r"\$\(\([\d\s+*/%()<>=!&|^~-]*\)\)")
_LITERAL_IN_STRING = frozenset({'"', "string_content", "$"})
_EXPANSIONS = frozenset(
    {"simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"}
)
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
# The commonest dynamic words, told from all others without a look at their nodes.
_VARIABLE = re.compile(r'\$[A-Za-z_]\w*|"\$[A-Za-z_]\w*"|\$\{[A-Za-z_]\w*\}', re.ASCII)
_SIMPLE_EXPANSION = re.compile(r"\$(?:[A-Za-z_]\w*|[0-9@*#?$!-])", re.ASCII)
_PLAIN_EXPANSION = re.compile(r"\$\{(?:[A-Za-z_]\w*|[0-9]+|[@*#?$!-])\}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Word:
    """One word: ``text`` as bash passes it.

    ``dynamic``: part of it is only known when it runs, and stands in ``text`` as it was written.
    ``pattern``: it holds an unquoted wildcard; the pattern with quoted wildcards escaped.
    ``raw`` is the source; ``start`` and ``end`` are byte offsets in it.
    """

    text: str
    dynamic: bool = False
    pattern: str | None = None
    raw: str = ""
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class _Pieces:
    """A word while it is put together: runs of text, and whether each was quoted."""

    runs: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    dynamic: bool = False
    trouble: str | None = None
    inner: list["Node"] = field(default_factory=list["Node"])


def quote(words: tuple[str, ...]) -> str:
    """One canonical text for decoded words: plain words bare, all others in quotes. Pure."""
    return " ".join(word if word and _BARE.issuperset(word) else _quoted(word) for word in words)


def canonical(words: tuple[Word, ...]) -> str:
    """The text that rules are matched with: decoded words quoted anew, unknown ones as written.
    Pure."""
    return " ".join(
        word.raw if word.dynamic or word.pattern is not None else quote((word.text,))
        for word in words
    )


def decode(node: "Node", data: bytes) -> tuple[Word, str | None, list["Node"]]:
    """The word at *node*, why it was not understood (or None), and its inner scripts. Pure."""
    start, end = node.start_byte, node.end_byte
    raw = data[start:end].decode()
    if _BARE.issuperset(raw):
        return Word(raw, raw=raw, start=start, end=end), None, []
    if _VARIABLE.fullmatch(raw):
        return Word(raw.strip('"'), True, raw=raw, start=start, end=end), None, []
    pieces = _Pieces()
    _add(node, data, pieces)
    bare = "".join(run for run, quoted in pieces.runs if not quoted)
    text = "".join(run for run, _ in pieces.runs)
    if "~" in bare:
        # What is quoted stands in the way of a tilde: it is no beginning behind it.
        unquoted = "".join("'" if quoted else run for run, quoted in pieces.runs)
        pieces.dynamic = pieces.dynamic or _TILDE.search(unquoted) is not None
    if "{" in bare and _BRACES.search(text):
        pieces.trouble, pieces.dynamic = pieces.trouble or "a list in braces", True
    pattern = None
    if not _GLOB.isdisjoint(bare):
        pattern = "".join(_escaped(run) if quoted else run for run, quoted in pieces.runs)
    word = Word(text, pieces.dynamic, pattern, raw, start, end)
    return word, pieces.trouble, pieces.inner


def _add(node: "Node", data: bytes, pieces: _Pieces) -> None:
    source = data[node.start_byte : node.end_byte].decode()
    match node.type:
        case "word" | "number" | "extglob_pattern" if not node.child_count:
            _add_unquoted(source, pieces)
        case "raw_string":
            pieces.runs.append((source[1:-1], True))
        case "string":
            _add_double_quoted(node, source, data, pieces)
        case "concatenation" | "command_name":
            _add_joined(node, data, pieces)
        case kind:
            # Inside a string the parser counts the blanks before an expansion as part of it.
            source = source.lstrip()
            _add_dynamic(source, pieces)
            trouble = _trouble_of(kind, source)
            pieces.trouble = pieces.trouble or trouble
            if trouble or kind in _SUBSTITUTIONS:
                pieces.inner.append(node)


def _trouble_of(kind: str, source: str) -> str | None:
    """What is not understood of an expansion, None for those whose inside is all that matters."""
    match kind:
        case "process_substitution":
            return None
        case "simple_expansion":
            return None if _SIMPLE_EXPANSION.fullmatch(source) else "a $ that was not understood"
        case "command_substitution":
            return "escapes in backquotes" if source[0] == "`" and "\\" in source else None
        case "expansion":
            plain = _PLAIN_EXPANSION.fullmatch(source)
            return None if plain else "an expansion with an operator"
        case "arithmetic_expansion":
            return None if _NUMBERS_ONLY.fullmatch(source) else "arithmetic"
        case "brace_expression":
            return "a list in braces"
        case "ansi_c_string" | "translated_string":
            return "a string of the kind $'…'"
        case _:
            return "a word of an unknown kind"


def _add_unquoted(source: str, pieces: _Pieces) -> None:
    for escaped, wild, plain, lone in _UNQUOTED.findall(source):
        if escaped:
            pieces.runs.append((escaped, True))
        elif lone or _NOT_PLAIN.search(plain):
            pieces.trouble = "a word that was not understood"
            pieces.runs.append((lone or plain, False))
        else:
            pieces.runs.append((wild or plain, False))


def _add_double_quoted(node: "Node", source: str, data: bytes, pieces: _Pieces) -> None:
    inner = source[1:-1]
    expansions = [child for child in node.children if child.type not in _LITERAL_IN_STRING]
    if expansions:
        _add_dynamic(inner, pieces)
    else:
        pieces.runs.append((_IN_DOUBLE.sub(r"\1", inner), True))
        if _EXPANDS.search(inner):
            pieces.dynamic, pieces.trouble = True, "a string that was not understood"
    for child in expansions:
        within = _Pieces()
        _add(child, data, within)
        if child.type not in _EXPANSIONS:
            pieces.trouble = "a string that was not understood"
        pieces.trouble = pieces.trouble or within.trouble
        pieces.inner += within.inner


def _add_joined(node: "Node", data: bytes, pieces: _Pieces) -> None:
    end = node.start_byte
    for child in node.children:
        if child.start_byte != end:
            pieces.trouble = "a word that was not understood"
        end = child.end_byte
        _add(child, data, pieces)
    if end != node.end_byte:
        pieces.trouble = "a word that was not understood"


def _add_dynamic(source: str, pieces: _Pieces) -> None:
    pieces.runs.append((source, True))
    pieces.dynamic = True


def _escaped(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\*?[]" else char for char in text)


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\"'\"'") + "'"
