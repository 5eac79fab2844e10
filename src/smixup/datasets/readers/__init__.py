"""Files of one's own: one reader per file. Importing the package needs no torch."""

from smixup.datasets.readers.registry import READERS, reader_of

__all__ = ["READERS", "reader_of"]
