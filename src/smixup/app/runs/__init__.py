"""One run (Sec. 6), from its settings to a score or a model."""
