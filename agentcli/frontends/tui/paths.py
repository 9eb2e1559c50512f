"""Paths as a person reads them."""


def short_path(path: str, home: str) -> str:
    """*path* with the home folder as ``~``. Pure."""
    base = home.rstrip("/")
    if base and (path == base or path.startswith(base + "/")):
        return "~" + path[len(base) :]
    return path
