"""The explorer: pairs of graphs on one page, mixed in the browser while a slider moves (Eq. 4 and 5).

`pairs` says what the page knows of a pair, `page` joins it with `page.html`, `page.css` and `page.js` into one file,
and `source` takes pairs from a dataset.
"""

from smixup.figures.explorer.page import ExplorerPage
from smixup.figures.explorer.pairs import ExplorerPair
from smixup.figures.explorer.source import PairSource, explore_dataset

__all__ = ["ExplorerPage", "ExplorerPair", "PairSource", "explore_dataset"]
