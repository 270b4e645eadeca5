// Solves (L + shift · I) x = b for many lower triangular matrices L of 32 x 32: one warp per system.
// The 32 lanes read a system together: float4 number `lane`, then 32 float4s (4 rows of L) further each time.
#define N 32

extern "C" __global__ void triangular_solve_32(const float *l, const float *b, float *x, int systems, float shift) {
    int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    bool valid = s < systems;
    const float4 *matrix = reinterpret_cast<const float4 *>(l + (size_t)s * N * N);
    int first = lane % 8 * 4;                        // the columns first … first + 3 are this lane's
    float known[4] = {0.0f, 0.0f, 0.0f, 0.0f};       // x of these columns, as far as it is solved
#pragma unroll
    for (int t = 0; t < 8; t++) {                    // 4 rows of L at a time: 8 lanes per row
        float4 v = valid ? matrix[lane + 32 * t] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        float value[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int r = 0; r < 4; r++) {
            int i = 4 * t + r;
            float sum = 0.0f;                        // partial result of this lane (counts in the 8 lanes of row i)
#pragma unroll
            for (int c = 0; c < 4; c++)
                if (first + c < i)
                    sum += value[c] * known[c];
            for (int d = 4; d > 0; d /= 2)
                sum += __shfl_down_sync(0xffffffff, sum, d, 8);
            sum = __shfl_sync(0xffffffff, sum, r * 8);                    // row i is in lanes 8 r … 8 r + 7
            float diagonal = __shfl_sync(0xffffffff, value[r], r * 8 + t);
            float solved = valid ? __fdividef(b[s * N + i] - sum, diagonal + shift) : 0.0f;
            if (lane % 8 == t)
                known[r] = solved;
            if (valid && lane == 0)
                x[s * N + i] = solved;
        }
    }
}
