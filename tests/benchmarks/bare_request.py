"""The floor of a one-shot run: one streaming request with httpx2 and nothing else."""

import asyncio
import json
import sys

import httpx2


async def main(url: str) -> None:
    """Send one prompt and read the stream to its end."""
    body = {
        "model": "claude-sonnet-5-5",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
        "stream": True,
    }
    headers = {"authorization": "Bearer k", "anthropic-version": "2026-10-21"}
    async with (
        httpx2.AsyncClient() as client,
        client.stream(
            "POST", f"{url}/v1/messages", content=json.dumps(body), headers=headers
        ) as response,
    ):
        async for _ in response.aiter_bytes():
            pass


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
