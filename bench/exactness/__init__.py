"""The parts of exactness.py: record (on the GPU), replay (in the emulator)."""
