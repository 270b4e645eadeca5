// Which points lie in a polygon (even-odd rule): one thread per point counts the edges to its right.
extern "C" __global__ void point_in_polygon(const float *px, const float *py, const float *vx, const float *vy,
                                            unsigned char *inside, int points, int vertices) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= points)
        return;

    float x = px[p], y = py[p];
    int in = 0;
    for (int i = 0, j = vertices - 1; i < vertices; j = i++) {
        float crossing = (vx[j] - vx[i]) * (y - vy[i]) / (vy[j] - vy[i]) + vx[i];
        int crosses = ((vy[i] > y) != (vy[j] > y)) & (x < crossing);
        in = crosses ? !in : in;
    }
    inside[p] = in;
}
