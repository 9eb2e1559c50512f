"""The windows: each draws events, answers questions and calls the engine; none adds behaviour."""
