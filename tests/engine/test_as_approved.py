"""What was decided on is what the tool gets to act on."""

from pathlib import Path

from agentcli.engine.tool_call import _as_approved
from agentcli.permissions.policy import Decision, Target
from agentcli.tools.base import ToolContext
from agentcli.tools.file_state import FileState


def test_target_identity_and_text_of_the_decision_reach_the_tool(tmp_path: Path) -> None:
    context = ToolContext(
        cwd=tmp_path,
        roots=(tmp_path,),
        call_id="c",
        files=FileState(),
        spill_dir=tmp_path,
        set_cwd=lambda _: None,
        progress=lambda _: None,
        may_read=lambda _: True,
    )
    decision = Decision("allow", "", targets=(Target("/a/b", 3, 4),), instead="ls", guarded=True)
    approved = _as_approved(context, decision)
    assert (approved.target, approved.identity) == (Path("/a/b"), (3, 4))
    assert (approved.instead, approved.guarded) == ("ls", True)
    plain = _as_approved(context, Decision("allow", ""))
    assert (plain.target, plain.identity, plain.instead, plain.guarded) == (
        None,
        (0, 0),
        None,
        False,
    )
