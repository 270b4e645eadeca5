// Which points lie in a polygon (even-odd rule): one thread per 4 points counts the edges to their right.
extern "C" __global__ void point_in_polygon(const float *px, const float *py, const float *vx, const float *vy,
                                            unsigned char *inside, int points, int vertices) {
    // The points of a thread are blockDim.x apart, so that adjacent threads access adjacent points.
    int first = blockIdx.x * blockDim.x * 4 + threadIdx.x;

    float x[4], y[4];
    int in[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
        int p = first + e * blockDim.x;
        x[e] = p < points ? px[p] : 0.0f;
        y[e] = p < points ? py[p] : 0.0f;
        in[e] = 0;
    }
    for (int i = 0, j = vertices - 1; i < vertices; j = i++) {
        float xi = vx[i], yi = vy[i], xj = vx[j], yj = vy[j];
        float reciprocal = 1.0f / (yj - yi);
#pragma unroll
        for (int e = 0; e < 4; e++) {
            float crossing = (xj - xi) * (y[e] - yi) * reciprocal + xi;
            int crosses = ((yi > y[e]) != (yj > y[e])) & (x[e] < crossing);
            in[e] = crosses ? !in[e] : in[e];
        }
    }
#pragma unroll
    for (int e = 0; e < 4; e++) {
        int p = first + e * blockDim.x;
        if (p < points)
            inside[p] = in[e];
    }
}
