"""A window that is full again after each compaction: stopped, with advice."""

from agentcli.demo.reply import ModelRequest, Reply, http_error, text
from tests.engine.conftest import Bench, settled
from tests.engine.test_auto_compact import FULL, LOCAL, LOOK, summaries
from tests.engine.test_compacting import SUMMARY, asks_summary


async def test_a_turn_that_refills_the_window_again_and_again_is_stopped(bench: Bench) -> None:
    server = await bench.serve(
        lambda request: SUMMARY if asks_summary(request) else Reply([LOOK], usage=FULL)
    )
    engine = bench.engine(server, model=LOCAL)
    result = await engine.prompt("read everything")
    await settled(bench)
    assert result is not None and result.outcome == "error"
    assert "3 times in a row" in str(result.error) and "/rewind" in str(result.error)
    assert summaries(server) == 3 and len(server.requests) == 7
    again = await engine.prompt("read everything")  # the stop counts for one run
    assert again is not None and summaries(server) == 6


async def test_a_turn_that_is_too_long_after_each_call_is_stopped(bench: Bench) -> None:
    def reply(request: ModelRequest) -> Reply:
        if asks_summary(request):
            return SUMMARY
        return http_error(400, "prompt is too long") if request.results else Reply([LOOK])

    server = await bench.serve(reply)
    engine = bench.engine(server)
    result = await engine.prompt("read everything")
    assert result is not None and "3 times in a row" in str(result.error)
    assert summaries(server) == 3 and len(server.requests) == 11


async def test_compactions_with_work_between_them_are_no_circle(bench: Bench) -> None:
    asked = 0

    def reply(request: ModelRequest) -> Reply:
        nonlocal asked
        if asks_summary(request):
            return SUMMARY
        asked += 1
        if asked > 12:
            return Reply([text("finished")])
        return Reply([LOOK], usage=FULL if asked % 2 == 0 else {})

    server = await bench.serve(reply)
    engine = bench.engine(server, model=LOCAL)
    result = await engine.prompt("go")
    assert result is not None and result.text == "finished" and summaries(server) == 6
