"""Damaged and hostile files for everything that is read, and what must come of them.

`python -m tests.fuzz --minutes 10 --seed 0` goes through all readers in turn.
"""
