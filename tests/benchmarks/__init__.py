"""CPU figures of the product beside those of its floor: ``python -m tests.benchmarks``."""
