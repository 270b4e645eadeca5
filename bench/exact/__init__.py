"""The parts of exactness.py: launches (their file), build (cubins), buffers (what of a buffer is
kept and compared), results (the recorded file), record (on the GPU), replay (in the emulator)."""
