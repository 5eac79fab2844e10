"""One file per kind of files that are read."""

from __future__ import annotations

from ..harness import Subject
from .archives import Archives
from .checkpoints import Checkpoints
from .edge_lists import EdgeLists
from .graphml_files import GraphMLFiles
from .matchers import Matchers
from .matrices import Matrices
from .models import Models
from .ogb_files import OgbFiles
from .packed import PackedFolders
from .saved_lists import SavedLists
from .smiles_tables import SmilesTables
from .tu_files import TUFiles

SUBJECTS: tuple[type[Subject], ...] = (
    *(TUFiles, Archives, OgbFiles, SmilesTables, EdgeLists, GraphMLFiles, Matrices),
    *(SavedLists, PackedFolders, Matchers, Checkpoints, Models),
)
