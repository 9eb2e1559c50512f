"""The front door: arguments → the right window → exit code."""
