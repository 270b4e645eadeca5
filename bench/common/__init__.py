"""What the benchmarks share: corpus (its folders), launches (their lists), build (cubins), worker (a GPU),
buffers (what of a buffer is kept and compared), results (the recorded file)."""
