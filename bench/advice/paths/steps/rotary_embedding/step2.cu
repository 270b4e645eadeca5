// Rotary position embedding: one thread per pair of elements, which is rotated by an angle that depends on the token's
// position and on the place of the pair in the head. The usual dim and heads are template parameters (0: any).
template <int PAIRS, int HEADS>
__device__ void rotate(const float *x, const int *positions, float *out, int tokens, int heads_, int dim) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    const int pairs = PAIRS ? PAIRS : dim / 2;
    const int heads = HEADS ? HEADS : heads_;
    if (index >= tokens * heads * pairs)
        return;
    int pair = index % pairs;
    int head = index / pairs % heads;
    int token = index / pairs / heads;

    float frequency = powf(10000.0f, -2.0f * pair / dim);
    float angle = positions[token] * frequency;
    float c = cosf(angle);
    float s = sinf(angle);

    int at = (token * heads + head) * dim + 2 * pair;
    float a = x[at];
    float b = x[at + 1];
    out[at] = a * c - b * s;
    out[at + 1] = a * s + b * c;
}

extern "C" __global__ void rotary_embedding(const float *x, const int *positions, float *out, int tokens, int heads,
                                            int dim) {
    if (dim / 2 == 64 && heads == 32)
        rotate<64, 32>(x, positions, out, tokens, heads, dim);
    else
        rotate<0, 0>(x, positions, out, tokens, heads, dim);
}
