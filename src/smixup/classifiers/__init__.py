"""Graph classifiers (Sec. 2.1, App. C): message passing, readout, head."""

from smixup.classifiers.base import Classifier
from smixup.classifiers.edges import GINE, EdgeClassifier, GCNEdge
from smixup.classifiers.gcn import GCN
from smixup.classifiers.gin import GIN
from smixup.classifiers.wide import Wide

__all__ = ["GCN", "GIN", "GINE", "Classifier", "EdgeClassifier", "GCNEdge", "Wide"]
