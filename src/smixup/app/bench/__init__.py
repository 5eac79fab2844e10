"""Plain reference implementations, and the comparison of speed with them: both sides in one run,
taking turns.
"""
