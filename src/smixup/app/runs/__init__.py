"""One run (Sec. 6): the settings of the paper, names that become objects, and a pure function from
both to a score.
"""
