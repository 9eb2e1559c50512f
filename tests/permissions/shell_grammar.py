"""Random shell texts that are harmless to run: stand-in names, relative files, no slash at all."""

import random
from collections.abc import Callable

NAMES = ("s0", "s1", "s2", "s3", "s4", "s5")
FILES = ("f1", "f2", "'f 3'", '"f$v"', "f*")
_SOUP = [
    *NAMES,
    *(
        "a",
        "-x",
        "--",
        "1",
        "2",
        "10",
        "=",
        "x=1",
        "A=b",
        "a=b",
        "+=",
        "@",
        "%",
        "^",
        ",",
        ".",
        ":",
    ),
    *("'q r'", '"s t"', '"$v"', "$v", "${v}", "$(s1 f)", "`s2 g`", '"$(s3 "j k")"', "\\ ", "\\;"),
    *('\\"', "\\'", "\\\\", "\\\n", "\\$", "#", "# c\n", ";", "&", "&&", "||", "|", "|&", "\n"),
    *("(", ")", "{", "}", "!", "[", "]", "[[", "]]", "((", "))", ";;", "*", "?", "~", "f*", "[a]"),
    *(
        ">f1",
        ">> f2",
        "<f1",
        "2>f2",
        ">&2",
        "2>&1",
        "&>f1",
        ">|f1",
        "<<<",
        "<<E\n",
        "\nE\n",
        "<<'E'\n",
    ),
    *(
        "if",
        "then",
        "fi",
        "for",
        "in",
        "do",
        "done",
        "while",
        "until",
        "case",
        "esac",
        "else",
        "elif",
    ),
    *("time", "coproc", "function", "s1()", "<(s4)", ">(s5)", "{a,b}", "$((1))", "é", "😀", "echo"),
    *(
        "cd",
        "command",
        "builtin",
        "true",
        "$",
        "`",
        "$(",
        "${",
        "$'",
        '$"',
        "'",
        '"',
        "\t",
        "{fd}>f1",
    ),
]


