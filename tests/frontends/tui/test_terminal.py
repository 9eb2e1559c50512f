"""The window in a real terminal: modes are restored, signals end it, start-up stays light."""

import os
import re
import signal
import subprocess
import sys
import termios
import time

import pytest

from tests.frontends.tui.terminal_child import ROOT, Terminal


def test_quitting_restores_the_terminal():
    terminal = Terminal()
    try:
        terminal.until(b"? help")
        terminal.type(b"hello\r")
        terminal.until(b"answer to hello")
        terminal.type(b"\x03")
        time.sleep(0.2)
        terminal.type(b"\x03")
        assert terminal.ended() == 0
        # behind the last thing that moves the cursor, on the main screen
        told = terminal.written[terminal.written.rindex(b"\x1b[0m") :]
        assert b"answer to hello\r\n\r\nResume this session: agentcli --resume s1\r\n" in told
        assert b"left with 0" in told
    finally:
        terminal.close()


@pytest.mark.slow
@pytest.mark.parametrize("key", [b"\x1b\r", b"\x1b[13;2u", b"\x1b[27;2;13~", b"\n"])
def test_a_newline_in_the_encodings_of_all_terminals(key: bytes):
    terminal = Terminal()
    try:
        terminal.until(b"? help")
        terminal.type(b"one" + key + b"two")
        terminal.read(0.3)
        assert b"answer to" not in terminal.written
        terminal.type(b"\r")
        terminal.until(b"answer to one")
        terminal.until(b"two")
    finally:
        terminal.close()


@pytest.mark.slow
def test_a_paste_sends_nothing_and_odd_bytes_do_no_harm():
    terminal = Terminal()
    try:
        terminal.until(b"? help")
        terminal.type(b"\xff\xfe \x1b[200~one\x1b\r two\x1b[31m\r\x1b[201~")
        terminal.until(b"two")
        terminal.read(0.3)
        assert b"answer to" not in terminal.written
        terminal.type(b"\r")
        terminal.until(b"answer to")
    finally:
        terminal.close()


@pytest.mark.slow
def test_a_question_can_be_left_for_the_shell_and_stands_afterwards():
    terminal = Terminal()
    try:
        terminal.until(b"? help")
        terminal.type(b"ask\r")
        terminal.until(b"needs your approval")
        terminal.type(b"\x1a")
        _, status = os.waitpid(terminal.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        terminal.written = b""
        terminal.process.send_signal(signal.SIGCONT)
        terminal.until(b"needs your approval")
        assert b"answer to" not in terminal.written
    finally:
        terminal.close()


@pytest.mark.slow
def test_suspending_gives_the_terminal_back_and_redraws_afterwards():
    terminal = Terminal()
    try:
        terminal.until(b"? help")
        terminal.type(b"\x1a")
        _, status = os.waitpid(terminal.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        terminal.read(0.2)
        assert b"\x1b[?1049l" in terminal.written
        assert termios.tcgetattr(terminal.follow) == terminal.before
        terminal.written = b""
        terminal.process.send_signal(signal.SIGCONT)
        terminal.until(b"? help")
        terminal.until(b"\xe2\x80\xba")
    finally:
        terminal.close()


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)]
)
def test_signals_end_it_cleanly(number: signal.Signals, code: int):
    terminal = Terminal()
    try:
        terminal.until(b"? help")
        terminal.process.send_signal(number)
        assert terminal.ended() == code
    finally:
        terminal.close()


@pytest.mark.slow
def test_a_crash_restores_the_terminal():
    terminal = Terminal()
    try:
        terminal.until(b"? help")
        terminal.type(b"crash\r")
        assert terminal.ended() == 1
        # on the main screen, after everything that moves the cursor
        told = terminal.written[terminal.written.rindex(b"\x1b[0m") :]
        assert b"agentcli ended by an error of its own: TypeError" in told
        assert b"agentcli --continue" in told
        assert b"locals" not in terminal.written
    finally:
        terminal.close()


@pytest.mark.slow
def test_tmux_is_asked_for_its_keys_and_left_without():
    terminal = Terminal(TMUX="/tmp/none,1,0")
    try:
        terminal.until(b"\x1b[>4;2m")
        terminal.until(b"? help")
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.ended() == 143
        assert terminal.written.rindex(b"\x1b[>4m") > terminal.written.rindex(b"\x1b[>4;2m")
        assert b"\x1b]11;?" not in terminal.written
    finally:
        terminal.close()


def test_control_bytes_of_the_model_never_reach_the_terminal():
    terminal = Terminal()
    try:
        terminal.until(b"? help")
        before = len(terminal.written)
        terminal.type(b"evil\r")
        terminal.until(b"end of evil")
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.ended() == 143
        own_title = re.compile(rb"\x1b\]0;[^\x07\x1b]*\x07")
        titles = own_title.findall(terminal.written)
        assert titles and not any(b"EVIL" in title for title in titles)
        written = own_title.sub(b"", terminal.written[before:])
        assert b"RVZJTA" not in written
        for harm in (b"]0;EVIL", b"[2J", b"[7;7H", b"\x1bP", b"\x1b_", b"\x1bc", b"\x07"):
            assert harm not in written
        assert not set(written.decode()) & {chr(code) for code in range(128, 160)}
        assert terminal.written.count(b"\x1b[?1049h") == 1
    finally:
        terminal.close()


@pytest.mark.slow
def test_half_a_mouse_report_is_not_typed():
    terminal = Terminal()
    try:
        terminal.until(b"? help")
        for piece in (b"\x1b[<35;1", b"50;7M", b"hi \xe6\xbc", b"\xa2", b"\r"):
            terminal.type(piece)
            terminal.read(0.7)
        terminal.until("answer to hi 漢".encode())
    finally:
        terminal.close()


@pytest.mark.slow
def test_a_paste_that_does_not_end_does_not_freeze_the_keyboard():
    terminal = Terminal()
    try:
        terminal.until(b"? help")
        terminal.type(b"\x1b[200~cut off")
        terminal.read(2.0)
        terminal.type(b" typed\r")
        terminal.until(b"answer to cut off typed")
    finally:
        terminal.close()


@pytest.mark.slow
def test_without_colours_nothing_is_coloured():
    terminal = Terminal(NO_COLOR="1")
    try:
        terminal.until(b"? help")
        terminal.process.send_signal(signal.SIGTERM)
        terminal.ended()
        assert b"\x1b[38;" not in terminal.written
        assert b"\x1b[48;" not in terminal.written
    finally:
        terminal.close()


def test_the_first_frame_needs_no_heavy_module():
    code = (
        "import sys, agentcli.frontends.tui.app, agentcli.frontends.tui.run;"
        "heavy = {'markdown_it', 'pygments', 'httpx2', 'anthropic', 'git', 'mcp',"
        " 'agentcli.engine.build', 'agentcli.frontends.tui.screens.approve', 'rich.markdown'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
