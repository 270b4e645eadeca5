// Metropolis update of one colour of the checkerboard of a periodic Ising lattice of spins 0 and 1: one thread per site of the colour.
__device__ unsigned hash(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

// x % n, without a division if n is a power of two
__device__ int wrap(int x, int n, bool power_of_two) {
    return power_of_two ? x & (n - 1) : x % n;
}

extern "C" __global__ void ising_update(int *spins, int width, int height, int colour, float beta, unsigned seed) {
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + (y + colour) % 2;
    if (x >= width || y >= height)
        return;
    bool power_of_two = (width & (width - 1)) == 0 && (height & (height - 1)) == 0;
    int west = spins[y * width + wrap(x + width - 1, width, power_of_two)];
    int east = spins[y * width + wrap(x + 1, width, power_of_two)];
    int north = spins[wrap(y + height - 1, height, power_of_two) * width + x];
    int south = spins[wrap(y + 1, height, power_of_two) * width + x];

    int here = spins[y * width + x];
    int field = 2 * (west + east + north + south) - 4;
    int energy = 2 * (2 * here - 1) * field;
    float random = (hash((y * width + x) ^ seed) >> 8) * (1.0f / 16777216.0f);
    if (energy <= 0 || random < expf(-beta * energy))
        spins[y * width + x] = 1 - here;
}
