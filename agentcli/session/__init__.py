"""The diary: append-only JSONL session files, one line per content block, linked into a tree."""
