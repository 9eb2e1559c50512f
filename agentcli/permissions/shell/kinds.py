"""The node types and names of the bash grammar that are understood, and what others are called."""

import re

from agentcli.permissions.shell.words import Word

TRANSPARENT = frozenset(
    {
        "program",
        "list",
        "pipeline",
        "subshell",
        "case_item",
        "compound_statement",
        "do_group",
        "if_statement",
    }
    | {"elif_clause", "else_clause", "negated_command", "command_substitution"}
    | {"process_substitution"}
)
LOOPS = frozenset({"while_statement", "for_statement"})
TOKENS = frozenset(
    {";", "&", "&&", "||", "|", "|&", "\n", "(", ")", "{", "}", "$(", "`", "<(", ">(", "!", ";;"}
    | {"if", "then", "elif", "else", "fi", "while", "until", "do", "done", "for", "in", "case"}
    | {"esac"}
)
RESERVED = frozenset(
    {"if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac"}
    | {"in", "select", "function", "coproc", "[[", "]]", "{", "}", "!"}
)
WORDS = frozenset(
    {"word", "number", "raw_string", "string", "concatenation", "simple_expansion", "expansion"}
    | {"command_substitution", "process_substitution", "arithmetic_expansion", "brace_expression"}
    | {"ansi_c_string", "translated_string"}
)
REDIRECTS = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})
OPERATORS = frozenset({"<", ">", ">>", ">|", "&>", "&>>", "<&", ">&", "<&-", ">&-"})
NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[[^]]*\])?\+?=", re.ASCII)
PATTERN = re.compile(r"[\w./*?-]+")
PLAIN = re.compile(r"[\w./-]+")
# They run nothing; patterns are looked at where they stand.
INERT = frozenset({"variable_name", "special_variable_name", "extglob_pattern"})
TROUBLE = {
    "function_definition": "a function definition",
    "variable_assignment": "an assignment",
    "variable_assignments": "an assignment",
    "declaration_command": "a declaration",
    "unset_command": "unset",
    "c_style_for_statement": "an arithmetic loop",
    "test_command": "a test with [[",
    "ERROR": "a syntax error",
}
# Names that change how later commands run, although they are lower case.
LOUD_NAMES = frozenset({"path", "cdpath", "fpath", "manpath", "histchars"})
QUIET_NAME = re.compile(r"[a-z][a-z0-9]{0,19}")


def is_syntax(word: Word) -> bool:
    """True for a word that bash would take for syntax behind ``time``. Pure."""
    return word.raw in RESERVED or ASSIGNMENT.match(word.raw) is not None


def is_quiet_name(name: str) -> bool:
    """True if setting variable *name* changes nothing but where it is used. Pure."""
    return QUIET_NAME.fullmatch(name) is not None and name not in LOUD_NAMES


def is_plain_pattern(text: str) -> bool:
    """True for a pattern of ``case`` that holds nothing but wildcards and plain text. Pure."""
    return PATTERN.fullmatch(text) is not None
