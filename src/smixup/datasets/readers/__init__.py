"""Files of one's own: one reader per file. Importing the package needs no torch."""
