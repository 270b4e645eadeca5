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
#pragma unroll
    for (int j = 0; j < MAX_K; ++j) {
        l.val[j] = -3.0e38f;
        l.idx[j] = -1;
    }
}

// keep the list sorted, best first
__device__ __forceinline__ void list_insert(TopList &l, int k, float v, int e)
{
    if (!(v > l.val[MAX_K - 1])) return;
#pragma unroll
    for (int j = MAX_K - 1; j > 0; --j) {
        const bool up = l.val[j - 1] < v;           // the one above moves down
        const bool here = l.val[j] < v;
        l.val[j] = up ? l.val[j - 1] : here ? v : l.val[j];
        l.idx[j] = up ? l.idx[j - 1] : here ? e : l.idx[j];
    }
    if (l.val[0] < v) { l.val[0] = v; l.idx[0] = e; }
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
#pragma unroll
    for (int j = 0; j < MAX_K; ++j) {
        list.val[j] = __expf(list.val[j] - top);
        denom += j < k ? list.val[j] : 0.f;
    }
    const float inv = 1.0f / denom;
#pragma unroll
    for (int j = 0; j < MAX_K; ++j) {
        if (j >= k) break;
        gate[(size_t)j * tokens + t] = list.val[j] * inv;
        expert[(size_t)j * tokens + t] = list.idx[j];
    }
}
