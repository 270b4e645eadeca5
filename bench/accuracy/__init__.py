"""The parts of accuracy.py: holdout (which kernels nobody tunes with), sweeps (their file), measure
and counters (on the GPU), predict (in burin), roofline (the baseline), figures (errors and ranks),
compare and shape_choice (predicted against measured), table (in words)."""
