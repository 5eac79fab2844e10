"""The paper's tables and ours: what to run, the records of what was run, and how they are read.

This package is not installed. It is run from a clone: `python -m experiments --help`.
"""
