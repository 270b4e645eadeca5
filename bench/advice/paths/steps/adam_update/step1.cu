// Adam: one thread per 4 adjacent parameters, as float4; single elements for the rest.
extern "C" __global__ void adam_update(float *params, const float *grads, float *m, float *v, int n, float lr,
                                       float beta1, float beta2, float eps, int step) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 3 < n) {
        float4 g4 = *reinterpret_cast<const float4 *>(grads + i);
        float4 m4 = *reinterpret_cast<float4 *>(m + i);
        float4 v4 = *reinterpret_cast<float4 *>(v + i);
        float4 p4 = *reinterpret_cast<float4 *>(params + i);
        float ga[4] = {g4.x, g4.y, g4.z, g4.w};
        float ma[4] = {m4.x, m4.y, m4.z, m4.w};
        float va[4] = {v4.x, v4.y, v4.z, v4.w};
        float pa[4] = {p4.x, p4.y, p4.z, p4.w};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float g = ga[k];
            ma[k] = beta1 * ma[k] + (1.0f - beta1) * g;
            va[k] = beta2 * va[k] + (1.0f - beta2) * g * g;
            float m_hat = ma[k] / (1.0f - powf(beta1, step));
            float v_hat = va[k] / (1.0f - powf(beta2, step));
            pa[k] -= lr * m_hat / (sqrtf(v_hat) + eps);
        }
        *reinterpret_cast<float4 *>(m + i) = make_float4(ma[0], ma[1], ma[2], ma[3]);
        *reinterpret_cast<float4 *>(v + i) = make_float4(va[0], va[1], va[2], va[3]);
        *reinterpret_cast<float4 *>(params + i) = make_float4(pa[0], pa[1], pa[2], pa[3]);
    } else {
        for (; i < n; i++) {
            float g = grads[i];
            m[i] = beta1 * m[i] + (1.0f - beta1) * g;
            v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
            float m_hat = m[i] / (1.0f - powf(beta1, step));
            float v_hat = v[i] / (1.0f - powf(beta2, step));
            params[i] -= lr * m_hat / (sqrtf(v_hat) + eps);
        }
    }
}
