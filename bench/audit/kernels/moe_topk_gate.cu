// Mixture-of-experts router: pick the k best experts of every token and softmax their logits.
// logits are stored expert-major, [experts][tokens]; outputs are [k][tokens].
// Ties go to the lower expert number.

#define MAX_K 16

struct TopList {
    float val[MAX_K];
    int idx[MAX_K];
};

__device__ __forceinline__ void list_clear(TopList &l, int k)
{
    for (int j = 0; j < k; ++j) {
        l.val[j] = -3.0e38f;
        l.idx[j] = -1;
    }
}

// keep the list sorted, best first
__device__ __forceinline__ void list_insert(TopList &l, int k, float v, int e)
{
    if (!(v > l.val[k - 1])) return;
    int j = k - 1;
    while (j > 0 && l.val[j - 1] < v) {
        l.val[j] = l.val[j - 1];
        l.idx[j] = l.idx[j - 1];
        --j;
    }
    l.val[j] = v;
    l.idx[j] = e;
}

extern "C" __global__ void moe_topk_gate(const float *__restrict__ logits,
                                         const float *__restrict__ expert_bias,
                                         float *__restrict__ gate,
                                         int *__restrict__ expert,
                                         int tokens, int experts, int k)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= tokens) return;

    TopList list;
    list_clear(list, k);
    for (int e = 0; e < experts; ++e) {
        float v = logits[(size_t)e * tokens + t] + expert_bias[e];
        list_insert(list, k, v, e);
    }

    float denom = 0.f;
    const float top = list.val[0];
    for (int j = 0; j < k; ++j) {
        list.val[j] = __expf(list.val[j] - top);
        denom += list.val[j];
    }
    const float inv = 1.0f / denom;
    for (int j = 0; j < k; ++j) {
        gate[(size_t)j * tokens + t] = list.val[j] * inv;
        expert[(size_t)j * tokens + t] = list.idx[j];
    }
}
