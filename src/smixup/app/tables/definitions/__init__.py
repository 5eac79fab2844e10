"""The experiments: each file says what to run, and what the paper reports for it (Sec. 6)."""
