"""The graph edit distance (Def. 1, Sec. 5.2): costs, searches for cheap edit paths, proofs."""
