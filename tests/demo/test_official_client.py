"""The official client takes the scripted server for the API."""

from typing import Any

import pytest

from agentcli.demo.reply import Reply, text, thinking, tool_use
from agentcli.demo.server import ScriptedServer
from tests.demo.wire import MODEL, TOOLS

pytestmark = pytest.mark.slow


async def test_messages_errors_tokens_and_models() -> None:
    import anthropic

    content = [thinking("hm"), text("Grüße"), tool_use("Read", {"file_path": "a"})]
    async with (
        ScriptedServer(lambda request: Reply(content, split=3), api_key="k") as server,
        anthropic.AsyncAnthropic(
            api_key="k", base_url=server.base_url, max_retries=0, timeout=20
        ) as client,
    ):
        messages = [{"role": "user", "content": "hi"}]
        args: dict[str, Any] = {"model": MODEL, "messages": messages, "tools": TOOLS}
        async with client.messages.stream(max_tokens=100, **args) as stream:
            message: Any = await stream.get_final_message()
        assert [block.type for block in message.content] == ["thinking", "text", "tool_use"]
        assert message.content[2].input == {"file_path": "a"}
        assert message.stop_reason == "tool_use"
        assert (stream.request_id or "").startswith("req_")

        # What the client makes of the message is taken back as it was sent.
        answered: list[Any] = [
            *messages,
            {"role": "assistant", "content": message.content},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": message.content[2].id}],
            },
        ]
        asked: dict[str, Any] = {**args, "messages": answered}
        unanswered: dict[str, Any] = {**args, "messages": answered[:2]}
        again: Any = await client.messages.create(max_tokens=100, **asked)
        assert again.content[1].text == "Grüße"

        assert (await client.messages.count_tokens(**args)).input_tokens > 0
        models = [model async for model in client.models.list()]
        assert MODEL in [model.id for model in models]
        assert all(model.max_tokens and model.capabilities for model in models)
        with pytest.raises(anthropic.BadRequestError) as refused:
            await client.messages.create(max_tokens=100, **unanswered)
        assert refused.value.type == "invalid_request_error"
        with pytest.raises(anthropic.AuthenticationError):
            await client.with_options(api_key="other").messages.create(max_tokens=100, **args)
