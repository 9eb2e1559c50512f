"""Understanding shell commands: only what is surely understood may run without a question."""
