"""The door chain: decides whether a tool call may run. Pure but for an injected path probe."""
