// Rotary position embedding: one thread per pair of elements, which is rotated by an angle that depends on the token's
// position and on the place of the pair in the head.
extern "C" __global__ void rotary_embedding(const float *x, const int *positions, float *out, int tokens, int heads,
                                            int dim) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    int pairs = dim / 2;
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
