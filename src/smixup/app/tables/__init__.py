"""Arms and their differences, for the demo."""
