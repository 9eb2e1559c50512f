"""Shared words of the product: blocks, calls, events, questions, errors. Standard library only."""
