// One time step of a lattice Boltzmann fluid (D2Q9, periodic): one thread per cell gets the nine distributions that
// flow into it and relaxes them towards equilibrium. A cell's nine distributions lie beside each other.
extern "C" __global__ void lattice_boltzmann(const float *in, float *out, int width, int height, float omega) {
    const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
    const int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const float weight[9] = {4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9,
                             1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float f[9];
    float density = 0.0f, ux = 0.0f, uy = 0.0f;
    for (int k = 0; k < 9; k++) {
        int from_x = (x - ex[k] + width) % width;
        int from_y = (y - ey[k] + height) % height;
        f[k] = in[(from_y * width + from_x) * 9 + k];
        density += f[k];
        ux += f[k] * ex[k];
        uy += f[k] * ey[k];
    }
    ux /= density;
    uy /= density;
    for (int k = 0; k < 9; k++) {
        float along = ex[k] * ux + ey[k] * uy;
        float equilibrium =
            weight[k] * density * (1.0f + 3.0f * along + 4.5f * along * along - 1.5f * (ux * ux + uy * uy));
        out[(y * width + x) * 9 + k] = f[k] + omega * (equilibrium - f[k]);
    }
}