class Grammar:
    """Makes texts from a seed: half of them well formed, half of them a soup of tokens."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def text(self) -> str:
        """One shell text of up to a few hundred characters."""
        kind = self.draw.random()
        if kind < 0.35:
            return self._soup()
        text = self._list(3)
        return self.mutated(text) if kind > 0.8 else text

    def word(self) -> str:
        """One word in a random spelling."""
        make = self.draw.choice(
            [self._bare, self._single, self._double, self._escaped, self._joined, self._expansion]
        )
        return make()

    def _soup(self) -> str:
        text = ""
        for _ in range(self.draw.randint(2, 14)):
            text += self.draw.choice(_SOUP) + (" " if self.draw.random() < 0.6 else "")
        return text

    def mutated(self, text: str) -> str:
        """*text* with a few random changes."""
        for _ in range(self.draw.randint(1, 3)):
            at = self.draw.randint(0, len(text))
            match self.draw.randint(0, 2):
                case 0:
                    text = text[:at] + text[at + 1 :]
                case 1:
                    text = text[:at] + self.draw.choice(_SOUP) + text[at:]
                case _:
                    text = text[:at]
        return text

    def _list(self, depth: int) -> str:
        pieces = [self._pipeline(depth) for _ in range(self.draw.randint(1, 3))]
        text = pieces[0]
        for piece in pieces[1:]:
            text += (
                self.draw.choice(["; ", " && ", " || ", "\n", " & ", ";", "&&", " \\\n&& "]) + piece
            )
        return text + self.draw.choice(["", "", "", ";", " &", " # s5 x", "\n"])

    def _pipeline(self, depth: int) -> str:
        text = self._command(depth)
        while self.draw.random() < 0.25:
            text += self.draw.choice([" | ", "|", " |& ", " |\n"]) + self._command(depth)
        return self.draw.choice(["", "", "", "", "! ", "time "]) + text

    def _command(self, depth: int) -> str:
        if depth <= 0 or self.draw.random() < 0.6:
            return self._simple(depth)
        inner = self._list(depth - 1)
        many: list[Callable[[], str]] = [
            lambda: f"({inner})",
            lambda: f"{{ {inner}\n}}",
            lambda: f"if {self._simple(0)}; then {inner}\nelse {self._simple(0)}; fi",
            lambda: f"for i in a 'b c' {self.word()}; do {inner}\ndone",
            lambda: f"while s1 {self.word()}; do {inner}\ndone",
            lambda: f"until s0 {self.word()}; do {inner}\ndone",
            lambda: f"case {self.word()} in a|b*) {inner}\n;; *) {self._simple(0)};; esac",
            lambda: f"s3() {{ {inner}\n}}; s3",
            lambda: f"echo $(( {self.draw.randint(0, 9)} + 1 ))",
            lambda: f"[ -f {self.word()} ] && {inner}",
            lambda: f"({inner}) > {self.draw.choice(FILES)}",
        ]
        return self.draw.choice(many)()

    def _simple(self, depth: int) -> str:
        words = [self.draw.choice(NAMES), *(self.word() for _ in range(self.draw.randint(0, 3)))]
        if self.draw.random() < 0.1:
            words[0] = self.draw.choice(["'s0'", '"s1"', "s\\2", "s''3", 's"4"', "$n", "s?"])
        if self.draw.random() < 0.1:
            words.insert(
                0, self.draw.choice(["A=1", "LANG=C", 'x="a b"', "command", "builtin", "CI=$(s5)"])
            )
        if self.draw.random() < 0.15:
            words.append(self._substitution(depth))
        if self.draw.random() < 0.2:
            at = self.draw.randint(0, len(words))
            words.insert(at, self._redirect())
        text = self.draw.choice([" ", "  ", "\t", " \\\n"]).join(words)
        if self.draw.random() < 0.08:
            text += self._heredoc()
        return text

    def _substitution(self, depth: int) -> str:
        inner = self._list(depth - 1) if depth > 0 else self._simple(-1)
        form = self.draw.choice(["$({})", '"$({})"', "`{}`", "<({})", '"a $({}) b"', "x$({})y"])
        return form.format(inner)

    def _redirect(self) -> str:
        operator = self.draw.choice([">", ">>", "<", "2>", "&>", ">|", "2>>", "3>", "> ", "<<< "])
        return operator + self.draw.choice(FILES[:4]) if self.draw.random() < 0.8 else "2>&1"

    def _heredoc(self) -> str:
        mark = self.draw.choice(["E", "'E'", '"E"', "-E", "-'E'", "\\E"])
        body = self.draw.choice(["x\n", "s5 y\n", "$(s4 z)\n", "`s3`\n", "it's\n", "\tE x\n", ""])
        return f" <<{mark}\n{body}{self.draw.choice(['E', 'E', 'E ', ' E'])}\n"

    def _bare(self) -> str:
        return "".join(self.draw.choice("ab1-_=,.:@%^+#é") for _ in range(self.draw.randint(1, 4)))

    def _single(self) -> str:
        inner = self.draw.choice(["a b", "", "$v", "`s1`", ";s2", "\\", "# x", "*", "a\nb"])
        return f"'{inner}'"

    def _double(self) -> str:
        inner = self.draw.choice(
            ["a b", "", "$v", "\\$v", '\\"', "a'b", "$(s1 x)", "`s2`", "\\a", "*", "$"]
        )
        return f'"{inner}"'

    def _escaped(self) -> str:
        return "\\" + self.draw.choice(" ;&|<>()$`\"'*?[]{}~#!a\\")

    def _joined(self) -> str:
        return self._bare() + self.draw.choice([self._single, self._double, self._escaped])()

    def _expansion(self) -> str:
        return self.draw.choice(
            ["$v", "${v}", "${v:-s1}", "*", "f?", "{a,b}", "~", "$'a'", "$((1+2))", "a=~"]
        )
