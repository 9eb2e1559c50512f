"""The frame of a request that nobody sends is that of the one that is sent."""

from agentcli.engine.frame import frame_maker, visible_tools
from agentcli.permissions.policy import Policy
from agentcli.permissions.rules import parse_rules
from agentcli.provider.models import resolve_model


def policy(*denied: str) -> Policy:
    rules = parse_rules(list(denied), "deny", "flag", "/x").rules
    return Policy(mode="default", roots=("/x",), cwd="/x", home="/h", deny=tuple(rules))


def test_tools_that_are_denied_whole_are_not_told() -> None:
    assert "Bash" in visible_tools(policy())
    assert "Bash" in visible_tools(policy("Bash(rm *)"))
    frame = frame_maker(policy("Bash"))(resolve_model("opus"), None)
    names = [tool["name"] for tool in frame.tools]
    assert "Bash" not in names and "Read" in names


def test_system_and_tools_stay_the_same_objects_for_every_model() -> None:
    make = frame_maker(policy(), "Speak like a pirate.")
    one, other = make(resolve_model("opus"), "low"), make(resolve_model("haiku"), None)
    assert one.system is other.system and one.tools is other.tools
    assert "Speak like a pirate." in one.system
    assert one.model != other.model and one.params != other.params
