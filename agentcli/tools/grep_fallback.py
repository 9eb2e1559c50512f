"""Searches file contents where ripgrep is missing. Runs as a script of its own, so that a regular
expression that never ends can be killed; prints what ripgrep would print (``--null`` form).

Standard library only: it runs isolated, outside the package.
"""

import codecs
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

_PROBE = 8_192
_MAX_FILE = 256 << 20
_MAX_COLUMNS = 500
_TYPES = {
    "c": "c h",
    "cpp": "cpp cc cxx hpp hh hxx h",
    "css": "css scss",
    "go": "go",
    "html": "html htm",
    "java": "java",
    "js": "js jsx mjs cjs vue",
    "json": "json",
    "md": "md markdown",
    "php": "php",
    "py": "py pyi",
    "ruby": "rb gemspec",
    "rust": "rs",
    "sh": "sh bash zsh",
    "sql": "sql",
    "toml": "toml",
    "ts": "ts tsx mts cts",
    "txt": "txt",
    "xml": "xml xsd xsl svg",
    "yaml": "yaml yml",
}

Rule = tuple[re.Pattern[str], bool, bool]
"""A line of an ignore file: what it matches, whether it un-ignores, whether folders only."""


def glob_regex(glob: str, anchored: bool) -> re.Pattern[str]:
    """A gitignore-style glob as a pattern for a path from the folder of the glob. Pure."""
    result = "" if anchored else "(?:.*/)?"
    position = 0
    while position < len(glob):
        char = glob[position]
        if glob.startswith("**/", position) and (position == 0 or glob[position - 1] == "/"):
            result += "(?:.*/)?"
            position += 3
            continue
        if glob.startswith("**", position):
            result += ".*"
            position += 2
            continue
        end = glob.find("]", position + 2) if char == "[" else -1
        if char == "*":
            result += "[^/]*"
        elif char == "?":
            result += "[^/]"
        elif end > 0:
            body = glob[position + 1 : end].replace("\\", "\\\\")
            result += "[" + ("^" + body[1:] if body[0] in "!^" else body) + "]"
            position = end
        elif char == "\\" and position + 1 < len(glob):
            position += 1
            result += re.escape(glob[position])
        else:
            result += re.escape(char)
        position += 1
    return re.compile(result + r"\Z", re.DOTALL)


def parse_rules(text: str) -> list[Rule]:
    """The rules of one ignore file. Pure; a broken line is passed over."""
    rules: list[Rule] = []
    for raw in text.splitlines():
        line = re.sub(r"(?<!\\)\s+$", "", raw)
        if not line or line.startswith("#"):
            continue
        negated = line.startswith("!")
        line = line.removeprefix("!")
        only_folders = line.endswith("/")
        line = line.rstrip("/")
        anchored = "/" in line
        try:
            rules.append((glob_regex(line.lstrip("/"), anchored), negated, only_folders))
        except re.error:
            continue
    return rules


def ignored(path: str, is_folder: bool, stack: list[tuple[str, list[Rule]]]) -> bool:
    """Whether the last rule that matches *path* says so; deeper files come first. Pure."""
    for base, rules in reversed(stack):
        inner = os.path.relpath(path, base)
        for pattern, negated, only_folders in reversed(rules):
            if (is_folder or not only_folders) and pattern.match(inner):
                return not negated
    return False


def walk(folder: str, stack: list[tuple[str, list[Rule]]], in_repository: bool) -> Iterator[str]:
    """Files below *folder* that no ignore file excludes; links are not followed."""
    in_repository = in_repository or os.path.lexists(os.path.join(folder, ".git"))
    names = [".ignore", ".rgignore"] + ([".gitignore"] if in_repository else [])
    rules = [rule for name in names for rule in _rules_of(os.path.join(folder, name))]
    stack = [*stack, (folder, rules)] if rules else stack
    try:
        with os.scandir(folder) as entries:
            listing = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        print(f"rg: {folder}: {error.strerror} (os error {error.errno})", file=sys.stderr)
        return
    for entry in listing:
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name == ".git" or ignored(entry.path, is_folder, stack):
            continue
        if is_folder:
            yield from walk(entry.path, stack, in_repository)
        elif entry.is_file(follow_symlinks=False):
            yield entry.path


def start_stack(folder: str) -> tuple[list[tuple[str, list[Rule]]], bool]:
    """Ignore files of the folders above *folder*, up to the top of its repository."""
    folder = os.path.realpath(folder)
    above: list[str] = []
    top = folder
    while not os.path.lexists(os.path.join(top, ".git")):
        parent = os.path.dirname(top)
        if parent == top:
            return [], False
        top = parent
        above.insert(0, top)
    exclude = _rules_of(os.path.join(top, ".git", "info", "exclude"))
    stack = [(top, exclude)] if exclude else []
    return stack + [(path, _rules_of(os.path.join(path, ".gitignore"))) for path in above], True


def read_text(path: str) -> str | None:
    """Text of a file; None for binary, unreadable and huge ones."""
    try:
        if os.path.getsize(path) > _MAX_FILE:
            return None
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return None
    for bom, name in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(bom):
            return data[2:].decode(name, "replace")
    if b"\0" in data[:_PROBE]:
        return None
    return data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")


