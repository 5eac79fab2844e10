"""Changes small things in the code, one at a time, and counts which of them the tests notice.

`python -m tests.mutation --sample 120` tries a sample of all targets.
"""
