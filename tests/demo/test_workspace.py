"""The sample project: copied privately, with exactly one failing test."""

import subprocess
import sys
from pathlib import Path

from agentcli.demo.workspace import PROJECT, make_workspace


def run_tests(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", "-m", "unittest", "-q"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_exactly_one_test_fails(tmp_path: Path) -> None:
    run = run_tests(make_workspace(tmp_path))
    assert "Ran 6 tests" in run.stderr
    assert "FAILED (failures=1)" in run.stderr
    assert "test_discount_is_taken_before_rounding" in run.stderr


def test_the_copy_is_private_fresh_and_complete(tmp_path: Path) -> None:
    first, second = make_workspace(tmp_path), make_workspace(tmp_path)
    assert first != second
    assert first.stat().st_mode & 0o777 == 0o700
    names = {str(path.relative_to(first)) for path in first.rglob("*") if path.is_file()}
    assert names == {
        "README.md",
        "build/report.txt",
        "shop/__init__.py",
        "shop/cart.py",
        "tests/__init__.py",
        "tests/test_cart.py",
    }
    (first / "shop/cart.py").write_text("")
    assert "class Cart" in (PROJECT / "shop/cart.py").read_text()
