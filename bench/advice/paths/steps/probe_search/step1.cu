// DNA probes: for every position of a sequence, the number of mismatches with the probe that fits best there. Bytes are
// as sequencers write them: the base is in the two low bits, its quality above. Four positions per thread.
#define RESULTS 4

extern "C" __global__ void probe_search(const unsigned char *sequence, const unsigned char *probes,
                                        unsigned char *best, int positions, int probe_count, int length) {
    int p[RESULTS];
    int at[RESULTS];
    int smallest[RESULTS];
    for (int r = 0; r < RESULTS; r++) {
        p[r] = (blockIdx.x * RESULTS + r) * blockDim.x + threadIdx.x;
        at[r] = min(p[r], positions - 1); // where nothing is stored, read inside the sequence
        smallest[r] = length;
    }
    if (p[0] >= positions)
        return;

    for (int i = 0; i < probe_count; i++) {
        int mismatches[RESULTS] = {0};
        for (int k = 0; k < length; k++) {
            int base = probes[i * length + k] & 3;
            for (int r = 0; r < RESULTS; r++) {
                if ((sequence[at[r] + k] & 3) != base)
                    mismatches[r]++;
            }
        }
        for (int r = 0; r < RESULTS; r++) {
            if (mismatches[r] < smallest[r])
                smallest[r] = mismatches[r];
        }
    }
    for (int r = 0; r < RESULTS; r++) {
        if (p[r] < positions)
            best[p[r]] = smallest[r];
    }
}
