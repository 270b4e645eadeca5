// Adam: one thread per parameter updates both moments and the parameter.
extern "C" __global__ void adam_update(float *params, const float *grads, float *m, float *v, int n, float lr,
                                       float beta1, float beta2, float eps, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i] / (1.0f - powf(beta1, step));
        float v_hat = v[i] / (1.0f - powf(beta2, step));
        params[i] -= lr * m_hat / (sqrtf(v_hat) + eps);
    }
}
