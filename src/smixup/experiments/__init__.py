"""Experiments (Sec. 6): presets of the paper, registries of names, and the run that all experiments are made of."""
