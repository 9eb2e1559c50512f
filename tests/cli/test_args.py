"""The command line: flags in any order, camelCase names, one line for a mistake."""

import pytest

from agentcli.cli.args import parse_args


def test_the_prompt_may_stand_anywhere() -> None:
    for argv in (["-p", "hi", "--verbose"], ["--model", "opus", "-p", "hi"], ["hi", "-p"]):
        assert parse_args(argv).prompt == "hi"


def test_rule_lists_add_up_in_both_spellings() -> None:
    args = parse_args(
        ["x", "--allowedTools", "Read", "Bash(git log:*)", "--allowed-tools=Edit,Write"]
    )
    assert args.allowed_tools == ["Read", "Bash(git log:*)", "Edit,Write"]
    assert parse_args([]).allowed_tools == []


def test_equals_form_and_empty_values_are_kept() -> None:
    args = parse_args(["--resume=abc", "--append-system-prompt="])
    assert (args.resume, args.append_system_prompt) == ("abc", "")


def test_continue_and_defaults() -> None:
    args = parse_args(["-c"])
    assert args.continue_ and not args.print and args.transport == "http"
    assert args.output_format == "text" and args.prompt is None


@pytest.mark.parametrize("argv", [["--mod", "x"], ["a", "b"], ["--max-turns", "x"], ["--effort=x"]])
def test_a_mistake_is_one_line_with_exit_code_2(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_args(argv)
    assert ended.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and lines[0].endswith("See agentcli --help.")


def test_help_names_every_flag_that_users_know(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_args(["--help"])
    text = capsys.readouterr().out
    assert ended.value.code == 0
    for flag in ("--print", "--continue", "--resume", "--allowedTools", "--permission-mode"):
        assert flag in text


def test_resume_may_stand_without_a_value() -> None:
    assert parse_args(["--resume"]).resume == ""
    assert parse_args(["-r", "the cart"]).resume == "the cart"
    assert parse_args([]).resume is None
    args = parse_args(["-c", "--fork-session", "-n", "other way", "-p", "x"])
    assert (args.fork_session, args.name, args.prompt) == (True, "other way", "x")


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        (["-c", "-r", "x"], "two sessions"),
        (["--fork-session"], "--resume or --continue"),
        (["--session-id", "nope"], "UUID"),
        (["--name", "x", "-r"], "behind --resume"),
        (["--session-id", "11111111-2222-4333-8444-555555555555", "-c"], "--fork-session"),
        (["--no-session-persistence"], "--print"),
        (["-p", "x", "--no-session-persistence", "-c"], "cannot go on"),
    ],
)
def test_flags_that_contradict_each_other(
    argv: list[str], word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_args(argv)
    assert ended.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and word in lines[0]