def search_text(text: str, regex: re.Pattern[str], multiline: bool) -> list[tuple[int, int]]:
    """First and last line (from 0) of each match, or each line with one. Pure."""
    if not multiline:
        return [(n, n) for n, line in enumerate(_lines(text)) if regex.search(line.rstrip("\r"))]
    found: list[tuple[int, int]] = []
    for match in regex.finditer(text):
        first = text.count("\n", 0, match.start())
        last = first + text.count("\n", match.start(), max(match.end() - 1, match.start()))
        found.append((first, last))
    return found


def report(path: str, text: str, regex: re.Pattern[str], spec: dict[str, Any]) -> None:
    """Print the records of one file."""
    spans = search_text(text, regex, spec["multiline"])
    if not spans:
        return
    name = os.fsencode(path) + b"\0"
    out = sys.stdout.buffer
    if spec["mode"] == "files_with_matches":
        out.write(name)
    elif spec["mode"] == "count":
        out.write(name + str(len(spans)).encode() + b"\n")
    else:
        lines = _lines(text)
        hit = {n for first, last in spans for n in range(first, last + 1)}
        shown = {
            n
            for first, last in spans
            for n in range(first - spec["before"], last + spec["after"] + 1)
            if 0 <= n < len(lines)
        }
        previous = None
        for n in sorted(shown):
            if previous is not None and n > previous + 1 and (spec["before"] or spec["after"]):
                out.write(b"--\n")
            previous = n
            for piece in _pieces(lines[n], regex, spec, n in hit):
                mark = (":" if n in hit else "-") if spec["line_numbers"] else ""
                number = f"{n + 1}{mark}" if spec["line_numbers"] else ""
                out.write(name + f"{number}{piece}\n".encode("utf-8", "replace"))


def _pieces(line: str, regex: re.Pattern[str], spec: dict[str, Any], is_hit: bool) -> Iterator[str]:
    line = line.rstrip("\r")
    if spec["only_matching"] and is_hit and not spec["multiline"]:
        yield from (match.group() for match in regex.finditer(line) if match.group())
    elif len(line) > _MAX_COLUMNS:
        yield line[:_MAX_COLUMNS] + " [... omitted end of long line]"
    else:
        yield line


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _rules_of(path: str) -> list[Rule]:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return parse_rules(file.read())
    except OSError:
        return []


def _expand(glob: str) -> list[str]:
    match = re.search(r"\{([^{}]*)\}", glob)
    if match is None:
        return [glob]
    head, tail = glob[: match.start()], glob[match.end() :]
    return [one for choice in match.group(1).split(",") for one in _expand(head + choice + tail)]


def _wanted(spec: dict[str, Any]) -> Callable[[str], bool]:
    """Whether the globs and the type of the search let a path through."""
    globs: list[tuple[re.Pattern[str], bool]] = []
    for glob in spec["globs"]:
        for one in _expand(glob.removeprefix("!")):
            pattern = glob_regex(one.lstrip("/"), "/" in one)
            globs.append((pattern, glob.startswith("!")))
    suffixes = tuple("." + name for name in _TYPES.get(spec["file_type"], "").split())

    def wanted(path: str) -> bool:
        inner = path.removeprefix("./")
        if suffixes and not inner.endswith(suffixes):
            return False
        # A folder that a negated glob names is left out with all that is in it.
        parts = inner.split("/")
        above = ("/".join(parts[:depth]) for depth in range(1, len(parts)))
        if any(_verdict(globs, folder) is False for folder in above):
            return False
        verdict = _verdict(globs, inner)
        return verdict if verdict is not None else all(negated for _, negated in globs)

    return wanted


def _verdict(globs: list[tuple[re.Pattern[str], bool]], path: str) -> bool | None:
    for pattern, negated in reversed(globs):
        if pattern.match(path):
            return not negated
    return None


def main(spec: dict[str, Any]) -> int:
    """Search and print; the exit status is ripgrep's: 0 found, 1 nothing, 2 error."""
    if spec["file_type"] and spec["file_type"] not in _TYPES:
        print(f"rg: unrecognized file type: {spec['file_type']}", file=sys.stderr)
        return 2
    if not spec["multiline"] and re.search(r"\n|(?<!\\)(?:\\\\)*\\n", spec["pattern"]):
        print('rg: the literal "\\n" is not allowed in a regex', file=sys.stderr)
        return 2
    flags = re.IGNORECASE if spec["ignore_case"] else re.NOFLAG
    flags |= re.MULTILINE | re.DOTALL if spec["multiline"] else re.NOFLAG
    try:
        regex = re.compile(spec["pattern"], flags)
        wanted = _wanted(spec)
    except re.error as error:
        where = "" if error.pos is None else " " * (7 + error.pos) + "^\n"
        print(f"rg: regex parse error:\n{where}error: {error.msg}", file=sys.stderr)
        return 2
    target = spec["target"]
    if os.path.isdir(target):
        stack, in_repository = start_stack(target)
        paths = (path for path in walk(os.path.normpath(target), stack, in_repository))
        paths = (path for path in paths if wanted(path))
    else:
        paths = iter([target])
    for path in paths:
        text = read_text(path)
        if text is not None:
            report(path, text, regex, spec)
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
