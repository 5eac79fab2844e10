"""Tables (Sec. 6): what an experiment is, which of its runs are chosen, and what they allow to
say.
"""
