"""All of a request but the messages, as a session with these settings sends it."""

from collections.abc import Callable

from agentcli.context.payload import PromptFrame
from agentcli.context.system import system_prompt
from agentcli.permissions.decide import hidden_tools
from agentcli.permissions.policy import Policy
from agentcli.provider.models import ModelInfo, request_params
from agentcli.tools.registry import load_tool, tool_definition, tool_names


def frame_maker(
    policy: Policy, append: str | None = None
) -> Callable[[ModelInfo, str | None], PromptFrame]:
    """What makes the frame for a model and an effort; system prompt and tools are made once, so
    that they stay the same for the life of a branch. The maker raises UsageError for an unknown
    effort."""
    system = system_prompt(append)
    definitions = [tool_definition(load_tool(name)) for name in visible_tools(policy)]

    def frame(model: ModelInfo, effort: str | None) -> PromptFrame:
        return PromptFrame(model.id, system, definitions, request_params(model, effort, None))

    return frame


def visible_tools(policy: Policy) -> tuple[str, ...]:
    """The tools that the model hears of. Pure."""
    hidden = hidden_tools(policy, tool_names())
    return tuple(name for name in tool_names() if name not in hidden)
