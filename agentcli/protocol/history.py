"""What is told of sessions, prompts, checkpoints and the tree: plain values, for every window."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from agentcli.protocol.prompts import Prompt


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """One session as a list shows it; read from the head and the tail of its file.

    ``title`` is the name that a person gave (then ``named``), else the newest generated one, else
    the first prompt. ``size`` is in bytes, ``modified`` and ``created`` are Unix seconds (0.0:
    not known). ``entrypoint`` says what wrote it: ``cli`` the window, ``sdk-…`` print mode or an
    SDK. ``branch`` is the git branch at its end, "" where there is none.
    """

    id: str
    file: Path
    title: str
    named: bool
    first_prompt: str
    last_prompt: str
    cwd: str
    branch: str
    size: int
    modified: float
    created: float = 0.0
    entrypoint: str = "cli"
    tag: str = ""


@dataclass(frozen=True, slots=True)
class PromptPoint:
    """A prompt of the conversation that can be gone back to.

    ``at`` is Unix seconds; ``files`` are those that its turn wrote (Edit, Write), ``added`` and
    ``removed`` lines; ``commands`` counts the Bash calls of its turn.
    """

    entry_id: str
    text: str
    at: float
    files: tuple[str, ...] = ()
    added: int = 0
    removed: int = 0
    commands: int = 0


@dataclass(frozen=True, slots=True)
class FileChange:
    """What going back does to one file: put old content back, make it again, or delete it (only
    what the session created). ``foreign``: somebody else changed the file since the session last
    wrote it. ``problem`` says in words why it is left as it is; "" where it can be done."""

    path: str
    action: Literal["restore", "create", "delete"]
    foreign: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class RestorePlan:
    """What restoring the files to the checkpoint ``since`` (a prompt's entry id) would do.

    ``commands`` counts the Bash calls since then, whose effects cannot be undone.
    """

    since: str
    changes: tuple[FileChange, ...] = ()
    commands: int = 0


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """What was done: paths by kind, one line per problem, and the checkpoint that undoes it
    ("" where nothing was changed)."""

    restored: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    undo: str = ""


@dataclass(frozen=True, slots=True)
class Rewound:
    """A rewind that was done: the prompt that is to return to the input, and the files' report."""

    prompt: Prompt = ""
    report: RestoreReport | None = None


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One prompt, compaction or start of a fork in a session's tree.

    ``parent`` is the index of the node before it in the list of nodes, None for a root (a
    compaction hangs under what it compacted). ``leaf`` is the entry where the conversation ends
    when one goes to this node: the last one of its turn. ``on_path``: part of the conversation as
    it is; ``here``: its end. ``answer`` is the last text that the model said in the turn.
    """

    entry_id: str
    kind: Literal["prompt", "compact", "fork"]
    text: str
    at: float
    parent: int | None
    leaf: str
    on_path: bool = False
    here: bool = False
    answer: str = ""
    files: tuple[str, ...] = field(default=())
