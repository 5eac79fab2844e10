"""Graph classifiers (Sec. 2.1, App. C): message passing, readout, head."""

from smixup.classifiers.base import Classifier
from smixup.classifiers.edge_classifier import EdgeClassifier
from smixup.classifiers.gcn import GCN
from smixup.classifiers.gcn_edge import GCNEdge
from smixup.classifiers.gin import GIN
from smixup.classifiers.gine import GINE

__all__ = ["GCN", "GIN", "GINE", "Classifier", "EdgeClassifier", "GCNEdge"]
