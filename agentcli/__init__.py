"""agentcli: an interactive terminal coding agent. Importing the package imports nothing else."""
