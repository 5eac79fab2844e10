"""Trained models: kept on disk, read again, and asked for predictions.

The estimators for scikit-learn are in `smixup.models.estimator`.
"""

from smixup.models.calibration import Calibration
from smixup.models.model import Backbone, Model, load_model
from smixup.models.predictions import Predictions

__all__ = ["Backbone", "Calibration", "Model", "Predictions", "load_model"]
