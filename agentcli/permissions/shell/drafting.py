"""A simple command while its parts are collected from the syntax tree."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentcli.permissions.shell import heredocs, kinds
from agentcli.permissions.shell.commands import Redirect
from agentcli.permissions.shell.words import Word

if TYPE_CHECKING:
    from tree_sitter import Node

    from agentcli.permissions.shell.walk import Walk


@dataclass(slots=True)
class Draft:
    """Words, assignments and redirects so far; what is inside of them goes to *walk*."""

    walk: "Walk"
    depth: int
    words: list[Word] = field(default_factory=list[Word])
    assignments: list[tuple[str, Word]] = field(default_factory=list[tuple[str, Word]])
    redirects: list[Redirect] = field(default_factory=list[Redirect])

    def take(self, child: "Node") -> None:
        """Add one part of the command; what is not understood is told to the walk."""
        if child.type not in kinds.WORDS:
            self.walk.check_gaps(child)
        match child.type:
            case "variable_assignment":
                self._assignment(child)
            case "file_redirect":
                self._file_redirect(child)
            case "herestring_redirect":
                self._herestring(child)
            case "heredoc_redirect":
                self._heredoc(child)
            case "command_name":
                self.words.append(self.walk.word(child, self.depth))
            case kind if kind in kinds.WORDS:
                self.words.append(self.walk.word(child, self.depth))
            case kind:
                self.walk.puzzled(
                    kinds.TROUBLE.get(kind, f"a word of an unknown kind ({kind[:40]})")
                )
                self.walk.statement(child, self.depth + 1)

    def _assignment(self, node: "Node") -> None:
        name, *rest = node.children
        value = Word("")
        operator = rest[0].type if rest else ""
        source = self.walk.source(name)
        if not kinds.NAME.fullmatch(source) or operator != "=" or len(rest) > 2:
            self.walk.puzzled("an assignment of an unknown kind")
        if len(rest) > 1:
            value = self.walk.word(rest[1], self.depth)
        self.assignments.append((source, value))

    def _file_redirect(self, node: "Node") -> None:
        operator, words = "", list[Word]()
        if self.walk.data[node.start_byte - 1 : node.start_byte] == b"}":
            self.walk.puzzled("a descriptor in a variable")
        for child in node.children:
            if child.type == "file_descriptor":
                if not self.walk.data[child.start_byte : child.end_byte].isdigit():
                    self.walk.puzzled("a descriptor in a variable")
            elif child.type in kinds.OPERATORS and not operator:
                operator = child.type
            elif child.type in kinds.WORDS:
                words.append(self.walk.word(child, self.depth))
            else:
                self.walk.puzzled("a redirect of an unknown kind")
        target = words[0] if words else None
        # Words behind the target belong to the command, whatever the parser thinks.
        self.words += words[1:]
        duplicated = "&" in (operator[:1], operator[1:2]) and operator not in ("&>", "&>>")
        if duplicated and target is not None:
            if target.raw.rstrip("-").isdigit():
                return
            if not kinds.PLAIN.fullmatch(target.raw):
                # Measured (bash 5.2): the word behind >& is expanded twice, quoted or not.
                self.walk.puzzled("a redirect whose target bash reads twice")
        end = target.end if target else node.end_byte
        raw = self.walk.data[node.start_byte : end].decode()
        self.redirects.append(Redirect(operator, target, raw))

    def _herestring(self, node: "Node") -> None:
        for child in node.children:
            if child.type in kinds.WORDS:
                self.redirects.append(Redirect("<<<", self.walk.word(child, self.depth)))
            elif child.type != "<<<":
                self.walk.puzzled("a here-string of an unknown kind")

    def _heredoc(self, node: "Node") -> None:
        body = heredocs.body_of(node, self.walk.data)
        if isinstance(body, str):
            self.redirects.append(Redirect("<<", Word(body)))
        else:
            self.walk.puzzled("a here-document that was not understood")
        for child in node.children:
            if child.type == "file_redirect":
                self._file_redirect(child)
            elif child.type in kinds.WORDS:
                self.words.append(self.walk.word(child, self.depth))
            elif child.type == "heredoc_body":
                if body is None:
                    self.walk.parts(child, self.depth)
            elif child.is_named and child.type not in heredocs.PARTS:
                self.walk.statement(child, self.depth + 1)
