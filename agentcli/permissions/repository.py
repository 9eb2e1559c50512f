"""Would git, started in a folder, use the repository that the person trusted, and no other?"""

from agentcli.permissions.paths import PathProbe, is_inside, normal

_BARE_SIGNS = ("HEAD", "objects", "refs")


def only_session_repository(cwd: str, start: str, probe: PathProbe) -> bool:
    """False where a nested or bare repository (whose config could run programs) comes first.

    Walks from *cwd* up to the first ``.git``. Pure but for *probe*.
    """
    folder, start = normal(cwd), normal(start)
    if not is_inside(folder, start):
        return False
    while True:
        found = probe.lstat(f"{folder.rstrip('/')}/.git").kind
        if found != "missing":
            # A pointer file or a link may lead anywhere; below the start it is another repository.
            return found == "dir" and is_inside(start, folder)
        if all(probe.lstat(f"{folder}/{name}").kind != "missing" for name in _BARE_SIGNS):
            return False
        if folder == "/":
            return True
        folder = folder.rpartition("/")[0] or "/"
