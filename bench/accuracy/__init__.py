"""The parts of accuracy.py: holdout (which kernels nobody tunes with)."""
