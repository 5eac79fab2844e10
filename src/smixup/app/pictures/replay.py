"""A picture of how a mix was made: its two graphs with links along their alignment, and the mix.

```python
draw_replay(mix.replay(0), "mix.svg")
```
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from smixup.app.pictures.mixed_pair import draw_mixed_pair
from smixup.app.pictures.picture_file import require_kind, write_picture
from smixup.app.studies.replayed_pair import AnyReplay, names_of, replayed_pair


def draw_replay(replay: AnyReplay, path: Path | str, class_names: Sequence[str] = ()) -> Path:
    """Draw G1, G2, G2' and the mix, with links from nodes to their counterparts.

    Args:
        replay: of `mix.replay(i)`.
        path: of the picture, which ends with `.svg` or `.png`.
        class_names: of the targets; their numbers if none are given.
    """
    require_kind(Path(path))
    figure = draw_mixed_pair(replayed_pair(replay), class_names, names_of(replay))
    return write_picture(figure, Path(path))
