"""``agentcli sessions``: stored sessions looked at from the shell."""
