"""The laboratory: runs, sweeps, tables, studies, figures, pages, benchmarks and the command line.

Everything here judges the library; the library imports nothing of it. Its dependencies come with
`smixup[lab]`.
"""
