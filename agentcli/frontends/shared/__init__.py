"""What several windows need."""
