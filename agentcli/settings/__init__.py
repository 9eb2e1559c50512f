"""Settings files: where they are, what they may say, how they are merged, and adding a rule."""
