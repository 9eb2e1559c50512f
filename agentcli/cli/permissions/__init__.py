"""``agentcli permissions``: what a call would be answered, asked from the shell."""
