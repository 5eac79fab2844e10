"""What differences between methods allow to say: estimates with intervals, from arrays alone.

`paired_graphs` judges a difference graph by graph, `two_way_bootstrap` and `resampled_t` stand
beside it; `equivalence` puts an estimate into words, `holm` looks at all cells of a table together,
`random_effects` at all datasets; `power` tells before a sweep what it could see; `sequential` and
`decision` judge runs as they come in. Nothing here knows of runs: numpy arrays come in, `Estimate`
goes out.
"""
