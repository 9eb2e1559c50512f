"""Settings of the window: the status line's script, which an untrusted folder may not set."""

import pytest

from tests.settings.test_load import World


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


SCRIPT = {"type": "command", "command": "echo hi"}


@pytest.mark.parametrize("level", ["project", "local"])
def test_the_status_line_of_an_untrusted_folder_never_runs(world, level):
    path = world.write(level, {"statusLine": SCRIPT})
    loaded = world.load(trusted=False)
    assert loaded.settings.status_line is None
    assert [str(path) in line for line in loaded.ignored] == [True]
    world.write("user", {"statusLine": {**SCRIPT, "command": "mine"}})
    assert world.load(trusted=False).settings.status_line.command == "mine"
    assert world.load(trusted=True).settings.status_line.command == "echo hi"


def test_the_highest_status_line_counts_as_a_whole(world):
    world.write("user", {"statusLine": {**SCRIPT, "padding": 2, "refreshInterval": 5}})
    assert world.load().settings.status_line.refresh_interval == 5
    world.write("local", {"statusLine": {**SCRIPT, "command": "echo two"}})
    status_line = world.load().settings.status_line
    assert (status_line.command, status_line.padding) == ("echo two", 0)
    assert status_line.refresh_interval is None


@pytest.mark.parametrize(
    "change",
    [
        {"type": "other"},
        {"command": ""},
        {"command": "a\0b"},
        {"command": 1},
        {"padding": -1},
        {"refreshInterval": 0.5},
    ],
)
def test_a_wrong_status_line_costs_only_itself(world, change):
    world.write("user", {"statusLine": {**SCRIPT, **change}, "theme": "light"})
    loaded = world.load()
    assert loaded.settings.status_line is None
    assert loaded.settings.theme == "light"
    assert len(loaded.problems) == 1


def test_keys_of_the_terminal(world):
    world.write(
        "user",
        {
            "preferredNotifChannel": "iterm2_with_bell",
            "terminalProgressBarEnabled": False,
            "copyOnSelect": True,
        },
    )
    settings = world.load().settings
    assert settings.preferred_notif_channel == "iterm2_with_bell"
    assert settings.terminal_progress_bar_enabled is False
    assert settings.copy_on_select is True
    world.write("user", {"preferredNotifChannel": "smoke"})
    assert world.load().settings.preferred_notif_channel is None
