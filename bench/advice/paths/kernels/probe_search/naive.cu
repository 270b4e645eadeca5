// DNA probes: for every position of a sequence, the number of mismatches with the probe that fits best there. Bytes are
// as sequencers write them: the base is in the two low bits, its quality above. One thread per position.
extern "C" __global__ void probe_search(const unsigned char *sequence, const unsigned char *probes,
                                        unsigned char *best, int positions, int probe_count, int length) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= positions)
        return;

    int smallest = length;
    for (int i = 0; i < probe_count; i++) {
        int mismatches = 0;
        for (int k = 0; k < length; k++) {
            if ((sequence[p + k] & 3) != (probes[i * length + k] & 3))
                mismatches++;
        }
        if (mismatches < smallest)
            smallest = mismatches;
    }
    best[p] = smallest;
}
