// AdamW parameter update over one flat parameter group (decoupled weight decay).
// found_inf is set by the mixed-precision grad scaler: the whole step is skipped then.

struct Hyper {
    float lr, beta1, beta2, eps, decay, corr1, corr2;
};

__device__ __forceinline__ void adamw_one(float &p, float g, float &m, float &v, const Hyper &h)
{
    m = h.beta1 * m + (1.0f - h.beta1) * g;
    v = h.beta2 * v + (1.0f - h.beta2) * g * g;
    const float mhat = m * h.corr1;
    const float vhat = v * h.corr2;
    p -= h.lr * (mhat / (sqrtf(vhat) + h.eps) + h.decay * p);
}

extern "C" __global__ void adamw_step(float *__restrict__ param,
                                      const float *__restrict__ grad,
                                      float *__restrict__ exp_avg,
                                      float *__restrict__ exp_avg_sq,
                                      const int *__restrict__ found_inf,
                                      const float *__restrict__ clip_coef,
                                      long long n, float lr, float beta1, float beta2,
                                      float eps, float decay, int step)
{
    if (*found_inf) return;

    Hyper h;
    h.lr = lr; h.beta1 = beta1; h.beta2 = beta2; h.eps = eps; h.decay = decay;
    h.corr1 = 1.0f / (1.0f - powf(beta1, (float)step));
    h.corr2 = 1.0f / (1.0f - powf(beta2, (float)step));
    const float clip = *clip_coef;

    const long long stride = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        float p = param[i];
        float m = exp_avg[i];
        float v = exp_avg_sq[i];
        adamw_one(p, grad[i] * clip, m, v, h);
        param[i] = p;
        exp_avg[i] = m;
        exp_avg_sq[i] = v;
    }
}
