"""A mean difference with Student's interval, for the demo."""
