"""Speed of smixup beside the ordinary way to do the same work; `python -m benchmarks --help`."""
