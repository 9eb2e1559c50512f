"""What runs is what was judged: links that move and inputs that change while a question stands."""

from dataclasses import replace
from pathlib import Path

from agentcli.demo.reply import Reply, tool_use
from agentcli.permissions.rules import SourcedRule
from agentcli.protocol.asks import Allow, AskRequest
from agentcli.protocol.events import ToolStarted
from agentcli.protocol.rules import Rule
from tests.engine.conftest import Bench, settled
from tests.engine.test_run import results, steps
from tests.fakes.asker import ScriptedAsker


def _point(link: Path, target: Path) -> None:
    link.unlink(missing_ok=True)
    link.symlink_to(target)


async def test_a_link_moved_under_a_question_is_asked_about_again(bench: Bench) -> None:
    shown, secret, link = (bench.project.parent / name for name in ("shown", "secret", "link"))
    shown.write_text("shown\n")
    secret.write_text("secret\n")
    _point(link, shown)

    def allow_and_move(_: AskRequest) -> Allow:
        _point(link, secret)
        return Allow()

    bench.asker = ScriptedAsker(allow_and_move)
    server = await bench.serve(steps(Reply([tool_use("Read", {"file_path": str(link)}, "t1")])))
    await bench.engine(server).prompt("go")
    questions = [ask.reason for ask in bench.asker.asked]
    assert len(questions) == 2 and str(secret) in questions[1] and str(secret) not in questions[0]


async def test_a_link_moved_under_a_question_to_a_denied_file_is_denied(bench: Bench) -> None:
    plain, secret, link = (bench.project / name for name in ("plain", "secret", "link"))
    plain.write_text("old\n")
    secret.write_text("old\n")
    _point(link, plain)

    def allow_and_move(_: AskRequest) -> Allow:
        _point(link, secret)
        return Allow()

    bench.asker = ScriptedAsker(allow_and_move)
    call = {"file_path": str(link), "old_string": "old", "new_string": "new"}
    reads = [tool_use("Read", {"file_path": str(link)}, "t0")]
    server = await bench.serve(steps(Reply(reads), Reply([tool_use("Edit", call, "t1")])))
    rule = SourcedRule(Rule("Edit", "secret"), "userSettings", str(bench.project))
    policy = replace(bench.spec(server).policy, deny=(rule,))
    await bench.engine(server, policy=policy).prompt("go")
    assert "denied by the rule" in results(server.requests[2].body)["t1"][0]
    assert secret.read_text() == plain.read_text() == "old\n"


async def test_an_input_that_the_person_changed_still_meets_the_deny_rules(bench: Bench) -> None:
    bench.asker = ScriptedAsker(Allow(updated_input={"command": "touch forbidden"}))
    call = tool_use("Bash", {"command": "touch asked"}, "t1")
    server = await bench.serve(steps(Reply([call])))
    rule = SourcedRule(Rule("Bash", "touch forbidden"), "userSettings", str(bench.project))
    policy = replace(bench.spec(server).policy, deny=(rule,))
    await bench.engine(server, policy=policy).prompt("go")
    await settled(bench)
    assert "denied by the rule" in results(server.requests[1].body)["t1"][0]
    assert not bench.of(ToolStarted) and not any(bench.project.iterdir())


async def test_a_command_that_only_reads_runs_guarded_and_is_logged_as_asked(bench: Bench) -> None:
    planted = bench.project / "ls"
    planted.write_text("#!/bin/sh\necho planted\n")
    planted.chmod(0o755)
    call = tool_use("Bash", {"command": "ls"}, "t1")
    server = await bench.serve(steps(Reply([call])))
    engine = bench.engine(server, env={"PATH": f"{bench.project}:/usr/bin:/bin"})
    await engine.prompt("go")
    await settled(bench)
    assert results(server.requests[1].body)["t1"] == ("ls", False)
    assert [event.call.input for event in bench.of(ToolStarted)] == [{"command": "ls"}]
