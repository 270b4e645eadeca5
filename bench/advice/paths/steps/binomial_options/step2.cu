// American put options by the binomial tree of Cox, Ross and Rubinstein: one thread per option, backwards through the
// tree. The volatility is between 10% and 50%.
#define STEPS 255
#define BLOCK 128

extern "C" __global__ void binomial_options(const float *spot, const float *strike, const float *volatility,
                                            float *price, int options, float rate, float years) {
    extern __shared__ float value[][BLOCK];  // (STEPS + 1) * BLOCK floats
    const int t = threadIdx.x;
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o >= options)
        return;
    float s = spot[o];
    float k = strike[o];
    float dt = years / STEPS;
    float u = expf((0.1f + 0.4f * volatility[o]) * sqrtf(dt));
    float p = (expf(rate * dt) - 1.0f / u) / (u - 1.0f / u);
    float discount = expf(-rate * dt);

    for (int j = 0; j <= STEPS; j++)
        value[j][t] = fmaxf(k - s * powf(u, 2 * j - STEPS), 0.0f);
    for (int i = STEPS - 1; i >= 0; i--) {
        for (int j = 0; j <= i; j++) {
            float hold = discount * (p * value[j + 1][t] + (1.0f - p) * value[j][t]);
            float exercise = k - s * powf(u, 2 * j - i);
            value[j][t] = fmaxf(hold, exercise);
        }
    }
    price[o] = value[0][t];
}
