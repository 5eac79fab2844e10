"""Graph mixup with soft alignments (S-Mixup, ICML 2023) for PyTorch Geometric."""

__version__ = "0.1.0"
