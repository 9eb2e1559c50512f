"""What the model sees: the request, rebuilt from the session log."""
