"""The calls of one message: neighbours that only read run together, all others one by one."""

import asyncio
from collections.abc import Iterator, Sequence

from agentcli.engine.response import LoggedCall
from agentcli.engine.tool_call import ToolDeps, run_tool_call

PARALLEL_CAP = 10


async def run_tool_turn(deps: ToolDeps, calls: Sequence[LoggedCall]) -> bool:
    """Run all calls in their order; True if the person stopped the run (the rest stays open).

    Raises only CancelledError; every call that was begun has its result in the log by then.
    """
    for group in _groups(deps, calls):
        if await _run_group(deps, group):
            return True
    return False


async def _run_group(deps: ToolDeps, group: Sequence[LoggedCall]) -> bool:
    if len(group) == 1:
        return await run_tool_call(deps, group[0])
    cap = asyncio.Semaphore(PARALLEL_CAP)

    stopped = False

    async def run_capped(logged: LoggedCall) -> None:
        nonlocal stopped
        async with cap:
            if await run_tool_call(deps, logged):
                stopped = True
                for other in running - {asyncio.current_task()}:
                    other.cancel()  # no further question after "stop"

    async with asyncio.TaskGroup() as tasks:
        running = {tasks.create_task(run_capped(logged)) for logged in group}
    return stopped


def _groups(deps: ToolDeps, calls: Sequence[LoggedCall]) -> Iterator[list[LoggedCall]]:
    group: list[LoggedCall] = []
    for logged in calls:
        tool = deps.tools(logged.call.name)
        if tool is not None and tool.read_only:
            group.append(logged)
            continue
        if group:
            yield group
            group = []
        yield [logged]
    if group:
        yield group
