"""A session with branches, for the sheets that go back in it."""

from pathlib import Path

from agentcli.protocol.history import FileChange, PromptPoint, RestorePlan, TreeNode

NOON = 1_767_614_520.0
"""2026-01-05 12:02 UTC."""

CART, TAX = "/code/shop/src/cart.py", "/code/shop/src/tax.py"
MONEY, TESTS = "/code/shop/src/money.py", "/code/shop/tests/test_cart.py"
FIRST = "the total is wrong when a line has a discount, fix it"

PLAN = RestorePlan(
    "",
    (
        FileChange(CART, "restore"),
        FileChange(TAX, "restore", foreign=True),
        FileChange(MONEY, "delete"),
        FileChange("/code/shop/src/old.py", "create"),
        FileChange("/code/notes.md", "restore", problem="it is a symbolic link now"),
    ),
    2,
)

PREVIOUS = Path("/code/s0.jsonl")


def points(now: float) -> list[PromptPoint]:
    """Four prompts up to two minutes before *now*, oldest first."""
    return [
        PromptPoint("p1", FIRST, now - 9_000, (CART, TESTS), 23, 7, 3),
        PromptPoint(
            "p2", "now make it configurable\nwith a setting", now - 4_000, (CART,), 3, 1, 0
        ),
        PromptPoint("p3", "what does round() do with .5?", now - 600),
        PromptPoint(
            "p4", "use Decimal and keep the API", now - 120, (CART, TAX, MONEY), 140, 12, 2
        ),
    ]


def node(
    name: str,
    parent: int | None,
    text: str,
    minutes: int,
    on_path: bool = False,
    **more: object,
) -> TreeNode:
    """The node ``e<name>`` whose turn ends with ``l<name>``, *minutes* after noon."""
    made = TreeNode(f"e{name}", "prompt", text, NOON + minutes * 60, parent, f"l{name}", on_path)
    for key, value in more.items():
        object.__setattr__(made, key, value)
    return made


def tree() -> list[TreeNode]:
    """A conversation with a compaction, two branches beside it, one of them branched again."""
    fixed = "Fixed: `total()` rounded **each** line.\n\n- all 12 tests pass\n- I added one"
    kept = "The API stays; `Money` wraps a `Decimal`."
    return [
        node("0", None, FIRST, 0, True, answer=fixed, files=(CART, TESTS)),
        node("1", 0, "now make it configurable", 7),
        node("2", 1, "with a setting in pyproject", 9),
        node("3", 2, "and document it", 11),
        node("4", 1, "no, in the environment", 12),
        node("5", 0, "use Decimal instead", 13, answer="Done."),
        node("6", 0, "use Decimal and keep the API", 18, True, answer=kept, files=(CART, MONEY)),
        node("7", 6, "compacted 82k → 6k", 29, True, kind="compact"),
        node("8", 7, "add a changelog entry", 38, True, here=True, answer="Added."),
    ]
