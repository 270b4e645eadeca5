// One step of advection with first-order upwind differences, periodic: one thread per cell. The velocities are relative
// to a frame that moves with `frame`.
extern "C" __global__ void advection_upwind(const float *q, const float *u, const float *v, float *out, int width,
                                            int height, float frame, float dt_over_dx) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    // Only for a width and a height that are powers of two.
    int west = (x + width - 1) & (width - 1);
    int east = (x + 1) & (width - 1);
    int north = (y + height - 1) & (height - 1);
    int south = (y + 1) & (height - 1);

    float here = q[y * width + x];
    float ux = u[y * width + x] - frame;
    float vy = v[y * width + x] - frame;
    float dx, dy;
    if (ux > 0.0f)
        dx = here - q[y * width + west];
    else
        dx = q[y * width + east] - here;
    if (vy > 0.0f)
        dy = here - q[north * width + x];
    else
        dy = q[south * width + x] - here;
    out[y * width + x] = here - dt_over_dx * (ux * dx + vy * dy);
}
