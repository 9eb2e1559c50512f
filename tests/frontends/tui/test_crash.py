"""An error of our own: told shortly, without the values of variables."""

import pytest

from agentcli.frontends.tui.app import AgentApp
from agentcli.frontends.tui.crash import tell_crash
from tests.frontends.tui.fake_engine import FakeEngine
from tests.frontends.tui.harness import window


def failing() -> None:
    api_key = "sk-secret"
    raise ValueError(f"cannot \x1b[31mdo\nthat {len(api_key)}")


def failure() -> ValueError:
    with pytest.raises(ValueError, match="cannot") as caught:
        failing()
    return caught.value


def test_what_and_where_but_no_values():
    told = tell_crash(failure())
    first, *places, last = told.splitlines()
    assert first == "agentcli ended by an error of its own: ValueError: cannot \\x1b[31mdo …"
    assert "  tui/test_crash.py:" in places[-1] and places[-1].endswith(" in failing")
    assert "agentcli --continue" in last
    assert "sk-secret" not in told
    assert "--continue" not in tell_crash(failure(), kept=False)


def test_the_first_error_of_a_group_is_told():
    assert "ValueError: cannot" in tell_crash(ExceptionGroup("two", [failure(), KeyError()]))


async def test_the_window_keeps_the_error_and_prints_nothing(capfd: pytest.CaptureFixture[str]):
    async def script(engine: FakeEngine, text: str) -> None:
        api_key = "sk-secret"
        raise RuntimeError(f"broken {len(api_key)}")

    apps: list[AgentApp] = []
    with pytest.raises(Exception, match="broken"):
        async with window(script) as shown:
            apps.append(shown.app)
            await shown.send("go")
            await shown.until(lambda: shown.app.crash is not None)
    assert isinstance(apps[0].crash, RuntimeError)
    assert apps[0].return_code == 1
    assert "".join(capfd.readouterr()) == ""
