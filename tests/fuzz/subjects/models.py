"""Folders of saved models: accepted is what predicts as the one that was saved; with a new digest,
whatever can be computed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import torch

import smixup
from smixup.augment import Augmentation
from smixup.datasets.motif import motif_dataset
from smixup.models.fitting import fit_model
from smixup.models.saved_model import ABOUT, CARD, WEIGHTS
from smixup.sealed import seal
from smixup.tasks import Classes
from smixup.training import TrainSettings

from ..harness import ANY, Subject
from ..mutators import Files, odd_json, safetensors


class Models(Subject):
    name = "saved models"
    signed = False

    def good(self) -> Sequence[Files]:
        graphs = motif_dataset(num_graphs=24).graphs
        self.graphs = graphs[:4]
        fitted = fit_model(
            graphs,
            Classes.numbered(3),
            "gin",
            Augmentation(),
            TrainSettings(epochs=1, learning_rate=0.01, batch_size=8),
            hidden_channels=4,
        )
        folder = fitted.model.save(self.work / "model")
        self.expected = self.read(folder)
        return [{each.name: each.read_bytes() for each in folder.iterdir()}]

    def damage(self, random: Random, files: Files) -> Files:
        self.signed = random.random() < 0.4
        if not self.signed:
            return super().damage(random, files)
        about, weights = json.loads(files[ABOUT]), files[WEIGHTS]
        for _ in range(random.choice((1, 1, 2))):
            about = odd_json(random, about)
        if random.random() < 0.3:
            weights = safetensors(random, weights)
        if isinstance(about, dict):
            if isinstance(about.get("weights"), dict):
                about["weights"]["sha256"] = sha256(weights).hexdigest()
            about = seal(about)
        return {ABOUT: json.dumps(about).encode(), WEIGHTS: weights, CARD: files[CARD]}

    def read(self, folder: Path) -> Any:
        with torch.no_grad():
            return smixup.load_model(folder).predict(self.graphs).probabilities.tolist()

    def plain(self, files: Files) -> Any:
        return ANY if self.signed else self.expected
