"""The paper's experiments by name (Sec. 6): each file says what to run, and what the paper reports for it."""
