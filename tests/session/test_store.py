"""Folder names of projects, as public readers compute them too."""

from pathlib import Path

import pytest

from agentcli.session.store import project_folders, project_slug


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        ("/home/a_b/c.d", "-home-a-b-c-d"),
        ("C:\\Users\\A b", "C--Users-A-b"),
        ("/한/é", "----"),
        ("/x" * 100, "-x" * 100),
        ("/x" * 150, ("-x" * 150)[:200] + "-4y6yx2"),
    ],
)
def test_slug(path: str, slug: str) -> None:
    assert project_slug(path) == slug


def test_sessions_of_other_programs_are_looked_for_under_their_names_too(tmp_path: Path) -> None:
    (own,) = project_folders(tmp_path, Path("/code"))
    assert own == tmp_path / "projects" / "-code"
    folder = Path("/x" * 150)
    foreign = tmp_path / "projects" / f"{project_slug(str(folder))[:200]}-other1"
    foreign.mkdir(parents=True)
    (tmp_path / "projects" / ("-y" * 100 + "-other1")).mkdir()
    assert project_folders(tmp_path, folder)[1:] == [foreign]
    names = [path.name for path in project_folders(tmp_path, Path("/a😀b"))]
    assert names == ["-a-b", "-a--b"]
