"""A scripted model behind the real Messages API on loopback: for ``--demo`` and for tests."""
