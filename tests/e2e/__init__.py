"""The installed program as its users run it: processes, pipes, a pty, real HTTP."""
