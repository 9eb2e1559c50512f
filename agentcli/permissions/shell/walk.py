"""Walks the syntax tree of a shell text and collects its simple commands."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from agentcli.permissions.shell import kinds
from agentcli.permissions.shell.commands import Command, Redirect
from agentcli.permissions.shell.drafting import Draft
from agentcli.permissions.shell.screening import MAX_DEPTH
from agentcli.permissions.shell.words import Word, decode

if TYPE_CHECKING:
    from tree_sitter import Node


# What ends a word for bash; nothing at all is the end of the text.
_WORD_ENDS = frozenset({b"", *(bytes([byte]) for byte in b" \t\n;&|)<>")})


def _ends_with_command(node: "Node") -> bool:
    if node.type not in ("list", "pipeline"):
        return False
    while node.type in ("list", "pipeline"):
        node = [child for child in node.children if child.is_named and child.type != "comment"][-1]
    return node.type == "command"


def _is_one_command(node: "Node") -> bool:
    """True for a simple command, redirected or not: only its success is known from its end."""
    if node.type == "redirected_statement":
        bodies = [child.type for child in node.children if child.type not in kinds.REDIRECTS]
        return bodies == ["command"]
    return node.type == "command"


class Walk:
    """One walk over the tree of *data*. ``trouble`` names the first thing not understood."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.commands: list[Command] = []
        self.redirects: list[Redirect] = []
        self.trouble: str | None = None
        self._loops: int = 0
        self._backquotes: set[int] = set()
        self._after: frozenset[int] = frozenset()

    def check_gap(self, start: int, end: int) -> None:
        """Between what the parser saw may stand nothing but blanks and line ends."""
        if self.data[start:end].strip(b" \t\n"):
            self.puzzled("text that could not be read")

    def check_gaps(self, node: "Node") -> None:
        """As ``check_gap``, before, between and behind the children of *node*."""
        at = node.start_byte
        for child in node.children:
            self.check_gap(at, child.start_byte)
            at = child.end_byte
        if node.child_count:
            self.check_gap(at, node.end_byte)

    def puzzled(self, what: str) -> None:
        self.trouble = self.trouble or what

    def statement(self, node: "Node", depth: int) -> None:
        kind = node.type
        if depth > MAX_DEPTH:
            return self.puzzled("too deep nesting")
        if kind == "command":
            return self._command(node, depth)
        if kind == "redirected_statement":
            return self._redirected(node, depth)
        if kind == "case_statement":
            return self._case(node, depth)
        if kind == "list":
            self._list(node, depth)
            return None
        if kind == "test_command" and self._test(node, depth):
            return None
        if kind == "command_substitution" and self.data[node.end_byte - 1 : node.end_byte] == b"`":
            self._backquotes.add(node.end_byte - 1)
        looped = kind in kinds.LOOPS
        if kind == "for_statement":
            self._for_head(node)
        elif kind not in kinds.TRANSPARENT and not looped:
            self.puzzled(kinds.TROUBLE.get(kind, f"syntax of an unknown kind ({kind[:40]})"))
        self._loops += looped
        self.parts(node, depth)
        self._loops -= looped
        return None

    def parts(self, node: "Node", depth: int) -> None:
        at = node.start_byte
        for child in node.children:
            self.check_gap(at, child.start_byte)
            at = child.end_byte
            if child.type == "comment":
                continue
            if not child.is_named:
                if child.type in kinds.RESERVED and not (
                    self._ends_word(child.end_byte)
                    or self.data[child.end_byte : child.end_byte + 1] == b"("
                ):
                    self.puzzled(f"{child.type} in a longer word")
                # An arithmetic command looks like a group with other brackets.
                if child.type not in kinds.TOKENS:
                    self.puzzled("arithmetic" if child.type == "((" else f"{child.type[:20]!r}")
            elif child.type in kinds.WORDS - {"command_substitution", "process_substitution"}:
                self.word(child, depth)
            elif child.type not in kinds.INERT:
                self.statement(child, depth + 1)
        self.check_gap(at, node.end_byte)

    def _list(self, node: "Node", depth: int) -> frozenset[int]:
        """``a && b``: b starts where a left the shell. Gives the commands that surely succeeded
        where the whole list did."""
        before = self._after
        joined = [child.type for child in node.children if not child.is_named] == ["&&"]
        succeeded = frozenset[int]()
        for child in node.children:
            if child.type == "list" and depth < MAX_DEPTH:
                succeeded |= self._list(child, depth + 1)
            elif child.type != "comment" and child.is_named:
                self.statement(child, depth + 1)
                if _is_one_command(child):
                    succeeded |= {len(self.commands) - 1}
            if joined:
                self._after = before | succeeded
        self.check_gaps(node)
        if any(not child.is_named and child.type not in kinds.TOKENS for child in node.children):
            self.puzzled("a list of an unknown kind")
        self._after = before
        return succeeded if joined else frozenset()

    def _ends_word(self, at: int) -> bool:
        following = self.data[at : at + 2]
        if following[:1] == b"`":
            return at in self._backquotes
        return following[:1] in _WORD_ENDS and following not in (b"<(", b">(")

    def _for_head(self, node: "Node") -> None:
        for child in node.children:
            if child.type == "variable_name" and not kinds.is_quiet_name(self.source(child)):
                self.puzzled("a loop over a variable that may matter")

    def _case(self, node: "Node", depth: int) -> None:
        items = [child for child in node.children if child.type == "case_item"]
        for item in items:
            for child in item.children:
                if child.type == "extglob_pattern" and not kinds.is_plain_pattern(
                    self.source(child)
                ):
                    self.puzzled("a pattern that was not understood")
        self.parts(node, depth)

    def _test(self, node: "Node", depth: int) -> bool:
        """Take ``[ … ]`` as the command that it is; False for ``[[``."""
        if not node.children or node.children[0].type != "[":
            return False
        words = [self._literal(node.children[0])]
        for child in node.children[1:-1]:
            self._test_words(child, words, depth)
        words.append(self._literal(node.children[-1]))
        self._add(Draft(self, depth, words), node.start_byte, node.end_byte)
        return True

    def _test_words(self, node: "Node", words: list[Word], depth: int) -> None:
        if depth > MAX_DEPTH:
            self.puzzled("too deep nesting")
        elif node.type in kinds.WORDS:
            words.append(self.word(node, depth))
        elif node.type == "test_operator" or (not node.is_named and node.child_count == 0):
            words.append(self._literal(node))
        elif node.type in ("unary_expression", "binary_expression"):
            for child in node.children:
                self._test_words(child, words, depth + 1)
        else:
            self.puzzled("a test of an unknown kind")
            self.parts(node, depth)

    def _redirected(self, node: "Node", depth: int) -> None:
        redirects = tuple(child for child in node.children if child.type in kinds.REDIRECTS)
        bodies = [child for child in node.children if child not in redirects]
        dashes: list[Word] = []
        at = node.start_byte
        for child in node.children:
            dashes += self._dash(at, child.start_byte)
            at = child.end_byte
        if len(bodies) == 1 and bodies[0].type == "command":
            return self._command(bodies[0], depth, redirects, dashes)
        if len(bodies) == 1 and not dashes and _ends_with_command(bodies[0]):
            return self._redirected_end(bodies[0], redirects, depth)
        if dashes:
            self.puzzled("words behind a group")
        for body in bodies:
            self.statement(body, depth + 1)
        draft = Draft(self, depth)
        for redirect in redirects:
            draft.take(redirect)
        if draft.words:
            self.puzzled("words behind a group")
        if bodies:
            self.redirects += draft.redirects
        else:
            self._add(draft, node.start_byte, node.end_byte)
        return None

    def _redirected_end(self, body: "Node", redirects: tuple["Node", ...], depth: int) -> None:
        """The parser hangs the redirect of the last command on the whole list."""
        self.statement(body, depth + 1)
        at = len(self.commands) - 1
        draft = Draft(self, depth)
        for redirect in redirects:
            draft.take(redirect)
        last = self.commands[at]
        whole = Draft(self, depth, [*last.words, *draft.words], [*last.assignments])
        whole.redirects += (*last.redirects, *draft.redirects)
        self.commands[at] = replace(self._make(whole, last.text), after=last.after)

    def _dash(self, start: int, end: int) -> list[Word]:
        """The word ``-`` before a redirect, which the parser leaves out without a sign."""
        gap = self.data[start:end]
        if gap.strip(b" \t") != b"-" or gap[:1] == b"-" or gap[-1:] == b"-":
            self.check_gap(start, end)
            return []
        at = start + gap.index(b"-")
        return [Word("-", raw="-", start=at, end=at + 1)]

    def _command(
        self,
        node: "Node",
        depth: int,
        more: tuple["Node", ...] = (),
        dashes: Sequence[Word] = (),
    ) -> None:
        draft = Draft(self, depth)
        at = node.start_byte
        for child in node.children:
            if self.data[at : child.start_byte].strip(b" \t"):
                self.puzzled("text that could not be read")
            at = child.end_byte
            draft.take(child)
        draft.words += dashes
        for redirect in more:
            draft.take(redirect)
        end = max((node.end_byte, *(redirect.end_byte for redirect in more)))
        self._add(draft, node.start_byte, end)

    def _add(self, draft: Draft, start: int, end: int) -> None:
        self.commands.append(self._make(draft, self.data[start:end].decode().strip()))

    def _make(self, draft: Draft, source: str) -> Command:
        """The command of all parts of *draft*; *source* names one that has redirects only."""
        if not draft.words and not draft.redirects and draft.assignments:
            self.puzzled("an assignment")
        first = draft.words[0] if draft.words else None
        if first and (first.text in kinds.RESERVED or first.text[:1] in ("%", "=", "")):
            self.puzzled(f"the word {first.text[:20]!r} in the place of a command")
        if first and first.raw == "time" and any(map(kinds.is_syntax, draft.words[1:3])):
            self.puzzled("a timed group")
        pieces = [f"{name}={value.raw}" for name, value in draft.assignments]
        pieces += [word.raw for word in draft.words]
        return Command(
            tuple(draft.words),
            tuple(draft.assignments),
            tuple(draft.redirects),
            " ".join(pieces) or source,
            self._loops > 0,
            self._after,
        )

    def word(self, node: "Node", depth: int) -> Word:
        word, trouble, inner = decode(node, self.data)
        if trouble:
            self.puzzled(trouble)
        if not self._ends_word(node.end_byte):
            self.puzzled("words that run together")
        for script in inner:
            self.statement(script, depth + 1)
        return word

    def _literal(self, node: "Node") -> Word:
        text = self.source(node)
        if not self._ends_word(node.end_byte):
            self.puzzled("words that run together")
        return Word(text, raw=text, start=node.start_byte, end=node.end_byte)

    def source(self, node: "Node") -> str:
        return self.data[node.start_byte : node.end_byte].decode()
