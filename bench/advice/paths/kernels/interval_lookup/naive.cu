// For each query, the interval that contains it: the last i with starts[i] <= query. The starts are sorted. One thread
// per query, binary search.
extern "C" __global__ void interval_lookup(const int *starts, const int *queries, int *found, int intervals,
                                           int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int query = queries[i];
    int low = 0, high = intervals;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (starts[middle] <= query)
            low = middle;
        else
            high = middle;
    }
    found[i] = low;
}
