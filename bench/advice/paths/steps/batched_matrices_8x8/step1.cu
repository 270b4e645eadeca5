// C = A · B for many 8 × 8 matrices: 16 adjacent lanes per matrix, each loads one float4 of A and B
// and computes one float4 of C.
#define N 8
#define LANES 16

extern "C" __global__ void batched_matrices_8x8(const float *a, const float *b, float *c, int count) {
    __shared__ float4 as[256], bs[256];
    int index = blockIdx.x * blockDim.x + threadIdx.x; // number of this float4
    int m = index / LANES;
    int lane = threadIdx.x % LANES;
    int base = threadIdx.x - lane; // first float4 of this matrix in shared memory
    if (m < count) {
        as[threadIdx.x] = reinterpret_cast<const float4 *>(a)[index];
        bs[threadIdx.x] = reinterpret_cast<const float4 *>(b)[index];
    }
    __syncwarp(); // the 16 lanes of a matrix are in one warp
    if (m >= count)
        return;
    int row = lane / 2, half = lane % 2;
    float4 a0 = as[base + row * 2], a1 = as[base + row * 2 + 1];
    float ar[N] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
    for (int k = 0; k < N; k++) {
        float4 bv = bs[base + k * 2 + half];
        sum.x += ar[k] * bv.x;
        sum.y += ar[k] * bv.y;
        sum.z += ar[k] * bv.z;
        sum.w += ar[k] * bv.w;
    }
    reinterpret_cast<float4 *>(c)[index] = sum;
}
