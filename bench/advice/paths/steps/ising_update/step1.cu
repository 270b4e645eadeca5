// Metropolis update of one colour of the checkerboard of a periodic Ising lattice of spins 0 and 1: one thread per site of the colour.
__device__ unsigned hash(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

extern "C" __global__ void ising_update(int *spins, int width, int height, int colour, float beta, unsigned seed) {
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + (y + colour) % 2;
    if (x >= width || y >= height)
        return;
    int west = spins[y * width + (x + width - 1) % width];
    int east = spins[y * width + (x + 1) % width];
    int north = spins[(y + height - 1) % height * width + x];
    int south = spins[(y + 1) % height * width + x];

    int here = spins[y * width + x];
    int field = 2 * (west + east + north + south) - 4;
    int energy = 2 * (2 * here - 1) * field;
    float random = (hash((y * width + x) ^ seed) >> 8) * (1.0f / 16777216.0f);
    if (energy <= 0 || random < expf(-beta * energy))
        spins[y * width + x] = 1 - here;
}
